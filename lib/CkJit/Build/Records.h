//===- Records.h - compile flags from a build's records ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the lines of ck-jit-hipcc (lib/CkJit/Intercept/Record.h) and derives
// from a record the flags of a later compile of that source. Also reads the
// stored copy of a library's blobs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_RECORDS_H
#define KPACK_LIB_CKJIT_BUILD_RECORDS_H

#include "CkJit/Manifest/Manifest.h"
#include "llvm/Support/Error.h"

namespace kpack::ckjit {

struct Record : ManifestEntry {
  std::string absoluteSource() const;
  std::string absoluteOutput() const;
  /// Returns the words without -c, output, source and dependency files; paths
  /// of options are absolute, and HIP sources have "-x hip".
  std::vector<std::string> flags() const;
};

/// A record replaces earlier ones with the same output. Errors: not readable,
/// an entry that is no record.
llvm::Expected<std::vector<Record>> readRecords(llvm::StringRef Path);
/// Parses one entry; errors name \p Where.
llvm::Expected<Record> parseRecord(llvm::StringRef Where, llvm::StringRef Line);

/// Returns true if \p Compiler compiles HIP by default.
bool isHipCompiler(llvm::StringRef Compiler);
/// Returns true if \p Compiler accepts clang's options.
bool isClang(llvm::StringRef Compiler);

/// Returns true if the value is a folder or file that a compile reads.
bool hasPath(llvm::StringRef Option);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_RECORDS_H
