//===- CompileSlot.cpp - how many compiles a machine takes ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompileSlot.h.
//
//===----------------------------------------------------------------------===//
#include "CompileSlot.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

using namespace kpack;
using namespace kpack::jit;

static constexpr uint64_t Unknown = ~uint64_t(0);

/// The start of a file of the kernel's; empty where there is none.
static std::string readSmall(const char *Path) {
  char Text[4096];
  UniqueFd File(::open(Path, O_RDONLY | O_CLOEXEC));
  const ssize_t Size = File ? ::read(File.get(), Text, sizeof(Text)) : 0;
  return std::string(Text, static_cast<size_t>(std::max<ssize_t>(Size, 0)));
}

static uint64_t numberIn(const std::string &Text, size_t At) {
  const size_t Digit = Text.find_first_not_of(" \t", At);
  return Digit != std::string::npos && Text[Digit] >= '0' && Text[Digit] <= '9'
             ? std::strtoull(Text.c_str() + Digit, nullptr, 10)
             : Unknown;
}

uint64_t jit::availableMemory() {
  const std::string Machine = readSmall("/proc/meminfo");
  const size_t At = Machine.find("MemAvailable:");
  uint64_t Available =
      At == std::string::npos ? Unknown : numberIn(Machine, At + 13);
  if (Available != Unknown)
    Available *= 1024;
  // "max" where there is no limit.
  const uint64_t Limit = numberIn(readSmall("/sys/fs/cgroup/memory.max"), 0),
                 Used = numberIn(readSmall("/sys/fs/cgroup/memory.current"), 0);
  if (Limit != Unknown && Used != Unknown)
    Available = std::min(Available, Limit - std::min(Limit, Used));
  return Available;
}

UniqueFd jit::tryTakeSlot(const std::string &Name, unsigned Count,
                          uint64_t Wanted, uint64_t Available) {
  UniqueFd Socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!Socket)
    return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (unsigned I = 0; I != Count; ++I) {
    if (I != 0 && Available < Wanted)
      break;
    sockaddr_un Address{};
    Address.sun_family = AF_UNIX;
    // A zero in front: the name is no file's.
    const std::string Full = Name + "-" + std::to_string(I);
    const size_t Length = std::min(Full.size(), sizeof(Address.sun_path) - 1);
    std::memcpy(Address.sun_path + 1, Full.data(), Length);
    if (::bind(Socket.get(), reinterpret_cast<sockaddr *>(&Address),
               static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                      Length)) == 0 ||
        errno != EADDRINUSE)
      return Socket;
  }
  return UniqueFd();
}
