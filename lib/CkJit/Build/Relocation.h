//===- Relocation.h - movable paths of a library's sources ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps paths of a build to the form that the library stores: "{root}/..." for
// files that move with the library, absolute for those of the system (ROCm,
// /usr/include). Files below the project's folder (aiter's checkout) keep their
// relative path; others get separate folders. Also collects the files to copy.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_RELOCATION_H
#define KPACK_LIB_CKJIT_BUILD_RELOCATION_H

#include "BuildSettings.h"
#include "Records.h"

#include "CkJit/Seam/Seam.h"

#include <map>
#include <set>

namespace kpack::ckjit {

class Relocation {
public:
  /// \p Copies: all files except the system's are copied. Otherwise the library
  /// runs where it was built, and paths outside of the project stay absolute.
  /// \p Where must outlive this object.
  Relocation(const BuildSettings &Where, bool Copies)
      : Where(Where), Copies(Copies) {}

  /// Call it for all records before the first blob(): a folder inside another
  /// one is mapped by the outer one.
  void collect(const Record &R);

  BlobRecord blob(const Record &R);

  /// Files and folders of headers to copy, with their paths below the root.
  const std::map<std::string, std::string> &files() const { return Files; }
  std::map<std::string, std::string> headerFolders() const;

private:
  std::string real(const std::string &Path) const;
  bool staysAbsolute(const std::string &Path) const;
  /// Returns the path below the root; empty if it stays absolute.
  std::string below(const std::string &Path) const;
  std::string mapped(const std::string &Path) const;

  const BuildSettings &Where;
  bool Copies;
  std::set<std::string> Folders;              ///< to be copied
  std::map<std::string, std::string> Outside; ///< names of outermost folders
  std::map<std::string, std::string> Files;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_RELOCATION_H
