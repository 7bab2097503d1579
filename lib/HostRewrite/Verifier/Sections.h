//===- Sections.h - what section headers say --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Section headers are for tools: strip, debuggers, ROCm's own. Where there are
// any they have to tell the same as what is mapped, since strip and objcopy
// write a file anew by them.
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

/// All but the first, which is none; empty when the file has no table, or one
/// that cannot be read, which \p F is told.
std::vector<Section> readSections(llvm::StringRef File, Findings &F);

/// Compares \p All with what is mapped. \p Table may be null.
void checkSections(const LoadedImage &Image, const DynamicTable *Table,
                   llvm::ArrayRef<Section> All, Findings &F);

/// Compares wrappers and marker with the sections that are named for them.
void checkHipSections(const LoadedImage &Image, llvm::ArrayRef<Section> All,
                      const VerifiedHost &Host, Findings &F);

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_SECTIONS_H
