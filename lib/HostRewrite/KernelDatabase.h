//===- KernelDatabase.h - files of kernels beside a library -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries of GEMM kernels keep them in files that they open by name, with
// indexes (.dat) beside them. Each name ends in the target of the file,
//
//   library/TensileLibrary_Type_HH_gfx90a.dat
//   library/TensileLibrary_Type_HH_gfx90a.co
//   library/Kernels.so-000-gfx90a-xnack+.hsaco
//
// or the file is in a folder named after it. This reader uses the names in an
// index only. Used by PackTree.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_KERNELDATABASE_H
#define KPACK_LIB_HOSTREWRITE_KERNELDATABASE_H

#include "HostRewrite/TreeWalk.h"
#include "Offload/FatBinary.h"
#include "Support/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

namespace kpack::hostrewrite {

/// The code objects of a file, at most one for a target.
struct DatabaseFile {
  MappedFile File;
  offload::OpenContainer Code;
};

/// Reads the file open as \p File, which messages call \p Path. Fails if it
/// holds something else, or more than an archive can hold for one key.
llvm::Expected<DatabaseFile> readDatabaseFile(int File,
                                              const std::string &Path);

/// Returns the indexes among \p Entries of the tree \p Root that no program
/// reads for a wanted target. Their names end in other targets, and either the
/// code beside them is left out too, or no index that stays in the folder
/// names them. Fails if an index was replaced after the walk.
llvm::Expected<std::set<std::string>>
unusedIndexes(const TreeRoot &Root, llvm::ArrayRef<TreeEntry> Entries,
              llvm::function_ref<bool(llvm::StringRef Target)> Wants);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_KERNELDATABASE_H
