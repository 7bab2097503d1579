//===- Selection.cpp - kernels and targets to prebuild --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prebuilt kernel is found only if the program looks up the same key in the
// same place. Root, compiler and cache are therefore selected in libckjit's
// order: the environment (here after the command line), then the manifest, then
// the default.
//
// This needs neither a loaded library nor a GPU. The manifest of a library is a
// section that is read as bytes, so that no code of the library runs; the GPUs
// come from the kernel driver's files (ToolSupport/GpusOfMachine.h). The file
// name of a cached entry is no stem, but the entry holds the name of its blob.
//
//===----------------------------------------------------------------------===//
#include "Selection.h"

#include "CkJit/Runtime/Settings.h"
#include "CkJit/Seam/Seam.h"
#include "ToolSupport/CommandOptions.h"
#include "ToolSupport/ElfFile.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;
using kpack::toError;

/// Reads the manifest that 'ck-jit embed' has put into a library.
static Expected<BlobManifest> manifestOfLibrary(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return objectError(Path, Buffer.getError().message() +
                                 "; give a library of late kernels");
  Expected<ElfFile> File = ElfFile::create((*Buffer)->getBuffer());
  if (!File)
    return objectError(Path, toString(File.takeError()) +
                                 "; give a library of late kernels");
  Expected<ArrayRef<ElfFile::Type::Shdr>> Sections = File->sections();
  if (!Sections)
    return objectError(Path, Sections.takeError());
  for (const ElfFile::Type::Shdr &Section : *Sections) {
    Expected<StringRef> Name = File->getSectionName(Section);
    if (!Name)
      return objectError(Path, Name.takeError());
    if (*Name != ManifestSection)
      continue;
    Expected<ArrayRef<uint8_t>> Text = File->getSectionContents(Section);
    if (!Text)
      return objectError(Path, Text.takeError());
    Result<BlobManifest> Manifest =
        BlobManifest::parse(toStringRef(*Text).rtrim('\0').str(), Path.str());
    if (!Manifest)
      return toError(Manifest.status());
    return std::move(*Manifest);
  }
  return objectError(Path, "has no section " + ManifestSection +
                               "; write its manifest anew with 'ck-jit embed' "
                               "and link it, or name a --manifest");
}

static std::string folderOfFile(StringRef Path) {
  SmallString<256> Real;
  if (sys::fs::real_path(Path, Real))
    Real = Path;
  return sys::path::parent_path(Real).str();
}

/// Selects the root as getRoot() of the runtime does for a library. An
/// installed manifest file is in the root.
static std::string rootFor(const ManifestOptions &Options, const Settings &S,
                           const BlobManifest &Manifest) {
  std::string Root = !Options.Root.empty() ? Options.Root : S.Root;
  if (!Root.empty())
    return absolutePath(Root);
  bool IsLibrary = !Options.Library.empty();
  SmallString<256> Path(
      folderOfFile(IsLibrary ? Options.Library : Options.Manifest));
  if (Manifest.Root.empty() ? IsLibrary : true)
    sys::path::append(Path, Manifest.Root.empty() ? "ck_jit" : Manifest.Root);
  return sys::path::is_absolute(Manifest.Root) ? Manifest.Root
                                               : Path.str().str();
}

Expected<Source> ckjit::openSource(const ManifestOptions &Options) {
  Settings S = Settings::fromEnvironment();
  Source New;
  if (!Options.Library.empty()) {
    Expected<BlobManifest> Manifest = manifestOfLibrary(Options.Library);
    if (!Manifest)
      return Manifest.takeError();
    New.Manifest = std::move(*Manifest);
  } else if (!Options.Manifest.empty()) {
    Result<BlobManifest> Manifest = BlobManifest::read(Options.Manifest);
    if (!Manifest)
      return toError(Manifest.status());
    New.Manifest = std::move(*Manifest);
  }
  New.Context.Root = rootFor(Options, S, New.Manifest);
  New.Context.Compiler = !Options.Compiler.empty() ? Options.Compiler
                         : !S.Compiler.empty()     ? S.Compiler
                                                   : New.Manifest.Compiler;
  New.Context.LinkFlags =
      New.Manifest.LinkFlags.value_or(std::vector<std::string>());
  for (const std::string &Flag : Options.LinkFlags)
    New.Context.LinkFlags.push_back(Flag);
  New.CacheDir = !Options.CacheDir.empty() ? Options.CacheDir : S.CacheDir;
  New.IsCacheNamed = !New.CacheDir.empty();
  if (New.CacheDir.empty() && !S.CacheHome.empty())
    New.CacheDir = S.CacheHome + "/" +
                   (!S.Name.empty()              ? S.Name
                    : !New.Manifest.Name.empty() ? New.Manifest.Name
                                                 : "ck_jit");
  if (New.CacheDir.empty())
    return objectError("command line",
                       "no cache is named, and there is no home folder; give "
                       "--cache-dir");
  New.CacheDir = absolutePath(New.CacheDir);
  return std::move(New);
}

Expected<std::string> ckjit::parseStem(StringRef Name) {
  StringRef File = sys::path::filename(Name),
            Extension = sys::path::extension(File);
  if (Extension == ".entry") {
    ErrorOr<std::unique_ptr<MemoryBuffer>> Bytes = MemoryBuffer::getFile(Name);
    if (!Bytes)
      return objectError(Name, Bytes.getError().message() +
                                   "; name a cached entry that is there");
    Result<jit::DecodedEntry> Entry =
        jit::decodeEntry(std::string_view((*Bytes)->getBuffer()));
    if (!Entry)
      return objectError(Name, Entry.status().message());
    return Entry->Info.Name;
  }
  // Stems may contain dots; remove only extensions of sources and objects.
  static constexpr StringLiteral Extensions[] = {".cpp", ".cc", ".cxx", ".cu",
                                                 ".hip", ".so", ".o"};
  if (is_contained(Extensions, Extension))
    File = File.drop_back(Extension.size());
  return File.str();
}

Expected<std::vector<std::string>> ckjit::readBlobList(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFileOrSTDIN(Path, /*IsText=*/true);
  if (!File)
    return objectError(Path == "-" ? "standard input" : Path,
                       File.getError().message() +
                           "; name a readable file with a blob a line");
  SmallVector<StringRef> Lines;
  (*File)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<std::string> Stems;
  for (StringRef Line : Lines) {
    Line = Line.trim();
    if (Line.empty() || Line.front() == '#')
      continue;
    Expected<std::string> Stem = parseStem(Line);
    if (!Stem)
      return Stem.takeError();
    Stems.push_back(std::move(*Stem));
  }
  return std::move(Stems);
}

StringRef ckjit::getNearest(ArrayRef<StringRef> Names, StringRef Wanted,
                            unsigned Distance) {
  StringRef Nearest;
  for (StringRef Name : Names) {
    unsigned D = Wanted.edit_distance(Name, true, Distance);
    if (D < Distance) {
      Distance = D;
      Nearest = Name;
    }
  }
  return Nearest;
}
