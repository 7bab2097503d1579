//===- State.h - saved inputs for linking a library again -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// <tmp-dir>/<library>/ck_jit_quick_rebuild.json holds the objects, flags and
// compiler for a second link without the build. Beside it are the objects made
// for the library, its records (ck_jit_manifest.json) and the symbols of each
// blob (index.json). Paths below the tmp folder begin with "{jit}/", so that
// the folder may be moved.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_STATE_H
#define KPACK_LIB_CKJIT_BUILD_STATE_H

#include "Records.h"

namespace kpack::ckjit {

inline constexpr llvm::StringLiteral StateFileName =
    "ck_jit_quick_rebuild.json";

struct LibraryState {
  std::string TmpDir;
  std::string OutSo;
  /// The words of the link without compiler, output and the manifest's object.
  std::vector<std::string> LinkWords;
  std::vector<std::string> Objects, ArchFlags; ///< of LinkWords, for readers
  std::string Directory;
  std::string Compiler;
  std::string Project, RealRocm; ///< of the build; may be empty

  /// Returns <tmp-dir>/libmha_fwd.
  std::string folder() const;
  std::string recordsFile() const { return folder() + "/ck_jit_manifest.json"; }
  std::string indexFile() const { return folder() + "/index.json"; }

  llvm::Error save() const;
  /// \p Folder is the present place of the file. Errors: not readable, not
  /// ours.
  static llvm::Expected<LibraryState> load(const std::string &Folder);
};

/// Returns the folders of \p TmpDir with a state, in order.
std::vector<std::string> libraryFolders(const std::string &TmpDir);

/// Stores the records of a library compactly; loading adapts them to a moved
/// folder.
llvm::Error saveRecords(const LibraryState &State,
                        llvm::ArrayRef<Record> Records);
llvm::Expected<std::vector<Record>> loadRecords(const LibraryState &State);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_STATE_H
