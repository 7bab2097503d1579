//===- Records.h - what a build has recorded --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the lines that ck-jit-hipcc has written (lib/CkJit/Intercept/Record.h),
// and makes of a record what a later compile of that source needs. The same
// reader is used for the copy that is kept of a library's blobs.
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
  /// The words without -c, the output, the source and dependency files; paths
  /// that belong to options are absolute, HIP is said to be HIP.
  std::vector<std::string> flags() const;
};

/// A record replaces those before it that have the same output. Errors: not
/// readable, an entry that is no record.
llvm::Expected<std::vector<Record>> readRecords(llvm::StringRef Path);
/// Of one entry, which \p Where is named for in errors.
llvm::Expected<Record> parseRecord(llvm::StringRef Where, llvm::StringRef Line);

/// Whether what \p Compiler compiles is HIP unless it is told otherwise.
bool isHipCompiler(llvm::StringRef Compiler);
/// Takes clang's options.
bool isClang(llvm::StringRef Compiler);

/// Options whose value is a folder or file that a compile reads.
bool hasPath(llvm::StringRef Option);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_RECORDS_H
