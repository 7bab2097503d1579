//===- KernelDatabase.h - device code in files of its own -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries of GEMM kernels keep them in files that they open by name, with
// indexes (.dat) beside them. All names end in the target that a file is for,
//
//   library/TensileLibrary_Type_HH_gfx90a.dat
//   library/TensileLibrary_Type_HH_gfx90a.co
//   library/Kernels.so-000-gfx90a-xnack+.hsaco
//
// or stand in a folder with its name. What is in an index beside names is none
// of our business. Users: PackTree.cpp.
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

/// Of the file open as \p File, which messages call \p Path. Errors: one that
/// holds something else, or more than an archive says of one key.
llvm::Expected<DatabaseFile> readDatabaseFile(int File,
                                              const std::string &Path);

/// Returns the indexes among \p Entries of the tree \p Root that are not read
/// for any of the wanted targets. Their names are those of other targets, and
/// either the code beside them is left out as well, or no index that stays in
/// the folder refers to them. Errors: an index that was replaced since the
/// walk.
llvm::Expected<std::set<std::string>>
unusedIndexes(const TreeRoot &Root, llvm::ArrayRef<TreeEntry> Entries,
              llvm::function_ref<bool(llvm::StringRef Target)> Wants);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_KERNELDATABASE_H
