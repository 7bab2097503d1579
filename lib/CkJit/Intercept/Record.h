//===- Record.h - records of intercepted compiles ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// During a build, every intercepted compile appends one JSON object to
// manifest.json.ndjson with one write() under a file lock, so that lines of any
// length stay whole with parallel compiles. An incomplete line is removed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_RECORD_H
#define KPACK_CKJIT_INTERCEPT_RECORD_H

#include "CkJit/Manifest/Manifest.h"

namespace kpack::ckjit {

/// In the build's folder (CK_JIT_BUILD_DIR).
inline constexpr const char *RecordFileName = "manifest.json.ndjson";

/// Returns the line of one source. Errors: InvalidArgument if JSON cannot hold
/// it.
Result<std::string> recordLine(const ManifestEntry &Source);

/// Appends to the file in \p Folder, which is created if needed. Errors:
/// IoError.
Status appendRecord(const std::string &Folder, const std::string &Line);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_RECORD_H
