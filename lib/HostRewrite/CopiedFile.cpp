//===- CopiedFile.cpp - copies of files without device code ---------------===//
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
#include "Offload/HipSymbols.h"
#include "Offload/PeImage.h"
#include "Outputs/PendingFile.h"
#include "SparseFile.h"
#include "Support/Files.h"
#include "Support/MappedFile.h"
#include "TreeFolders.h"
#include "kpack/Support/UniqueFd.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Errno.h"

#include <climits>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace kpack::hostrewrite {

bool isHostFile(int File) {
  std::string Head(sizeof(ELF::Elf64_Ehdr), '\0');
  ssize_t Size = readAt(File, Head.data(), Head.size(), 0);
  Head.resize(size_t(std::max<ssize_t>(Size, 0)));
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

/// Files for Windows always have section names, so only the names count: a
/// library that handles HIP files may have their magic numbers in its data.
static bool hasHipSections(StringRef Bytes, StringRef Name) {
  Expected<offload::PeImage> Image = offload::PeImage::read(Bytes, Name);
  if (Image)
    return any_of(Image->Sections, [&](const offload::PeImage::Section &S) {
      return Image->isNamed(S, offload::FatBinSectionName) ||
             Image->isNamed(S, offload::WrapperSectionName);
    });
  consumeError(Image.takeError());
  // Damaged, or of another kind. The headers hold the first eight letters.
  constexpr size_t LargestHeaders = 0x10000;
  StringRef Headers = Bytes.take_front(LargestHeaders);
  return Headers.contains(offload::FatBinSectionName.take_front(8)) ||
         Headers.contains(offload::WrapperSectionName.take_front(8));
}

bool mayHaveDeviceCode(int File, const std::string &Path) {
  Result<MappedFile> Mapped = MappedFile::of(File, Path);
  if (!Mapped)
    return true;
  StringRef Bytes = Mapped->bytes();
  if (offload::PeImage::startsOne(Bytes))
    return hasHipSections(Bytes, Path);
  return any_of(ArrayRef<StringRef>{".hipFatBinSegment", ".hip_fatbin",
                                    "__CLANG_OFFLOAD_BUNDLE__", "CCOB"},
                [&](StringRef Sign) { return Bytes.contains(Sign); });
}

Error copyFile(int Source, StringRef Name, const std::string &Target) {
  // Private until copyAttributes() sets the other permissions.
  UniqueFd File(::open(Target.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                       S_IRUSR | S_IWUSR));
  std::error_code EC =
      File ? copyBytes(Source, File.get()) : errnoAsErrorCode();
  if (EC)
    return fileError(Name, "cannot be copied", EC);
  copyAttributes(Source, File.get());
  if (::close(File.release()) != 0)
    return systemError(Name, "cannot be copied");
  return Error::success();
}

Error copyLink(int Source, StringRef Name, const std::string &Path) {
  struct stat Info;
  char Target[PATH_MAX];
  ssize_t Size = ::fstat(Source, &Info) == 0
                     ? ::readlinkat(Source, "", Target, sizeof(Target) - 1)
                     : -1;
  if (Size >= 0)
    Target[Size] = '\0';
  if (Size < 0 || ::symlink(Target, Path.c_str()) != 0)
    return systemError(Name, "cannot be copied");
  if (::lchown(Path.c_str(), Info.st_uid, Info.st_gid) != 0)
    errno = 0; // ignored, as in copyAttributes()
  struct timespec Times[] = {Info.st_atim, Info.st_mtim};
  if (::utimensat(AT_FDCWD, Path.c_str(), Times, AT_SYMLINK_NOFOLLOW) != 0)
    errno = 0;
  return Error::success();
}

} // namespace kpack::hostrewrite
