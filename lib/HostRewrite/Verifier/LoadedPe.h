//===- LoadedPe.h - a Windows file as a loader maps it ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image of a PE32+ file as the Windows loader maps it: the headers at the
// base, each section at its address. Addresses are relative to the base.
// Sibling for ELF: LoadedImage.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_LOADEDPE_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_LOADEDPE_H

#include "Findings.h"
#include "HostRewrite/Verifier/Verifier.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace kpack::hostrewrite::verifier {

struct PeSection {
  llvm::StringRef Name; ///< the header's, at most eight letters
  uint64_t Address, Size;
  uint64_t Offset, FileSize; ///< the mapped part of the file
  uint64_t RawEnd;           ///< end of the contents in the file
  uint32_t Flags;
  uint32_t LineNumberCount;

  uint64_t end() const { return Address + Size; }
};

struct PeDirectory {
  uint64_t Address = 0, Size = 0;
};

/// Indices of directories.
enum : size_t {
  PeExports,
  PeImports,
  PeResources,
  PeExceptions,
  PeSignature,
  PeRelocations,
  PeDebug,
  PeArchitecture,
  PeGlobalPointer,
  PeTls,
  PeLoadConfig,
  PeBoundImports,
  PeDirectoryCount = 16
};

class LoadedPe {
public:
  static constexpr uint64_t SectionHeaderSize = 40;

  static bool startsOne(llvm::StringRef Bytes) {
    return Bytes.starts_with("MZ");
  }
  /// Returns nullopt, with the reason in \p F, if the file cannot be read.
  /// Otherwise adds violations of the loader's rules to \p F.
  static std::optional<LoadedPe> read(llvm::StringRef Bytes, Findings &F);

  llvm::StringRef file() const { return File; }
  llvm::ArrayRef<PeSection> sections() const { return Sections; }
  uint64_t headerOffset() const { return HeaderOffset; }
  uint64_t optionalOffset() const { return HeaderOffset + 20; }
  uint64_t tableOffset() const { return TableOffset; }
  uint64_t tableEnd() const {
    return TableOffset + Sections.size() * SectionHeaderSize;
  }
  /// Read fields of the two headers by their offset.
  uint16_t header16(uint64_t Offset) const;
  uint32_t header32(uint64_t Offset) const;
  uint16_t optional16(uint64_t Offset) const;
  uint32_t optional32(uint64_t Offset) const;

  uint64_t base() const { return Base; }
  uint64_t imageSize() const { return optional32(56); }
  uint64_t headersSize() const { return optional32(60); }
  uint32_t checksum() const { return optional32(64); }
  bool isMovable() const { return !(header16(18) & 1); }
  /// The end of the contents of all sections.
  uint64_t contentsEnd() const;
  PeDirectory directory(size_t Index) const;

  /// Returns the file bytes mapped from \p Address on.
  llvm::StringRef bytesFrom(uint64_t Address) const;
  /// Returns the bytes at \p Address, if all are in the file and mapped.
  std::optional<llvm::StringRef> bytesAt(uint64_t Address, uint64_t Size) const;
  /// Returns the offset of \p Bytes in the file.
  uint64_t offsetOf(llvm::StringRef Bytes) const {
    return uint64_t(Bytes.data() - File.data());
  }
  /// Returns the section with \p Address, or null.
  const PeSection *sectionAt(uint64_t Address) const;
  /// True if memory with \p Flags covers the range, from the file or zeros.
  bool isMapped(uint64_t Address, uint64_t Size, uint32_t Flags = 0) const;

private:
  bool readHeaders(Findings &F);
  void readSections(Findings &F);
  void checkHeaders(Findings &F) const;
  void checkSections(Findings &F) const;

  llvm::StringRef File;
  uint64_t HeaderOffset = 0, TableOffset = 0, Base = 0;
  std::vector<PeSection> Sections;
};

/// Returns the pointers that the loader relocates, in the order of the table,
/// and adds its problems to \p F.
std::vector<uint64_t> readPeRelocations(const LoadedPe &Image, Findings &F);

/// Checks the loader's other input: imports, exports, functions that it calls.
void checkPeTables(const LoadedPe &Image, Findings &F);

/// Returns the checksum for a header of \p File with its field at
/// \p ChecksumAt.
uint32_t peChecksum(llvm::StringRef File, uint64_t ChecksumAt);

/// Implement verifyHost() and compareHost() for Windows files.
void verifyPe(llvm::StringRef Bytes, Findings &F, VerifiedHost &Host);
void comparePe(llvm::StringRef Before, llvm::StringRef After, Findings &F);

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_LOADEDPE_H
