//===- HostBinary.cpp - a binary and its archives -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps are the loader's: wrappers and marker section, the marker's map,
// search paths, files. A marker that cannot be decoded becomes a message and is
// no error, so that a tool can still show the rest of the binary.
//
// A loader replaces @GFXARCH@ by the targets of its GPU. Here all targets count
// (Outputs/SearchPath.h). The loader's own expansion of paths is
// lib/Runtime/ArchivePaths.cpp.
//
//===----------------------------------------------------------------------===//
#include "Tool/HostBinary.h"
#include "HostRewrite/Verifier/Verifier.h"
#include "Offload/PeImage.h"
#include "ToolSupport/ElfFile.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <filesystem>
#include <tuple>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

std::string HostBinary::getKey(uint64_t Index) const {
  return IsReference ? Ref->KernelName
                     : Ref->KernelName + "#" + std::to_string(Index);
}

/// Returns the bytes of a Windows file from \p Address on.
static StringRef bytesOfPe(StringRef Bytes, StringRef Name, uint64_t Address) {
  Expected<offload::PeImage> Image = offload::PeImage::read(Bytes, Name);
  if (!Image)
    return consumeError(Image.takeError()), StringRef();
  return Image->bytesFrom(Address - Image->Optional.ImageBase);
}

StringRef HostBinary::bytesAt(uint64_t Address) const {
  StringRef Bytes = File->getBuffer();
  if (offload::PeImage::startsOne(Bytes))
    return bytesOfPe(Bytes, Path, Address);
  Expected<ElfFile> Elf = ElfFile::create(Bytes);
  if (!Elf)
    return consumeError(Elf.takeError()), StringRef();
  return Elf->bytesFrom(Address);
}

/// Resolves like the shipped loader: ".." after a symbolic link means the
/// parent of the link's target.
static std::string resolve(const std::string &Path) {
  std::error_code EC;
  std::filesystem::path Canonical = std::filesystem::weakly_canonical(Path, EC);
  return EC ? Path : Canonical.string();
}

/// Resolves \p Text up to the folder of the component with the placeholder, or
/// all of it if there is no placeholder.
static PathTemplate placeOf(StringRef Text, StringRef Directory) {
  bool IsAbsolute = Text.starts_with("/");
  size_t Offset = Text.find(StringRef(ArchPlaceholder));
  size_t Begin =
      Offset == StringRef::npos ? Text.size() : Text.rfind('/', Offset) + 1;
  StringRef Folder = Text.take_front(Begin), Rest = Text.drop_front(Begin);
  if (IsAbsolute)
    return {Folder.str(), Rest.str()};
  std::string Resolved = resolve((Directory + "/" + Folder).str());
  if (!Rest.empty() && !StringRef(Resolved).ends_with("/"))
    Resolved += '/';
  return {std::move(Resolved), Rest.str()};
}

SearchPath tool::resolveSearchPath(StringRef Text, StringRef Directory) {
  SearchPath Path;
  Path.Text = Text.str();
  Path.Place = placeOf(Text, Directory);
  std::error_code EC;
  if (Path.Place.hasPlaceholder()) {
    Path.Found = findForEveryTarget(Path.Place, EC);
  } else {
    bool IsFile = false;
    std::string File = Path.Place.whole();
    EC = sys::fs::is_regular_file(File, IsFile);
    if (IsFile)
      Path.Found.push_back({"", std::move(File)});
  }
  if (EC != std::errc::no_such_file_or_directory &&
      EC != std::errc::not_a_directory)
    Path.Unreachable = EC;
  return Path;
}

Error tool::forEachImageAt(const HostBinary &Binary, uint64_t Address,
                           function_ref<Error(offload::StreamedImage)> Use) {
  Expected<offload::Container> Found =
      offload::readContainer(Binary.bytesAt(Address), Binary.Path);
  if (!Found)
    return Found.takeError();
  return offload::forEachImage(*Found, Binary.Path, Use);
}

std::string tool::readMagic(StringRef Path, std::error_code &EC) {
  // Opening a pipe waits for a writer.
  sys::fs::file_status Status;
  EC = sys::fs::status(Path, Status);
  if (!EC && !sys::fs::is_regular_file(Status) &&
      !sys::fs::is_directory(Status))
    EC = std::make_error_code(std::errc::invalid_argument);
  if (EC)
    return "";
  ErrorOr<std::unique_ptr<MemoryBuffer>> Start =
      MemoryBuffer::getFileSlice(Path, /*MapSize=*/4, /*Offset=*/0);
  EC = Start.getError();
  return Start ? (*Start)->getBuffer().str() : std::string();
}

bool tool::looksLinked(StringRef Magic) {
  return Magic == ELF::ElfMagic || offload::PeImage::startsOne(Magic);
}

/// False also for a stripped linked 64-bit ELF file without section headers.
static bool hasSections(StringRef Bytes) {
  Expected<ElfFile> Elf = ElfFile::create(Bytes);
  if (!Elf)
    return consumeError(Elf.takeError()), true;
  return Elf->getHeader().e_shoff != 0 || Elf->getHeader().e_phnum == 0;
}

/// Reads the file as a loader does, without section headers.
static offload::LinkedBinary readWithoutSections(StringRef Bytes,
                                                 StringRef Path) {
  hostrewrite::VerifiedHost Host = hostrewrite::verifyHost(Bytes, Path);
  offload::LinkedBinary Linked;
  for (const hostrewrite::HostWrapper &W : Host.Wrappers)
    Linked.Wrappers.push_back(
        {W.FileOffset, W.Address, W.Magic, W.Version, W.Pointer, W.Reserved1});
  Linked.MarkerBytes = Host.MarkerBytes;
  Linked.MarkerAddress = Host.MarkerAddress;
  return Linked;
}

static HostBinary readMarker(Result<Marker> Ref, HostBinary Binary) {
  if (!Ref) {
    Binary.MarkerProblem = Ref.status().message();
    return Binary;
  }
  Binary.Ref = std::move(*Ref);

  // The loader uses the binary's name in /proc/self/maps.
  SmallString<256> Real;
  if (sys::fs::real_path(Binary.Path, Real))
    Real = Binary.Path;
  StringRef Directory = sys::path::parent_path(Real);
  for (const std::string &Text : Binary.Ref->SearchPaths)
    Binary.SearchPaths.push_back(resolveSearchPath(Text, Directory));
  return Binary;
}

Expected<HostBinary> tool::readHostBinary(StringRef Path) {
  HostBinary Binary;
  Binary.Path = Path.str();
  // A pipe may never end, and a device has no end.
  sys::fs::file_status Status;
  if (!sys::fs::status(Path, Status) && !sys::fs::is_regular_file(Status))
    return objectError(Path, "not a regular file; give the path of one");
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!File)
    return objectError(Path, File.getError().message() +
                                 "; give a file that can be read");
  Binary.File = std::move(*File);
  Binary.IsReference = isReference(Binary.File->getBuffer());
  if (Binary.IsReference)
    return readMarker(decodeReference(Binary.File->getBuffer()),
                      std::move(Binary));
  if (!hasSections(Binary.File->getBuffer()))
    Binary.Linked = readWithoutSections(Binary.File->getBuffer(), Path);
  else if (Error E =
               offload::readLinkedBinary(Binary.File->getMemBufferRef(), Path)
                   .moveInto(Binary.Linked))
    return std::move(E);
  if (Binary.Linked.MarkerBytes.empty())
    return Binary;

  // The loader has only a pointer and stops at the end of the map; tools that
  // read the section require that the map fills it.
  return readMarker(decodeMarker(Binary.Linked.MarkerBytes, /*Exact=*/true),
                    std::move(Binary));
}
