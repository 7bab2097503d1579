//===- Merge.cpp - kpack merge: several archives as one -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Merges archives, so that several binaries share one (RFC section 2a, phase
// 4). Each binary searches for the name in its marker, so --link puts a link to
// the shared archive at each of those names. Before writing, checks that no two
// archives contradict each other: a key has only one code object, and a kernel
// name the archive id of one build. Siblings: MergeDebug.cpp, Prune.cpp.
//
//===----------------------------------------------------------------------===//
#include "Archive/LimitedRead.h"
#include "Outputs/ArchiveOwner.h"
#include "Outputs/MadeFolders.h"
#include "Outputs/SearchPath.h"
#include "Support/HeldInterrupts.h"
#include "Support/SafePath.h"
#include "Tool/Command.h"
#include "Tool/Commands/ArchiveCopy.h"
#include "Tool/Commands/MergeDebug.h"
#include "Tool/Commands/WholeFile.h"
#include "Tool/WrongFile.h"
#include "ToolSupport/Errors.h"
#include "kpack/Support/OutputPlace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <map>
#include <set>
#include <unistd.h>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

namespace {

/// The first place of a key.
struct Origin {
  const ArchiveReader *Archive;
  const ArchiveEntry *Entry;
};

using Key = std::pair<std::string_view, std::string_view>;

} // namespace

static Expected<bool> isSameCode(const Origin &A, const Origin &B) {
  if (A.Entry->OriginalSize != B.Entry->OriginalSize)
    return false;
  // The hashes in both archives may be wrong, so compare the bytes.
  Result<Buffer> BytesOfA = readLimited(*A.Archive, *A.Entry);
  if (!BytesOfA)
    return toError(BytesOfA.status());
  Result<Buffer> BytesOfB = readLimited(*B.Archive, *B.Entry);
  if (!BytesOfB)
    return toError(BytesOfB.status());
  return BytesOfA->bytes() == BytesOfB->bytes();
}

/// Selects the entries of each archive that no earlier archive has.
static Error chooseEntries(MutableArrayRef<MergeInput> Inputs) {
  std::map<Key, Origin> Known;
  for (MergeInput &Input : Inputs)
    for (const ArchiveEntry &Entry : Input.Archive->entries()) {
      Origin Here{Input.Archive.get(), &Entry};
      auto [It, IsNew] = Known.try_emplace({Entry.Binary, Entry.Arch}, Here);
      if (IsNew) {
        Input.Chosen.push_back(&Entry);
        continue;
      }
      Expected<bool> Same = isSameCode(It->second, Here);
      if (!Same)
        return Same.takeError();
      if (!*Same)
        return objectError(
            Input.Archive->path(),
            Twine(Entry.describe()) + " is another code object than in " +
                It->second.Archive->path() +
                "; one of the two is of another build, or two binaries have "
                "one name: link one of them with another --kpack-name=");
    }
  return Error::success();
}

/// Checks that a kernel name has the archive id of one build in all archives.
static Error checkArchiveIds(ArrayRef<MergeInput> Inputs,
                             ArrayRef<MergeInput> Debug) {
  std::map<std::string, const MergeInput *> FirstWith;
  for (const MergeInput &Input : concat<const MergeInput>(Inputs, Debug))
    for (StringRef BinaryKey : Input.Archive->binaries()) {
      std::string Name = binaryOfKey(BinaryKey).str();
      std::string_view Id = Input.Archive->archiveId(Name);
      const MergeInput *First =
          FirstWith.try_emplace(Name, &Input).first->second;
      if (First->Archive->archiveId(Name) != Id)
        return objectError(Input.Archive->path(),
                           "is of another build of '" + Name + "' than " +
                               First->Archive->path() +
                               "; merge archives of one build");
    }
  return Error::success();
}

static Expected<std::vector<MergeInput>>
openInputs(ArrayRef<std::string> Paths) {
  std::vector<MergeInput> Inputs;
  for (const std::string &Path : Paths) {
    if (Error E = refuseNoArchive(Path))
      return std::move(E);
    Result<std::unique_ptr<const ArchiveReader>> Archive =
        ArchiveReader::open(Path);
    if (!Archive)
      return toError(Archive.status());
    Inputs.push_back({std::move(*Archive)});
  }
  return Inputs;
}

/// Returns the text that all archives agree on, or \p Otherwise.
static std::string commonText(ArrayRef<MergeInput> Inputs,
                              std::string_view (ArchiveReader::*Text)() const,
                              StringRef Otherwise) {
  std::set<std::string_view> Texts;
  for (const MergeInput &Input : Inputs)
    Texts.insert((Input.Archive.get()->*Text)());
  return Texts.size() == 1 ? std::string(*Texts.begin()) : Otherwise.str();
}

static ArchiveWriterOptions optionsFor(ArrayRef<MergeInput> Inputs,
                                       const InputArgList &Args,
                                       StringRef Output) {
  ArchiveWriterOptions Options;
  Options.GroupName =
      Args.getLastArgValue(OPT_group_name_EQ,
                           commonText(Inputs, &ArchiveReader::groupName,
                                      sys::path::stem(Output)))
          .str();
  Options.ArchFamily = commonText(Inputs, &ArchiveReader::archFamily, "");
  Options.IsShared = any_of(Inputs, [](const MergeInput &Input) {
    return Input.Archive->hasIdsByName();
  });
  bool IsPlain = all_of(Inputs, [](const MergeInput &Input) {
    return Input.Archive->scheme() == CompressionScheme::None;
  });
  if (IsPlain)
    Options.Scheme = CompressionScheme::None;
  for (const MergeInput &Input : Inputs)
    if (std::optional<Readers> Who = getReaders(*Input.Archive)) {
      if (Options.ReadBy)
        Options.ReadBy->limitTo(*Who);
      else
        Options.ReadBy = Who;
    }
  return Options;
}

/// Writes the archive \p Output under a temporary name.
static Expected<std::unique_ptr<ArchiveWriter>>
writeMerged(ArrayRef<MergeInput> Inputs, const InputArgList &Args,
            const std::string &Output) {
  Expected<std::unique_ptr<ArchiveWriter>> Writer =
      createArchive(Output, optionsFor(Inputs, Args, Output));
  if (!Writer)
    return Writer.takeError();
  for (const MergeInput &Input : Inputs) {
    for (std::string_view Arch : Input.Archive->architectures())
      (*Writer)->addArchitecture(Arch);
    if (Error E = copyEntries(*Input.Archive, Input.Chosen, **Writer))
      return std::move(E);
  }
  return std::move(*Writer);
}

/// Replaces \p Input by a relative link to \p Output, atomically. Keeps a path
/// that already leads to the output.
static Error replaceByLink(StringRef Input, StringRef Output) {
  if (sys::fs::equivalent(Input, Output))
    return Error::success();
  SmallString<256> Source(Input), RealOutput(Output), Target;
  std::error_code EC = sys::fs::make_absolute(Source);
  if (!EC)
    EC = sys::fs::real_path(Output, RealOutput);
  SmallString<256> Folder;
  if (!EC)
    EC = sys::fs::real_path(sys::path::parent_path(Source), Folder);
  // A tree that is moved as a whole keeps relative links.
  Target = RealOutput;
  if (sys::path::parent_path(RealOutput) == Folder)
    Target = sys::path::filename(RealOutput);
  // A process uses one such name at a time.
  std::string Name = sys::path::filename(Source).str();
  std::string Temporary = temporaryStem(Name) + "0";
  HeldInterrupts Held;
  UniqueFd In = openFolderToWrite(sys::path::parent_path(Source).str());
  auto Replace = [&] {
    if (::symlinkat(Target.c_str(), In.get(), Temporary.c_str()) != 0)
      return false;
    if (::renameat(In.get(), Temporary.c_str(), In.get(), Name.c_str()) == 0)
      return true;
    int Why = errno;
    ::unlinkat(In.get(), Temporary.c_str(), 0);
    errno = Why;
    return false;
  };
  if (!EC && (!In || !Replace()))
    EC = errnoAsErrorCode();
  if (EC)
    return objectError(Input, "cannot become a link: " + EC.message() +
                                  "; check the directory and its permissions");
  return Error::success();
}

static Error linkAll(ArrayRef<MergeInput> Inputs, StringRef Output) {
  std::set<Key> Merged;
  for (const MergeInput &Input : Inputs)
    for (const ArchiveEntry *Entry : Input.Chosen)
      Merged.insert({Entry->Binary, Entry->Arch});
  for (const MergeInput &Input : Inputs) {
    // Debug information for code in no input may belong to another archive.
    bool IsWhole =
        all_of(Input.Archive->entries(), [&](const ArchiveEntry &Entry) {
          return Merged.count({Entry.Binary, Entry.Arch});
        });
    if (!IsWhole)
      continue;
    if (Error E = replaceByLink(Input.Archive->path(), Output))
      return E;
  }
  return Error::success();
}

/// Writes the entries of \p Debug next to \p Code, which then names that
/// archive. Returns its path; empty if there are none.
static Expected<std::string> writeDebug(ArrayRef<MergeInput> Debug,
                                        const InputArgList &Args,
                                        ArchiveWriter &Code) {
  if (all_of(Debug, [](const MergeInput &D) { return D.Chosen.empty(); }))
    return std::string();
  std::string Path = debugArchivePath(Code.finalPath());
  MadeFolders Folders;
  if (Error E = Folders.makeFor(Path))
    return std::move(E);
  Expected<std::unique_ptr<ArchiveWriter>> Writer =
      writeMerged(Debug, Args, Path);
  if (!Writer)
    return Writer.takeError();
  (*Writer)->setDeviceDebug(DebugInItself);
  Code.setDeviceDebug(debugArchivePath(sys::path::filename(Code.finalPath())));
  // Commit the debug archive first: the shared archive names it.
  if (Error E = toError(Code.finish()))
    return std::move(E);
  if (Error E = toError((*Writer)->commit()))
    return std::move(E);
  return Path;
}

static void print(Session &S, ArrayRef<MergeInput> Inputs,
                  const ArchiveWriter &Writer, StringRef Output,
                  StringRef DebugPath) {
  uint64_t Before = 0, Entries = 0;
  for (const MergeInput &Input : Inputs) {
    Before += Input.Archive->fileSize();
    Entries += Input.Chosen.size();
  }
  S.out() << printable(Output) << ": " << counted(Entries, "code object")
          << " of " << counted(Inputs.size(), "archive") << ", " << Before
          << " bytes before, " << Writer.fileSize() << " now";
  if (!DebugPath.empty())
    S.out() << ", debug information in " << printable(DebugPath);
  S.out() << '\n';
}

static Error merge(Session &S, const InputArgList &Args,
                   ArrayRef<std::string> Paths, const std::string &Output) {
  Expected<std::vector<MergeInput>> Inputs = openInputs(Paths);
  if (!Inputs)
    return Inputs.takeError();
  Expected<bool> AreDebug = areDebug(*Inputs);
  if (!AreDebug)
    return AreDebug.takeError();
  Expected<std::vector<MergeInput>> Debug = openDebug(S, *Inputs);
  if (!Debug)
    return Debug.takeError();
  if (Error E = checkArchiveIds(*Inputs, *Debug))
    return E;
  if (Error E = chooseEntries(*Inputs))
    return E;
  MadeFolders Folders;
  if (Error E = Folders.makeFor(Output))
    return E;
  Expected<std::unique_ptr<ArchiveWriter>> Writer =
      writeMerged(*Inputs, Args, Output);
  if (!Writer)
    return Writer.takeError();
  if (*AreDebug)
    (*Writer)->setDeviceDebug(DebugInItself);
  Expected<std::string> DebugPath = writeDebug(*Debug, Args, **Writer);
  if (!DebugPath)
    return DebugPath.takeError();
  if (Error E = toError((*Writer)->commit()))
    return E;
  if (Args.hasArg(OPT_link)) {
    if (Error E = linkAll(*Inputs, Output))
      return E;
    if (!DebugPath->empty())
      if (Error E = linkAll(*Debug, *DebugPath))
        return E;
  }
  print(S, *Inputs, **Writer, Output, *DebugPath);
  return Error::success();
}

static void runMerge(Invocation &I) {
  std::vector<std::string> Paths = getInputs(I, "archive");
  if (Paths.empty())
    return;
  std::string Output = I.Args.getLastArgValue(OPT_output).str();
  if (Output.empty())
    return I.S.error("command line: no -o given; name the shared archive");
  I.S.error(merge(I.S, I.Args, Paths, Output));
}

const Command tool::MergeCommand = {
    {"merge", "<archive>...", "put the code objects of archives into one",
     "put the code objects of several archives into one\n\n"
     "Code objects that are equal are stored once. One key with two different "
     "code\nobjects is an error, and so are archives of two builds of one "
     "binary; nothing is\nwritten then. Debug information that the archives "
     "name is joined in the folder\n'debug' beside the output. A binary finds "
     "its archive by the name in its marker:\n--link leaves links to the "
     "shared archive at the names of the others.",
     "  $ kpack merge -o .kpack/suite_gfx1100.kpack .kpack/*_gfx1100.kpack\n"
     "  $ kpack merge --link -o .kpack/all.kpack .kpack/app.kpack "
     ".kpack/test.kpack\n",
     MergeOption},
    runMerge};
