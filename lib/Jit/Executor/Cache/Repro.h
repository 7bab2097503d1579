//===- Cache/Repro.h - scripts that repeat failed compiles ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The script that is kept with a failure (Store/Failures.h): the commands of
// the compile helper, with the copy beside the script as the source.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_REPRO_H
#define KPACK_JIT_EXECUTOR_CACHE_REPRO_H

#include "Jit/Executor/Cache/Cache.h"
#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// Returns an sh script that compiles the file \p SourceName beside it.
std::string reproScript(const CompileRequest &Request,
                        const std::string &SourceName);

/// Returns names and contents: the source, "header-1" and so on, and
/// "repro.sh", which compiles them.
std::vector<std::pair<std::string, std::string>>
reproFiles(const CompileRequest &Request);

/// Stores a script for \p Failure in \p Where under \p Id, and returns
/// \p Failure with the script's name; unchanged if it cannot be stored.
Status withRepro(Cache &Where, const Digest &Id, const CompileRequest &Request,
                 Status Failure);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_REPRO_H
