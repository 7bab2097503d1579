//===- Executor/CApi/Recording.h - what a program has asked for -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requests of a run in a file, so that a later one can have all of them
// made before it needs the first: KPACK_JIT_RECORD writes it, any number of
// processes the same one, and kpack_jit_cache_prepare() reads it. The file says
// which compilers are run; it is believed when nobody else could have written
// it.
//
// Format: for each request its length in decimal digits, a newline, and the
// message that the compile helper would be sent (CompileProtocol.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CAPI_RECORDING_H
#define KPACK_JIT_EXECUTOR_CAPI_RECORDING_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// Appends \p Request to the file, which is made (0600). Errors: IoError.
Status record(const std::string &Path, const CompileRequest &Request);

/// All different requests of the file, in their order. Errors: FileNotFound;
/// InvalidArgument, others may write to it; InvalidFormat, it is damaged.
Result<std::vector<CompileRequest>> recordedIn(const std::string &Path);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CAPI_RECORDING_H
