//===- InputFiles.cpp - link inputs that have device code -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool of threads reads the objects, since a big static library has
// thousands. Only those that the kpack step uses are kept. Files that lld will
// refuse are skipped silently: its message is better.
//
//===----------------------------------------------------------------------===//
#include "InputFiles.h"

#include "Offload/CodeObjectHeader.h"
#include "ToolSupport/ElfFile.h"
#include "ToolSupport/Errors.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/xxhash.h"

#include <set>

using namespace llvm;
using namespace llvm::object;
using kpack::objectError;
using namespace kpack::offload;

namespace kpack::linker {

//===----------------------------------------------------------------------===//
// Finding files
//===----------------------------------------------------------------------===//

/// Returns \p Name in \p Directory, where a leading '=' is the sysroot.
static std::optional<std::string> findIn(StringRef Directory, const Twine &Name,
                                         const LinkOptions &Options) {
  SmallString<128> Path;
  if (Directory.consume_front("="))
    Path = Options.Sysroot;
  sys::path::append(Path, Directory, Name);
  if (!sys::fs::exists(Path))
    return std::nullopt;
  return Path.str().str();
}

/// Searches like lld: lib<name>.so before lib<name>.a of the same directory,
/// and ":name" literally.
static std::optional<std::string> findLibrary(const InputArgument &Argument,
                                              const LinkOptions &Options) {
  StringRef Name = Argument.Name;
  bool IsLiteral = Name.consume_front(":");
  for (const std::string &Directory : Options.LibraryPaths) {
    std::optional<std::string> Path;
    if (IsLiteral) {
      Path = findIn(Directory, Name, Options);
    } else {
      if (!Argument.StaticOnly)
        Path = findIn(Directory, "lib" + Name + ".so", Options);
      if (!Path)
        Path = findIn(Directory, "lib" + Name + ".a", Options);
    }
    if (Path)
      return Path;
  }
  return std::nullopt;
}

std::optional<std::string> findInput(const InputArgument &Argument,
                                     const LinkOptions &Options) {
  if (Argument.IsLibrary)
    return findLibrary(Argument, Options);
  return Argument.Name;
}

static bool hasWildcard(StringRef Pattern) {
  return Pattern.find_first_of("?*[") != StringRef::npos;
}

std::string remapPattern(StringRef Path) {
  if (!hasWildcard(Path) && !Path.contains('='))
    return Path.str();
  std::string Pattern;
  for (char C : Path) {
    // '=' would end the pattern; this is the smallest class that contains it.
    if (C == '=') {
      Pattern += "[<->]";
      continue;
    }
    if (StringRef("\\*?[]{}").contains(C))
      Pattern += '\\';
    Pattern += C;
  }
  return Pattern;
}

/// Applies the user's --remap-inputs to \p Path. As in lld, an exact name wins
/// over a pattern, and the last exact one over those before.
static std::string applyRemaps(StringRef Path, const LinkOptions &Options) {
  std::string FromGlob;
  for (StringRef Remap : reverse(Options.Remaps)) {
    auto [From, To] = Remap.split('=');
    if (From == Path)
      return To.str();
    if (!hasWildcard(From))
      continue;
    Expected<GlobPattern> Pattern = GlobPattern::create(From);
    if (!Pattern)
      consumeError(Pattern.takeError());
    else if (Pattern->match(Path))
      FromGlob = To;
  }
  return FromGlob.empty() ? Path.str() : FromGlob;
}

//===----------------------------------------------------------------------===//
// Reading files
//===----------------------------------------------------------------------===//

static bool isObject(file_magic Magic) {
  return Magic == file_magic::elf_relocatable || Magic == file_magic::bitcode;
}

/// True if the kpack step needs the object.
static bool matters(const LinkerInput &Input) {
  return Input.hasDeviceCode() || !Input.FatBinRefs.empty() ||
         !Input.HandleRefs.empty() || Input.HasAnonymousFatBin ||
         Input.NeedsLinkerWrapper || Input.NeedsRegistration || Input.Rewritten;
}

static Error damagedArchive(const InputFile &File, Error Cause) {
  return objectError(File.Path, toString(std::move(Cause)) +
                                    "; the archive is damaged, make it again");
}

/// Lists the objects of \p File; they are read later. Leaves errors of an
/// archive to lld, except those that crash it.
static Error listObjects(InputFile &File) {
  MemoryBufferRef Bytes(File.Buffer->getBuffer(), File.Path);
  file_magic Magic = identify_magic(Bytes.getBuffer());
  if (isObject(Magic)) {
    File.Objects.push_back({File.Path, Bytes, File.InLib, /*Offset=*/0, {}});
    return Error::success();
  }
  if (Magic != file_magic::archive)
    return Error::success();
  Expected<std::unique_ptr<Archive>> ArchiveOrErr = Archive::create(Bytes);
  if (!ArchiveOrErr) {
    consumeError(ArchiveOrErr.takeError());
    return Error::success();
  }
  File.Archive = std::move(*ArchiveOrErr);
  Error Failure = Error::success();
  for (const Archive::Child &Child : File.Archive->children(Failure)) {
    Expected<MemoryBufferRef> Member = Child.getMemoryBufferRef();
    if (!Member) {
      consumeError(Member.takeError());
      continue;
    }
    // In a truncated archive the last member extends past the end of the file,
    // and lld reads it there.
    if (!File.Archive->isThin() &&
        Member->getBufferEnd() > Bytes.getBufferEnd()) {
      consumeError(std::move(Failure));
      return damagedArchive(File,
                            createStringError(Member->getBufferIdentifier() +
                                              " goes on behind its end"));
    }
    if (isObject(identify_magic(Member->getBuffer())))
      File.Objects.push_back({/*Name=*/"",
                              *Member,
                              !File.WholeArchive,
                              Child.getChildOffset(),
                              {}});
  }
  consumeError(std::move(Failure));
  return Error::success();
}

static Error readObject(InputFile &File, InputObject &Object) {
  if (File.Archive)
    Object.Name =
        (File.Path + "(" +
         sys::path::filename(Object.Bytes.getBufferIdentifier()) + ")")
            .str();
  return offload::readLinkerInput(Object.Bytes, Object.Name)
      .moveInto(Object.Contents);
}

/// Reads the objects of all \p Files in parallel. Returns the first error in
/// command line order, whichever thread found one first.
static Error readObjects(ArrayRef<std::unique_ptr<InputFile>> Files,
                         unsigned Threads) {
  // A task reads several objects, since most are tiny.
  constexpr size_t ObjectsPerTask = 64;
  struct Task {
    InputFile *File;
    size_t Begin, End;
    Error Failure = Error::success();
  };
  std::vector<Task> Tasks;
  for (const std::unique_ptr<InputFile> &File : Files)
    for (size_t I = 0; I < File->Objects.size(); I += ObjectsPerTask)
      Tasks.push_back(
          {File.get(), I, std::min(I + ObjectsPerTask, File->Objects.size())});
  DefaultThreadPool Pool(hardware_concurrency(Threads));
  for (Task &T : Tasks)
    Pool.async([&T] {
      (void)!T.Failure;
      for (size_t I = T.Begin; I != T.End && !T.Failure; ++I)
        T.Failure = readObject(*T.File, T.File->Objects[I]);
    });
  Pool.wait();
  Error First = Error::success();
  for (Task &T : Tasks) {
    if (First)
      consumeError(std::move(T.Failure));
    else
      First = std::move(T.Failure);
  }
  return First;
}

//===----------------------------------------------------------------------===//
// Replacing files
//===----------------------------------------------------------------------===//

/// Returns the archive with its rewritten members. lld does not need its symbol
/// table.
static Expected<MemoryFile> rewriteArchive(const InputFile &File) {
  DenseMap<uint64_t, const MemoryBuffer *> Rewritten;
  for (const InputObject &Object : File.Objects)
    if (Object.Contents.Rewritten)
      Rewritten[Object.Offset] = Object.Contents.Rewritten.get();

  std::vector<NewArchiveMember> Members;
  Error Failure = Error::success();
  for (const Archive::Child &Child : File.Archive->children(Failure)) {
    Expected<MemoryBufferRef> Bytes = Child.getMemoryBufferRef();
    if (!Bytes)
      return damagedArchive(File, Bytes.takeError());
    StringRef Name = sys::path::filename(Bytes->getBufferIdentifier());
    const MemoryBuffer *New = Rewritten.lookup(Child.getChildOffset());
    NewArchiveMember Member(New ? MemoryBufferRef(New->getBuffer(), Name)
                                : MemoryBufferRef(Bytes->getBuffer(), Name));
    Member.MemberName = Name;
    Members.push_back(std::move(Member));
  }
  if (Failure)
    return damagedArchive(File, std::move(Failure));
  Expected<std::unique_ptr<MemoryBuffer>> Contents =
      writeArchiveToBuffer(Members, SymtabWritingMode::NoSymtab, Archive::K_GNU,
                           /*Deterministic=*/true, /*Thin=*/false);
  if (!Contents)
    return damagedArchive(File, Contents.takeError());
  return MemoryFile::create(File.Path, (*Contents)->getBuffer());
}

static Error replace(InputFile &File) {
  const InputObject *Rewritten = nullptr;
  for (const InputObject &Object : File.Objects)
    if (Object.Contents.Rewritten)
      Rewritten = &Object;
  if (!Rewritten)
    return Error::success();
  if (File.Archive)
    return rewriteArchive(File).moveInto(File.Replacement);
  return MemoryFile::create(File.Path,
                            Rewritten->Contents.Rewritten->getBuffer())
      .moveInto(File.Replacement);
}

//===----------------------------------------------------------------------===//
// InputFiles
//===----------------------------------------------------------------------===//

bool sameCode(const DevicePayload &A, const DevicePayload &B) {
  return A.Kind == B.Kind &&
         llvm::equal(A.Images, B.Images,
                     [](const DeviceImage &X, const DeviceImage &Y) {
                       return X.Target == Y.Target && X.Bytes == Y.Bytes;
                     });
}

static bool hasNoSymbols(StringRef Bytes) {
  Expected<ElfFile> Elf = ElfFile::create(Bytes);
  if (!Elf || !isCodeObject(Bytes))
    return consumeError(Elf.takeError()), false;
  Expected<ElfFile::Type::ShdrRange> Sections = Elf->sections();
  if (!Sections)
    return consumeError(Sections.takeError()), false;
  bool HasTable = false;
  for (const ElfFile::Type::Shdr &Section : *Sections) {
    HasTable |= Section.sh_type == ELF::SHT_DYNSYM;
    if ((Section.sh_flags & ELF::SHF_EXECINSTR) ||
        (Section.sh_type == ELF::SHT_DYNSYM &&
         Section.sh_size > sizeof(ElfFile::Type::Sym)))
      return false;
  }
  return HasTable;
}

bool isLinkOfNothing(const DevicePayload &Payload) {
  return Payload.Kind == PayloadKind::Image && !Payload.Images.empty() &&
         all_of(Payload.Images, [](const DeviceImage &Image) {
           return hasNoSymbols(Image.Bytes);
         });
}

/// Assigns a new token to device code whose token belongs to different device
/// code, so that the output shows which of the two is linked. Two objects that
/// are certainly linked keep it, which is an error (TokenMap::check()).
Error InputFiles::separateTokens(InputFile &File) {
  constexpr size_t MaxOwners = 64; // each is compared with each
  for (InputObject &Object : File.Objects)
    for (DevicePayload &Payload : Object.Contents.Payloads) {
      if (!Payload.Token || isLinkOfNothing(Payload))
        continue;
      std::vector<TokenOwner> &All = Owners[*Payload.Token];
      auto Same = find_if(
          All, [&](TokenOwner &O) { return sameCode(*O.Payload, Payload); });
      bool IsCertain = !Object.IsLazy &&
                       any_of(All, [](TokenOwner &O) { return !O.IsLazy; });
      uint64_t Token = *Payload.Token;
      if (Same != All.end())
        Token = *Same->Payload->Token;
      else if (!All.empty() && !IsCertain && All.size() < MaxOwners)
        Token = xxh3_64bits((Twine(Token) + "," + Twine(All.size())).str());
      // Nothing tells the wrappers of a merged object (ld -r) apart.
      bool IsOnly = count_if(Object.Contents.Payloads, [&](DevicePayload &P) {
                      return P.Token == Payload.Token;
                    }) == 1;
      if (Token != *Payload.Token && IsOnly)
        if (Expected<bool> Changed = changeToken(
                Object.Contents, Payload, Token, Object.Bytes, Object.Name);
            !Changed)
          return Changed.takeError();
      if (Same == All.end())
        All.push_back({&Payload, Object.IsLazy});
      else
        Same->IsLazy &= Object.IsLazy;
    }
  return Error::success();
}

/// Returns \p Path as the dependency file spells it.
static std::string withoutDots(StringRef Path) {
  SmallString<128> Plain(Path);
  sys::path::remove_dots(Plain, /*remove_dot_dot=*/false);
  return Plain.str().str();
}

Error InputFiles::read(std::vector<std::unique_ptr<InputFile>> New) {
  for (std::unique_ptr<InputFile> &File : New) {
    // The dependency file names the files after remapping.
    std::string Opened = applyRemaps(File->Path, Options);
    Seen.insert(withoutDots(Opened));
    ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
        Opened, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!Buffer)
      continue; // lld reports it.
    File->Buffer = std::move(*Buffer);
    if (Error E = listObjects(*File))
      return E;
    for (const InputObject &Object : File->Objects) {
      StringRef Bytes = Object.Bytes.getBuffer();
      if (!Machine && identify_magic(Bytes) == file_magic::elf_relocatable &&
          Bytes.size() >= sizeof(ELF::Elf64_Ehdr))
        Machine = support::endian::read16le(
            Bytes.data() + offsetof(ELF::Elf64_Ehdr, e_machine));
    }
  }
  if (Error E = readObjects(New, Options.Archives.Threads))
    return E;
  for (std::unique_ptr<InputFile> &File : New) {
    erase_if(File->Objects, [](const InputObject &Object) {
      return !matters(Object.Contents);
    });
    if (File->Objects.empty())
      continue;
    if (Error E = separateTokens(*File))
      return E;
    if (Error E = replace(*File))
      return E;
    Files.push_back(std::move(File));
  }
  return Error::success();
}

/// Returns other spellings of a path. The dependency file drops "." from paths,
/// while --remap-inputs= compares them as they are opened: in the current
/// directory, in one of -L, or beside a linker script.
std::vector<std::string> InputFiles::otherSpellings(StringRef Path) const {
  std::set<std::string> Spellings;
  auto Add = [&](StringRef Directory, StringRef Name) {
    SmallString<128> Candidate(Directory);
    sys::path::append(Candidate, Name);
    if (Candidate != Path && withoutDots(Candidate) == Path)
      Spellings.insert(Candidate.str().str());
  };
  Add(".", Path);
  for (const std::string &Directory : Options.LibraryPaths)
    Add(Directory, sys::path::filename(Path));
  for (const InputArgument &Argument : Options.Inputs)
    Add(sys::path::parent_path(Argument.Name), sys::path::filename(Path));
  return {Spellings.begin(), Spellings.end()};
}

Error InputFiles::addCommandLine() {
  std::vector<std::unique_ptr<InputFile>> New;
  StringMap<InputFile *> ByPath;
  for (const InputArgument &Argument : Options.Inputs) {
    std::optional<std::string> Path = findInput(Argument, Options);
    if (!Path)
      continue;
    InputFile *&File = ByPath[*Path];
    if (!File) {
      New.push_back(std::make_unique<InputFile>(*Path));
      File = New.back().get();
      File->InLib = Argument.InLib;
      Seen.insert(withoutDots(*Path));
    }
    // A file that is named twice gets the options that link more of it.
    File->WholeArchive |= Argument.WholeArchive;
    File->InLib &= Argument.InLib;
  }
  return read(std::move(New));
}

Expected<bool> InputFiles::addMissed(ArrayRef<std::string> Paths) {
  std::vector<std::unique_ptr<InputFile>> New;
  for (const std::string &Path : Paths)
    if (Seen.insert(withoutDots(Path)).second) {
      New.push_back(std::make_unique<InputFile>(Path));
      New.back()->OtherPaths = otherSpellings(Path);
    }
  size_t Known = Files.size();
  if (Error E = read(std::move(New)))
    return std::move(E);
  for (size_t I = Known; I != Files.size(); ++I)
    for (const InputObject &Object : Files[I]->Objects)
      if (Object.Contents.Rewritten || !Object.Contents.FatBinRefs.empty())
        return true;
  return false;
}

} // namespace kpack::linker
