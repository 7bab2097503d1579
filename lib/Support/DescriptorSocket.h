//===- DescriptorSocket.h - file descriptors sent by socket -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sends open files between processes: a request to a running process is an
// unnamed file with its text, a pipe for the answer and a directory. Each
// message arrives whole or not at all, with any number of senders and
// receivers. The end of a process closes its side and the files that it has not
// received, so a client that waits for an answer reads the end of its pipe.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_DESCRIPTORSOCKET_H
#define KPACK_SUPPORT_DESCRIPTORSOCKET_H

#include "kpack/Support/UniqueFd.h"

#include <vector>

namespace kpack {

/// Makes two ends, closed on exec. Returns false, with errno set, on failure.
bool makeDescriptorSocket(UniqueFd &One, UniqueFd &Other);

/// Sends at most eight files. Never blocks, and never raises SIGPIPE. Returns
/// false, with errno set, on failure.
bool sendDescriptors(int Socket, const std::vector<int> &Files);

/// Waits for a message. Returns none at the end, or on an invalid message.
std::vector<UniqueFd> receiveDescriptors(int Socket);

} // namespace kpack

#endif // KPACK_SUPPORT_DESCRIPTORSOCKET_H
