//===- kpack/Offload/Output.h - the end of standard output ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools that print more than messages: a full disk is an error in our
// words, where the stream's destructor would end the program. Header-only, as
// Errors.h is.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_OUTPUT_H
#define KPACK_OFFLOAD_OUTPUT_H

#include "kpack/Offload/Errors.h"
#include "llvm/Support/raw_ostream.h"

namespace kpack::offload {

/// Writes what is still buffered. Errors: not all of it could be written.
inline llvm::Error flushOutput(llvm::raw_fd_ostream &OS) {
  OS.flush();
  if (!OS.has_error())
    return llvm::Error::success();
  std::string Problem = OS.error().message();
  OS.clear_error();
  return objectError("standard output",
                     Problem + "; what was printed is not complete");
}

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_OUTPUT_H
