//===- Sections.h - checks of section headers -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Section headers are for tools: strip, debuggers, those of ROCm. They have to
// match the mapped bytes, since strip and objcopy write a file by them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_SECTIONS_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_SECTIONS_H

#include "DynamicTable.h"
#include "HostRewrite/Verifier/Verifier.h"

namespace kpack::hostrewrite::verifier {

struct Section {
  llvm::StringRef Name;
  uint32_t Type;
  uint64_t Flags, Address, Offset, Size;
  uint32_t Link, Info;

  bool isMapped() const; ///< and not only reserved
  llvm::StringRef bytesOf(llvm::StringRef File) const;
};

/// Returns all sections but the first, which is a placeholder; none if the file
/// has no table, or one that cannot be read, which is added to \p F.
std::vector<Section> readSections(llvm::StringRef File, Findings &F);

/// Compares \p All with the mapped bytes. \p Table may be null.
void checkSections(const LoadedImage &Image, const DynamicTable *Table,
                   llvm::ArrayRef<Section> All, Findings &F);

/// Compares wrappers and marker with the sections named after them.
void checkHipSections(const LoadedImage &Image, llvm::ArrayRef<Section> All,
                      const VerifiedHost &Host, Findings &F);

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_SECTIONS_H
