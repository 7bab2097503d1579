//===- BuildSettings.h - options of ck-jit build ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of the three commands; an option that is not given comes from the
// environment variable of ck_jit_build.py. Also finds the parts of kpack that a
// library with late kernels needs. `full` passes its settings to the link step
// in the environment: the build between them does not know them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_BUILDSETTINGS_H
#define KPACK_LIB_CKJIT_BUILD_BUILDSETTINGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::ckjit {

struct BuildSettings {
  std::string TmpDir;
  std::string Project;            ///< CK_JIT_AITER_DIR, or empty
  std::string Root;               ///< CK_JIT_ROOT
  std::string Name;               ///< CK_JIT_NAME
  bool Seam = false;              ///< CK_JIT_SEAM
  std::vector<std::string> Table; ///< CK_JIT_TABLE: APIs, or "all"
  std::string Clang;              ///< CK_JIT_CLANG: for its builtin headers
  std::string MadeUpRocm, RealRocm;
  bool Verbose = false;

  static BuildSettings fromEnvironment();
  /// Parses a list with commas; "none" is empty.
  void setTable(llvm::StringRef Apis);
  bool usesTable(llvm::StringRef ApiKind) const;
};

/// Returns the first of \p Relative, relative to the folder of this program,
/// that exists. Errors name the missing package.
llvm::Expected<std::string> findPart(llvm::ArrayRef<std::string> Relative);
llvm::Expected<std::string> findRuntimeLibrary(); ///< libckjit.so.0
llvm::Expected<std::string> findRuntimeInclude(); ///< has kpack/CkJit/Runtime.h

/// Sets a variable for this process and its children.
void setVariable(llvm::StringRef Name, llvm::StringRef Value);
std::string variable(const char *Name);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_BUILDSETTINGS_H
