//===- Support/Pipe.h - a pipe that is read by polling ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipe whose writing end goes to another process. Reads do not block; poll()
// reports data.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_PIPE_H
#define KPACK_SUPPORT_PIPE_H

#include "kpack/Support/UniqueFd.h"

#include <string>

namespace kpack {

/// Makes both ends, closed on exec. Returns false, with errno set, on failure.
bool makePipe(UniqueFd &Read, UniqueFd &Write);

/// Reads the available bytes; closes the pipe at its end.
void drain(UniqueFd &Pipe, std::string &Into);

} // namespace kpack

#endif // KPACK_SUPPORT_PIPE_H
