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

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace kpack::ckjit {

struct Record {
  std::string Source; ///< this and the output as they were given
  std::string Output;
  std::string Directory;
  std::vector<std::string> Words; ///< "argv" without the compiler
  bool IsDispatcher = false;
  std::string ApiKind, Module, Compiler;

  std::string absoluteSource() const;
  std::string absoluteOutput() const;
  /// The words without -c, the output, the source and dependency files; paths
  /// that belong to options are absolute, HIP is said to be HIP.
  std::vector<std::string> flags() const;
  llvm::json::Value toJson() const;
};

/// Objects one a line, or one JSON array. A record replaces those before it
/// that have the same output. Errors: not readable, a line that is no record.
llvm::Expected<std::vector<Record>> readRecords(llvm::StringRef Path);
/// Of one line, which \p Where is named for in errors.
llvm::Expected<Record> parseRecord(llvm::StringRef Where, llvm::StringRef Line);

/// Whether what \p Compiler compiles is HIP unless it is told otherwise.
bool isHipCompiler(llvm::StringRef Compiler);
/// Takes clang's options.
bool isClang(llvm::StringRef Compiler);

/// Options whose value is a folder or file that a compile reads.
bool hasPath(llvm::StringRef Option);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_RECORDS_H
