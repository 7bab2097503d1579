//===- Pipe.cpp - a pipe that is read by polling --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Pipe.h. Only the reading end is nonblocking: programs do not expect that
// of their output.
//
//===----------------------------------------------------------------------===//
#include "Support/Pipe.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace kpack;

bool kpack::makePipe(UniqueFd &Read, UniqueFd &Write) {
  int Ends[2];
  if (::pipe2(Ends, O_CLOEXEC) != 0)
    return false;
  Read = UniqueFd(Ends[0]);
  Write = UniqueFd(Ends[1]);
  return ::fcntl(Ends[0], F_SETFL, O_NONBLOCK) == 0;
}

void kpack::drain(UniqueFd &Pipe, std::string &Into) {
  char Bytes[16384];
  while (Pipe) {
    ssize_t Size = ::read(Pipe.get(), Bytes, sizeof(Bytes));
    if (Size > 0)
      Into.append(Bytes, static_cast<size_t>(Size));
    else if (Size == 0 || (errno != EAGAIN && errno != EINTR))
      Pipe = UniqueFd();
    else if (errno == EAGAIN)
      return;
  }
}
