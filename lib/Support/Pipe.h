//===- Support/Pipe.h - what others write while we poll ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipe whose writing end somebody else gets, and which is read without
// waiting for it: poll() says when there is something.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_PIPE_H
#define KPACK_SUPPORT_PIPE_H

#include "kpack/Support/UniqueFd.h"

#include <string>

namespace kpack {

/// Both are closed in programs that are run. False, and errno.
bool makePipe(UniqueFd &Read, UniqueFd &Write);

/// Reads what is there; closes the pipe at its end.
void drain(UniqueFd &Pipe, std::string &Into);

} // namespace kpack

#endif // KPACK_SUPPORT_PIPE_H
