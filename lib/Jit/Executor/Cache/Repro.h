//===- Cache/Repro.h - a failed compile, to be run again --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The script that is kept with a failure (Store/Failures.h): the commands of
// the compile helper, with the source beside the script in the source's place.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_REPRO_H
#define KPACK_JIT_EXECUTOR_CACHE_REPRO_H

#include "Jit/Executor/Cache/Cache.h"
#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// A script for sh that compiles what stands beside it as \p SourceName.
std::string reproScript(const CompileRequest &Request,
                        const std::string &SourceName);

/// The source, "header-1" and so on, and "repro.sh", which compiles them: names
/// and contents.
std::vector<std::pair<std::string, std::string>>
reproFiles(const CompileRequest &Request);

/// \p Failure of \p Request as it is, or with the name of the script that was
/// kept for it in \p Where under \p Id.
Status withRepro(Cache &Where, const Digest &Id, const CompileRequest &Request,
                 Status Failure);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_REPRO_H
