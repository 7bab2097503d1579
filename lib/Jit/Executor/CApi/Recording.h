//===- Recording.h - recorded compile requests of a run ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores the requests of a run in a file, so that a later run can prepare all
// of them before it needs the first. KPACK_JIT_RECORD names the file, to which
// several processes may append; kpack_jit_cache_prepare() reads it. The file
// names the compilers to run, so it is only trusted if no other user could
// write it.
//
// Format: for each request its length in decimal digits, a newline, and the
// message for the compile helper (CompileProtocol.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CAPI_RECORDING_H
#define KPACK_JIT_EXECUTOR_CAPI_RECORDING_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// Appends \p Request to the file; creates it with mode 0600. Errors: IoError.
Status record(const std::string &Path, const CompileRequest &Request);

/// Returns the distinct requests of the file, in order. Errors: FileNotFound;
/// InvalidArgument if others may write to it; InvalidFormat if it is damaged.
Result<std::vector<CompileRequest>> recordedIn(const std::string &Path);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CAPI_RECORDING_H
