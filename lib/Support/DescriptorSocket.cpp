//===- DescriptorSocket.cpp - file descriptors sent by socket -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DescriptorSocket.h.
//
//===----------------------------------------------------------------------===//
#include "Support/DescriptorSocket.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

using namespace kpack;

static constexpr size_t MaxFiles = 8;

namespace {

/// One byte, since a message without data carries no files, and the files.
struct Packet {
  Packet() {
    Header.msg_iov = &Data;
    Header.msg_iovlen = 1;
    Header.msg_control = Control;
    Header.msg_controllen = sizeof(Control);
  }

  char Byte = 0;
  iovec Data = {&Byte, 1};
  alignas(cmsghdr) char Control[CMSG_SPACE(MaxFiles * sizeof(int))] = {};
  msghdr Header = {};
};

} // namespace

bool kpack::makeDescriptorSocket(UniqueFd &One, UniqueFd &Other) {
  int Ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Ends) != 0)
    return false;
  One = UniqueFd(Ends[0]);
  Other = UniqueFd(Ends[1]);
  return true;
}

bool kpack::sendDescriptors(int Socket, const std::vector<int> &Files) {
  if (Files.empty() || Files.size() > MaxFiles) {
    errno = EINVAL;
    return false;
  }
  Packet P;
  size_t Size = Files.size() * sizeof(int);
  P.Header.msg_controllen = CMSG_SPACE(Size);
  cmsghdr *Rights = CMSG_FIRSTHDR(&P.Header);
  Rights->cmsg_level = SOL_SOCKET;
  Rights->cmsg_type = SCM_RIGHTS;
  Rights->cmsg_len = CMSG_LEN(Size);
  std::memcpy(CMSG_DATA(Rights), Files.data(), Size);
  ssize_t Sent;
  while ((Sent = ::sendmsg(Socket, &P.Header, MSG_NOSIGNAL | MSG_DONTWAIT)) <
             0 &&
         errno == EINTR)
    ;
  return Sent == 1;
}

std::vector<UniqueFd> kpack::receiveDescriptors(int Socket) {
  Packet P;
  ssize_t Size;
  while ((Size = ::recvmsg(Socket, &P.Header, MSG_CMSG_CLOEXEC)) < 0 &&
         errno == EINTR)
    ;
  std::vector<UniqueFd> Files;
  if (Size <= 0)
    return Files;
  for (cmsghdr *Part = CMSG_FIRSTHDR(&P.Header); Part;
       Part = CMSG_NXTHDR(&P.Header, Part))
    if (Part->cmsg_level == SOL_SOCKET && Part->cmsg_type == SCM_RIGHTS)
      for (size_t Offset = 0;
           Offset + sizeof(int) <= Part->cmsg_len - CMSG_LEN(0);
           Offset += sizeof(int)) {
        int File;
        std::memcpy(&File, CMSG_DATA(Part) + Offset, sizeof(File));
        Files.emplace_back(File);
      }
  return Files;
}
