//===- Selection.h - which blobs a command line means -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where blobs come from (a manifest, a library), how they are named (stem, file
// name, path, cached entry, list), for which targets they are compiled, and
// where they are kept. All of it as libckjit would see it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_SELECTION_H
#define KPACK_LIB_CKJIT_PREBUILD_SELECTION_H

#include "CkJit/Runtime/Request.h"
#include "llvm/Support/Error.h"

namespace kpack::ckjit {

/// A manifest and what is needed to use it.
struct Source {
  BlobManifest Manifest;
  RequestContext Context; ///< its compiler is empty until findCompiler()
  std::string CacheDir;
  bool IsCacheNamed = false; ///< not the default
};

/// What the command line says about it; empty: nothing.
struct ManifestOptions {
  std::string Manifest;
  std::string Library;
  std::string CacheDir;
  std::string Root;
  std::string Compiler;
  std::vector<std::string> LinkFlags;
};

/// Reads the manifest, if one is named. Errors: not readable, not of that form,
/// no place for the cache.
llvm::Expected<Source> openSource(const ManifestOptions &Options);

/// The stem that \p Name means: a stem, a file name, a path of a source or of a
/// cached entry. Errors: an entry that cannot be read.
llvm::Expected<std::string> stemOf(llvm::StringRef Name);

/// Stems in a list of names, one a line; "-" is standard input. Lines that are
/// empty or start with '#' are skipped.
llvm::Expected<std::vector<std::string>> readBlobList(llvm::StringRef Path);

/// The first of \p Names that is nearest to \p Wanted, less than \p Distance
/// away; empty: none.
llvm::StringRef nearestOf(llvm::ArrayRef<llvm::StringRef> Names,
                          llvm::StringRef Wanted, unsigned Distance);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_SELECTION_H
