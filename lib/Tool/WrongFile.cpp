//===- WrongFile.cpp - errors that name the right command -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WrongFile.h. The first bytes distinguish most files. Linked ones are
// read, because fat and host-only binaries are for different commands.
//
//===----------------------------------------------------------------------===//
#include "Tool/WrongFile.h"
#include "Offload/HipSymbols.h"
#include "Tool/FolderWalk.h"
#include "Tool/HostBinary.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {
enum class FileKind {
  Other,
  Archive,
  DeviceCode,
  Reference,
  Linked, ///< one of the three below
  Fat,
  HostOnly,
  WithoutDeviceCode
};
} // namespace

static FileKind kindOfBinary(StringRef Path) {
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary)
    return consumeError(Binary.takeError()), FileKind::Other;
  if (any_of(Binary->Linked.Wrappers, [](const offload::Wrapper &W) {
        return W.Magic == offload::WrapperMagicFat;
      }))
    return FileKind::Fat;
  return Binary->Linked.Wrappers.empty() ? FileKind::WithoutDeviceCode
                                         : FileKind::HostOnly;
}

static FileKind kindOf(const std::string &Path) {
  std::error_code EC;
  std::string Magic = readMagic(Path, EC);
  if (EC || Magic.empty())
    return FileKind::Other;
  if (looksLikeArchive(Path, Magic))
    return FileKind::Archive;
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!File)
    return FileKind::Other;
  if (isReference((*File)->getBuffer()))
    return FileKind::Reference;
  if (offload::startsContainer((*File)->getBuffer()))
    return FileKind::DeviceCode;
  return looksLinked(Magic) ? FileKind::Linked : FileKind::Other;
}

static StringRef whyNoArchive(FileKind Kind) {
  switch (Kind) {
  case FileKind::Other:
  case FileKind::Archive:
  case FileKind::Linked:
    return "";
  case FileKind::DeviceCode:
    return "device code and no archive; 'kpack inspect' lists it";
  case FileKind::Reference:
    return "a reference to code in an archive, and no archive; give the "
           "archive, which 'kpack ref' names";
  case FileKind::Fat:
    return "a fat binary and no archive; 'kpack inspect' lists its device "
           "code, and 'kpack convert' puts it into archives";
  case FileKind::HostOnly:
    return "a host-only binary and no archive; give its archives, which "
           "'kpack ref' names";
  case FileKind::WithoutDeviceCode:
    return "a binary without device code, and no archive; give archives";
  }
  llvm_unreachable("all kinds of files have a text");
}

static StringRef whyNotConverted(FileKind Kind) {
  switch (Kind) {
  case FileKind::Archive:
    return "a kpack archive and no program or library; 'kpack merge' joins "
           "archives, and 'kpack extract' writes code objects to files";
  case FileKind::DeviceCode:
    return "device code with no program around it, which is opened by its "
           "name; 'kpack pack-tree --databases=pack' puts the code of such "
           "files in a tree into archives";
  case FileKind::Reference:
    return "a reference to code in an archive, which pack-tree has left of a "
           "code object; 'kpack unpack' gives that back";
  default:
    return "";
  }
}

static StringRef whyNotUnpacked(FileKind Kind) {
  switch (Kind) {
  case FileKind::Archive:
    return "a kpack archive and no binary; give the binary that it belongs "
           "to, or write its code objects to files by 'kpack extract'";
  case FileKind::DeviceCode:
    return "device code already, which is in no archive; give a host-only "
           "binary";
  default:
    return "";
  }
}

static Error refuse(const std::string &Path, StringRef Why) {
  return Why.empty() ? Error::success() : objectError(Path, Why);
}

Error tool::refuseNoArchive(const std::string &Path) {
  FileKind Kind = kindOf(Path);
  // Only this message depends on the kind of binary.
  if (Kind == FileKind::Linked)
    Kind = kindOfBinary(Path);
  return refuse(Path, whyNoArchive(Kind));
}

Error tool::refuseNoBinary(const std::string &Path, BinaryUse Use) {
  FileKind Kind = kindOf(Path);
  switch (Use) {
  case BinaryUse::Convert:
    return refuse(Path, whyNotConverted(Kind));
  case BinaryUse::Unpack:
    return refuse(Path, whyNotUnpacked(Kind));
  case BinaryUse::FindArchives:
    return refuse(Path, Kind == FileKind::DeviceCode ? whyNoArchive(Kind) : "");
  case BinaryUse::Tell:
    return refuse(Path, Kind == FileKind::Archive
                            ? "a kpack archive and no binary; 'kpack show' "
                              "and 'kpack list' look into it"
                            : "");
  }
  llvm_unreachable("all uses are known");
}
