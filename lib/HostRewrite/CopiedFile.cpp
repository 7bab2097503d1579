//===- CopiedFile.cpp - what stays what it is ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CopiedFile.h.
//
//===----------------------------------------------------------------------===//
#include "CopiedFile.h"

#include "FileAttributes.h"
#include "SparseFile.h"
#include "kpack/Offload/HipSymbols.h"
#include "kpack/Offload/PeImage.h"
#include "kpack/Outputs/PendingFile.h"
#include "kpack/Support/Files.h"
#include "kpack/Support/MappedFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

using namespace llvm;

namespace kpack::hostrewrite {

bool isHostFile(const std::string &Path) {
  std::string Head = contentOf(Path, sizeof(ELF::Elf64_Ehdr));
  if (offload::PeImage::startsOne(Head))
    return true;
  if (Head.size() < sizeof(ELF::Elf64_Ehdr) ||
      !StringRef(Head).starts_with(ELF::ElfMagic) ||
      Head[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Head[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return false;
  const char *AtType = Head.data() + offsetof(ELF::Elf64_Ehdr, e_type);
  const char *AtMachine = Head.data() + offsetof(ELF::Elf64_Ehdr, e_machine);
  uint16_t Type = support::endian::read16le(AtType);
  return (Type == ELF::ET_EXEC || Type == ELF::ET_DYN) &&
         support::endian::read16le(AtMachine) != ELF::EM_AMDGPU;
}

/// Windows files have the names of their sections always: one that is linked
/// for something else than HIP is not taken for more by what is in it.
static bool hasHipSections(StringRef Bytes, StringRef Name) {
  Expected<offload::PeImage> Image = offload::PeImage::read(Bytes, Name);
  if (Image)
    return any_of(Image->Sections, [&](const offload::PeImage::Section &S) {
      return Image->isNamed(S, offload::FatBinSectionName) ||
             Image->isNamed(S, offload::WrapperSectionName);
    });
  consumeError(Image.takeError());
  // Damaged, or of another kind: the first eight letters stand in the headers.
  constexpr size_t LargestHeaders = 0x10000;
  StringRef Headers = Bytes.take_front(LargestHeaders);
  return Headers.contains(offload::FatBinSectionName.take_front(8)) ||
         Headers.contains(offload::WrapperSectionName.take_front(8));
}

bool mayHaveDeviceCode(const std::string &Path) {
  Result<MappedFile> File = MappedFile::open(Path);
  if (!File)
    return true;
  StringRef Bytes = File->bytes();
  if (offload::PeImage::startsOne(Bytes))
    return hasHipSections(Bytes, Path);
  return any_of(ArrayRef<StringRef>{".hipFatBinSegment", ".hip_fatbin",
                                    "__CLANG_OFFLOAD_BUNDLE__", "CCOB"},
                [&](StringRef Sign) { return Bytes.contains(Sign); });
}

Error copyFile(const std::string &From, const std::string &To) {
  std::error_code EC;
  if (isSparse(From))
    EC = copySparse(From, To);
  else
    std::filesystem::copy_file(From, To, EC);
  if (EC)
    return fileError(From, "cannot be copied", EC);
  copyAttributes(From, To);
  return Error::success();
}

Error copyLink(const std::string &From, const std::string &To,
               const struct stat &Info) {
  std::error_code EC;
  std::filesystem::copy_symlink(From, To, EC);
  if (EC)
    return fileError(From, "cannot be copied", EC);
  if (::lchown(To.c_str(), Info.st_uid, Info.st_gid) != 0)
    errno = 0; // as copyAttributes() has it
  struct timespec Times[] = {Info.st_atim, Info.st_mtim};
  if (::utimensat(AT_FDCWD, To.c_str(), Times, AT_SYMLINK_NOFOLLOW) != 0)
    errno = 0;
  return Error::success();
}

} // namespace kpack::hostrewrite
