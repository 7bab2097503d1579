//===- Record.h - a line of the build's manifest ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a build runs, every intercepted compile adds one JSON object to
// manifest.json.ndjson: one write() at the end of the file, under a lock of the
// file, so that lines of any length are whole however many compiles run at
// once. A line that could not be written completely is taken back.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_INTERCEPT_RECORD_H
#define KPACK_CKJIT_INTERCEPT_RECORD_H

#include "CkJit/Manifest/Manifest.h"

namespace kpack::ckjit {

/// In the build's folder (CK_JIT_BUILD_DIR).
inline constexpr const char *RecordFileName = "manifest.json.ndjson";

/// The line of one source. Errors: InvalidArgument for what JSON cannot hold.
Result<std::string> recordLine(const ManifestEntry &Source);

/// To the file in \p Folder, which is made if it is not there. Errors: IoError.
Status appendRecord(const std::string &Folder, const std::string &Line);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_INTERCEPT_RECORD_H
