//===- RemoteTrust.cpp - rule for trusted remote servers ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This file parses the address for an early message. kpack-jit-remote, whose
// parser may read it differently, ensures that no other machine is contacted.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/RemoteTrust.h"

#include <arpa/inet.h>
#include <netinet/in.h>

using namespace kpack;
using namespace kpack::jit;

bool jit::isPlainText(const std::string &Url) {
  std::string Scheme = Url.substr(0, Url.find(':'));
  return Scheme == "http" || Scheme == "redis";
}

/// Returns the part between user and port.
static std::string getHost(const std::string &Url) {
  size_t Slashes = Url.find("://");
  if (Slashes == std::string::npos)
    return {};
  std::string Host = Url.substr(Slashes + 3);
  Host.resize(std::min(Host.find_first_of("/?#\\"), Host.size()));
  Host.erase(0, Host.rfind('@') + 1); // npos + 1 is 0
  if (!Host.empty() && Host[0] == '[')
    return Host.substr(1, Host.find(']') - 1);
  return Host.substr(0, Host.find(':'));
}

bool jit::namesLoopback(const std::string &Url) {
  std::string Host = getHost(Url);
  if (Host == "localhost")
    return true;
  sockaddr_in Four = {};
  Four.sin_family = AF_INET;
  if (::inet_pton(AF_INET, Host.c_str(), &Four.sin_addr) == 1)
    return isLoopback(reinterpret_cast<const sockaddr *>(&Four));
  sockaddr_in6 Six = {};
  Six.sin6_family = AF_INET6;
  return ::inet_pton(AF_INET6, Host.c_str(), &Six.sin6_addr) == 1 &&
         isLoopback(reinterpret_cast<const sockaddr *>(&Six));
}

bool jit::isLoopback(const sockaddr *Address) {
  if (Address->sa_family == AF_UNIX)
    return true;
  if (Address->sa_family == AF_INET)
    return ntohl(reinterpret_cast<const sockaddr_in *>(Address)
                     ->sin_addr.s_addr) >>
               24 ==
           IN_LOOPBACKNET;
  return Address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(
             &reinterpret_cast<const sockaddr_in6 *>(Address)->sin6_addr);
}
