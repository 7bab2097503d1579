//===- Support/DescriptorSocket.h - open files sent -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one of our processes asks another that runs already is a few open files:
// the question in a file without a name, the pipe for the answer, a directory.
// Each message arrives whole or not at all, whoever else sends or receives at
// the same time. The end of a process closes its side, and what it has not
// received is closed, too: who waits for an answer then reads its end.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_DESCRIPTORSOCKET_H
#define KPACK_SUPPORT_DESCRIPTORSOCKET_H

#include "kpack/Support/UniqueFd.h"

#include <vector>

namespace kpack {

/// Two ends, closed in programs that are run. False, and errno.
bool makeDescriptorSocket(UniqueFd &One, UniqueFd &Other);

/// At most eight. Never waits, and never raises SIGPIPE. False, and errno.
bool sendDescriptors(int Socket, const std::vector<int> &Files);

/// Waits for a message; nothing at the end, or if it is no such message.
std::vector<UniqueFd> receiveDescriptors(int Socket);

} // namespace kpack

#endif // KPACK_SUPPORT_DESCRIPTORSOCKET_H
