//===- Failures.h - compiles that failed, to be run again -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler refused is kept in the cache directory until there are newer
// failures: the source as it was, what was said, and a script that runs the
// same commands. A report to who wrote the compiler needs no more.
//
// docs/format/jit-cache.md, "Directory".
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_FAILURES_H
#define KPACK_LIB_JIT_FAILURES_H

#include "kpack/Jit/Compile.h"

namespace kpack::jit {

/// A file's name and content.
using NamedText = std::pair<std::string, std::string>;

/// Keeps \p Files below \p Root as failures/<Id>; the newest few failures stay.
/// True also when that one is there.
bool keepFailure(int Root, const Digest &Id,
                 const std::vector<NamedText> &Files);

/// A script for sh that compiles what stands beside it as \p SourceName.
std::string reproScript(const CompileRequest &Request,
                        const std::string &SourceName);

/// \p Failure of \p Request as it is, or with the name of the script that was
/// kept for it in \p Where under \p Id.
Status withRepro(Cache &Where, const Digest &Id, const CompileRequest &Request,
                 Status Failure);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_FAILURES_H
