//===- Relocation.h - where a tree will be ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paths of a build, as the library keeps them: "{root}/..." for what goes with
// the library, absolute for what belongs to the system (ROCm, /usr/include).
// What stands below the project's folder (aiter's checkout) keeps its place
// relative to it; anything else gets a folder of its own. Collects on the way
// what has to be copied.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_RELOCATION_H
#define KPACK_LIB_CKJIT_BUILD_RELOCATION_H

#include "Records.h"
#include "Settings.h"

#include "CkJit/Seam/Seam.h"

#include <map>
#include <set>

namespace kpack::ckjit {

class Relocation {
public:
  /// \p Copies: everything that is not the system's is copied. Otherwise the
  /// library is to run where it was built: what is outside of the project stays
  /// absolute. \p Where outlives this object.
  Relocation(const BuildSettings &Where, bool Copies)
      : Where(Where), Copies(Copies) {}

  /// To be called for all records before the first blob(): a folder within
  /// another one has to be known by the outer one.
  void collect(const Record &R);

  BlobRecord blob(const Record &R);

  /// What to copy, to a path below the root: files, and folders of headers.
  const std::map<std::string, std::string> &files() const { return Files; }
  std::map<std::string, std::string> headerFolders() const;

private:
  std::string real(const std::string &Path) const;
  bool staysAbsolute(const std::string &Path) const;
  /// Below the root; empty: it stays where it is.
  std::string below(const std::string &Path) const;
  std::string mapped(const std::string &Path) const;

  const BuildSettings &Where;
  bool Copies;
  std::set<std::string> Folders;              ///< to be copied
  std::map<std::string, std::string> Outside; ///< outermost folder to its name
  std::map<std::string, std::string> Files;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_RELOCATION_H
