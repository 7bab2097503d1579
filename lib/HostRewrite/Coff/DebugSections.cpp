//===- DebugSections.cpp - debug sections of Windows files ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DebugSections.h. Base relocations are discardable as well, but strip
// keeps them, since a directory refers to them.
//
//===----------------------------------------------------------------------===//
#include "DebugSections.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace llvm::COFF;

namespace kpack::hostrewrite {

using offload::PeImage;

static bool isForDebuggers(const PeImage &Image, const PeImage::Section &S) {
  StringRef Name = Image.sectionName(S);
  constexpr uint32_t Rights =
      IMAGE_SCN_MEM_DISCARDABLE | IMAGE_SCN_MEM_EXECUTE | IMAGE_SCN_MEM_WRITE;
  if (!Name.starts_with(".debug_") ||
      (S.Characteristics & Rights) != IMAGE_SCN_MEM_DISCARDABLE)
    return false;
  uint64_t End = uint64_t(S.VirtualAddress) + S.VirtualSize;
  for (size_t I = 0; I != Image.Directories.size(); ++I) {
    uint32_t Address = Image.directory(I).RelativeVirtualAddress;
    // A signature's directory has a file offset instead of an address.
    if (I != CERTIFICATE_TABLE && Address >= S.VirtualAddress && Address < End)
      return false;
  }
  return true;
}

size_t firstDebugSection(const PeImage &Image) {
  ArrayRef<PeImage::Section> All = Image.Sections;
  size_t First = All.size();
  while (First != 0 && isForDebuggers(Image, All[First - 1]))
    --First;
  // Linkers order headers by address; a file with another order is not changed.
  bool IsOrdered =
      is_sorted(All, [](const PeImage::Section &A, const PeImage::Section &B) {
        return A.VirtualAddress < B.VirtualAddress;
      });
  return IsOrdered ? First : All.size();
}

uint64_t debugContentsBegin(const PeImage &Image) {
  uint64_t HostEnd = 0, Begin = UINT64_MAX;
  size_t First = firstDebugSection(Image);
  for (const auto &[I, S] : enumerate(Image.Sections)) {
    uint64_t Offset = S.PointerToRawData;
    if (Offset == 0 || S.SizeOfRawData == 0)
      continue;
    if (I < First)
      HostEnd = std::max(HostEnd, Offset + S.SizeOfRawData);
    else
      Begin = std::min(Begin, Offset);
  }
  return HostEnd <= Begin ? Begin : UINT64_MAX;
}

} // namespace kpack::hostrewrite
