//===- Selection.h - kernels and targets to prebuild ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolves the source of blobs (a manifest, a library), their names (stem, file
// name, path, cached entry, list), their targets and their cache, all as
// libckjit does.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_SELECTION_H
#define KPACK_LIB_CKJIT_PREBUILD_SELECTION_H

#include "CkJit/Runtime/BlobRequest.h"
#include "llvm/Support/Error.h"

namespace kpack::ckjit {

/// A manifest and the data to use it.
struct Source {
  BlobManifest Manifest;
  RequestContext Context; ///< without a compiler until findCompiler()
  std::string CacheDir;
  bool IsCacheNamed = false; ///< not the default
};

/// The options for a manifest; empty if not given.
struct ManifestOptions {
  std::string Manifest;
  std::string Library;
  std::string CacheDir;
  std::string Root;
  std::string Compiler;
  std::vector<std::string> LinkFlags;
};

/// Reads the manifest, if one is named. Errors: not readable, not a manifest,
/// no place for the cache.
llvm::Expected<Source> openSource(const ManifestOptions &Options);

/// Returns the stem for \p Name: a stem, a file name, a path of a source or of
/// a cached entry. Errors: an entry that cannot be read.
llvm::Expected<std::string> parseStem(llvm::StringRef Name);

/// Returns the stems in a list of names, one a line; "-" is standard input.
/// Skips empty lines and lines that start with '#'.
llvm::Expected<std::vector<std::string>> readBlobList(llvm::StringRef Path);

/// Returns the first of \p Names that is nearest to \p Wanted, at less than
/// \p Distance; empty if there is none.
llvm::StringRef getNearest(llvm::ArrayRef<llvm::StringRef> Names,
                           llvm::StringRef Wanted, unsigned Distance);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_SELECTION_H
