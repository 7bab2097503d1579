//===- CodeFinder.cpp - archive entries for a wrapper ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// find() opens the archives in the order of the search path, but sorts the
// candidates by target first and by archive second: code for exactly this GPU
// in the last archive is better than generic code in the first. An archive of
// another build is left out even if it has the key, because the same index may
// stand for another TU's code there. Entries are checked before they become
// candidates, since the bundle's header will state their sizes.
//
// Directories are listed only if the targets are unknown (findAll) and for the
// message if no entry serves (explain). Their files are sorted by name, as a
// directory has no order. Sibling: lib/Runtime/Loader.cpp, which returns a code
// object at once and needs no header.
//
//===----------------------------------------------------------------------===//
#include "CodeFinder.h"

#include "Runtime/ArchivePaths.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cstring>
#include <dirent.h>

using namespace kpack;
using namespace kpack::hipshim;
using namespace kpack::runtime;

static bool isRepeated(const std::vector<LookedAt> &Files,
                       const std::string &Path) {
  return std::any_of(Files.begin(), Files.end(),
                     [&](const LookedAt &L) { return L.Path == Path; });
}

static std::string joined(const std::vector<std::string_view> &Items) {
  std::string Text;
  for (std::string_view Item : Items)
    Text.append(Text.empty() ? "" : ", ").append(Item);
  return Text.empty() ? "nothing" : Text;
}

/// Returns true if the archive exists and its code may run with this binary.
/// Adds the result to S.Files.
bool CodeFinder::open(const Wanted &W, const ArchivePlace &P, Search &S) {
  auto Found = [&](LookedAt::Kind Kind, std::string Finding) {
    S.Files.push_back({P.Path, Kind, std::move(Finding)});
    return Kind == LookedAt::Kind::Usable;
  };
  if (!P.Archive)
    return Found(LookedAt::Kind::Absent, "no such file");
  OpenArchive Opened = Archives.open(*P.Archive, W.M.KernelName, W.M.ArchiveId);
  if (!Opened.Reader)
    return Found(LookedAt::Kind::Unreadable,
                 "cannot be read: " + P.Archive->failure().message());
  if (Counted.insert(P.Archive).second) {
    ++Counts.Archives;
    Counts.Bytes += ArchiveHeaderSize + Opened.Reader->tocSize();
  }
  if (!Opened.Refusal.empty())
    return Found(LookedAt::Kind::OfAnotherBuild, std::move(Opened.Refusal));
  return Found(LookedAt::Kind::Usable,
               "has " + joined(Opened.Reader->architectures()));
}

void CodeFinder::offer(CachedArchive &A, const Wanted &W,
                       const std::string &Target, Search &S) {
  const ArchiveReader &Reader = *A.reader();
  if (!hasTarget(Reader, Target))
    return;
  const ArchiveEntry *Entry = Reader.find(W.key(), Target);
  if (!Entry)
    return;
  if (Status Bad = Reader.checkEntry(*Entry); !Bad.ok()) {
    Archives.Messages.warnOnce(Bad.message());
    S.Files.push_back(
        {Reader.path(), LookedAt::Kind::Unreadable, Bad.message()});
    return;
  }
  S.Candidates.push_back({&A, Entry, Target});
}

/// Returns the files that match \p Template, sorted by name.
static std::vector<std::string> matchingFiles(const PathTemplate &Template) {
  std::string Path = Template.whole();
  size_t Slash = Path.rfind('/');
  size_t Offset = Template.Text.find(ArchPlaceholder);
  if (Offset != Path.npos)
    Offset += Template.Folder.size();
  if (Offset == Path.npos || (Slash != Path.npos && Slash > Offset))
    return {Path}; // no placeholder, or one in a directory's name
  std::string Folder = Path.substr(0, Slash + 1); // npos + 1 is 0
  std::string Head = Path.substr(Folder.size(), Offset - Folder.size());
  std::string Tail = Path.substr(Offset + ArchPlaceholder.size());

  std::vector<std::string> Found;
  DIR *Entries = opendir(Folder.empty() ? "." : Folder.c_str());
  if (!Entries)
    return {Path};
  while (const dirent *E = readdir(Entries)) {
    std::string_view Name = E->d_name;
    if (Name.size() <= Head.size() + Tail.size() ||
        Name.substr(0, Head.size()) != Head ||
        Name.substr(Name.size() - Tail.size()) != Tail)
      continue;
    Name.remove_prefix(Head.size());
    Name.remove_suffix(Tail.size());
    if (!targetOfFileName(Name).empty())
      Found.push_back(Folder + E->d_name);
  }
  closedir(Entries);
  std::sort(Found.begin(), Found.end());
  return Found.empty() ? std::vector<std::string>{Path} : Found;
}

/// Returns the search path with its placeholders.
std::vector<PathTemplate> CodeFinder::templates(const Wanted &W) const {
  return archiveTemplates(W.M, W.BinaryPath, Archives.Env);
}

/// Returns the archive to install for a GPU with \p Targets. A program that was
/// built for a target with features has a separate path for it in \p Templates,
/// beside the one with the placeholder. Other paths without a placeholder are
/// for other GPUs.
static std::string findPreferred(const std::vector<PathTemplate> &Templates,
                                 const std::vector<std::string> &Targets,
                                 const std::string &Processor) {
  for (const PathTemplate &Template : Templates) {
    if (!Template.hasPlaceholder())
      continue;
    for (const std::string &Target : Targets) {
      std::string Path = Template.pathFor(targetFileName(Target));
      if (std::any_of(Templates.begin(), Templates.end(),
                      [&](const PathTemplate &T) { return T.whole() == Path; }))
        return Path;
    }
    return Template.pathFor(targetFileName(Processor));
  }
  return Templates.empty() ? "" : Templates.front().whole();
}

void CodeFinder::explain(const Wanted &W, const runtime::Device &D,
                         Search &S) const {
  std::string Processor = D.front().substr(0, D.front().find(':'));
  std::vector<PathTemplate> Templates = templates(W);
  S.Preferred = findPreferred(Templates, S.Targets, Processor);
  for (const PathTemplate &Template : Templates)
    for (const std::string &Path : matchingFiles(Template))
      if (Path != Template.whole() && !isRepeated(S.Files, Path))
        S.Others.push_back(Path);
}

Search CodeFinder::find(const Wanted &W, const runtime::Device &D) {
  Search S;
  S.Targets = targetsOf({D.begin(), D.end()});
  std::vector<CachedArchive *> Found;
  for (const ArchivePlace &P : Archives.places(W.M, W.BinaryPath, S.Targets))
    if (open(W, P, S) &&
        std::find(Found.begin(), Found.end(), P.Archive) == Found.end())
      Found.push_back(P.Archive);
  for (const std::string &Target : S.Targets)
    for (CachedArchive *A : Found)
      offer(*A, W, Target, S);
  if (S.Candidates.empty())
    explain(W, D, S);
  trace(W, S);
  return S;
}

Search CodeFinder::findAll(const Wanted &W) {
  Search S;
  for (const PathTemplate &Template : templates(W))
    for (const std::string &Path : matchingFiles(Template)) {
      if (isRepeated(S.Files, Path))
        continue;
      ArchivePlace P = Archives.place(Path);
      if (!open(W, P, S))
        continue;
      for (std::string_view Target : P.Archive->reader()->architectures())
        offer(*P.Archive, W, std::string(Target), S);
    }
  trace(W, S);
  return S;
}

/// Writes the steps of a search if debugging is on.
void CodeFinder::trace(const Wanted &W, const Search &S) const {
  for (const LookedAt &L : S.Files)
    Archives.Messages.debug([&] {
      return W.BinaryPath + ": " + W.key() + ": " + L.Path + ": " + L.Finding;
    });
}

bool CodeFinder::read(const Candidate &C, char *Buffer, uint64_t Size) {
  const ArchiveReader &Reader = *C.Archive->reader();
  uint64_t Needed = C.Entry->OriginalSize;
  if (Needed > Size)
    return false;
  uint64_t Stored = 0;
  Status Bad = Reader.readInto(*C.Entry, Buffer, Needed, &Stored);
  if (!Bad.ok()) {
    Archives.Messages.warnOnce(Bad.message());
    std::memset(Buffer, 0, Needed);
    return false;
  }
  ++Counts.CodeObjects;
  Archives.Messages.debug([&] {
    return std::string(C.Entry->Binary) + ": " + std::to_string(Needed) +
           " bytes for " + C.Target + " from " + Reader.path();
  });
  Counts.Bytes += Stored;
  return true;
}
