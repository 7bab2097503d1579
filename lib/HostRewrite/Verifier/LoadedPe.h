//===- LoadedPe.h - a Windows file in memory --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the loader of Windows makes of a PE32+ file: its headers at the base,
// each section at its address. Addresses here count from the base. Sibling for
// ELF: LoadedImage.h.
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
  llvm::StringRef Name; ///< as the header has it: eight letters at most
  uint64_t Address, Size;
  uint64_t Offset, FileSize; ///< what of the file is mapped
  uint64_t RawEnd;           ///< of its contents in the file
  uint32_t Flags;
  uint32_t LineNumberCount;

  uint64_t end() const { return Address + Size; }
};

struct PeDirectory {
  uint64_t Address = 0, Size = 0;
};

/// Numbers of directories.
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
  /// Nothing, and why in \p F, when it has no shape. What can be read and is
  /// not as a loader wants it is only added to \p F.
  static std::optional<LoadedPe> read(llvm::StringRef Bytes, Findings &F);

  llvm::StringRef file() const { return File; }
  llvm::ArrayRef<PeSection> sections() const { return Sections; }
  uint64_t headerOffset() const { return HeaderOffset; }
  uint64_t optionalOffset() const { return HeaderOffset + 20; }
  uint64_t tableOffset() const { return TableOffset; }
  uint64_t tableEnd() const {
    return TableOffset + Sections.size() * SectionHeaderSize;
  }
  /// Numbers of the two headers, by their offsets in them.
  uint16_t header16(uint64_t Offset) const;
  uint32_t header32(uint64_t Offset) const;
  uint16_t optional16(uint64_t Offset) const;
  uint32_t optional32(uint64_t Offset) const;

  uint64_t base() const { return Base; }
  uint64_t imageSize() const { return optional32(56); }
  uint64_t headersSize() const { return optional32(60); }
  uint32_t checksum() const { return optional32(64); }
  bool isMovable() const { return !(header16(18) & 1); }
  /// After the contents of all sections.
  uint64_t contentsEnd() const;
  PeDirectory directory(size_t Index) const;

  /// What of the file is mapped from \p Address on.
  llvm::StringRef bytesFrom(uint64_t Address) const;
  /// The bytes at \p Address, if all are in the file and mapped.
  std::optional<llvm::StringRef> bytesAt(uint64_t Address, uint64_t Size) const;
  /// Where they are in the file.
  uint64_t offsetOf(llvm::StringRef Bytes) const {
    return uint64_t(Bytes.data() - File.data());
  }
  /// The one that has \p Address; null: none.
  const PeSection *sectionAt(uint64_t Address) const;
  /// Whether there is memory with \p Flags, zeros or bytes of the file.
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

/// The pointers that the loader corrects, in the order of the table; what is
/// wrong with it is added to \p F.
std::vector<uint64_t> readPeRelocations(const LoadedPe &Image, Findings &F);

/// What the loader reads besides: imports, exports, functions that it calls.
void checkPeTables(const LoadedPe &Image, Findings &F);

/// The sum that a header of \p File has to have at \p ChecksumAt.
uint32_t peChecksum(llvm::StringRef File, uint64_t ChecksumAt);

/// verifyHost() and compareHost() of Windows files.
void verifyPe(llvm::StringRef Bytes, Findings &F, VerifiedHost &Host);
void comparePe(llvm::StringRef Before, llvm::StringRef After, Findings &F);

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_LOADEDPE_H
