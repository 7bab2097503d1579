//===- CodeFinder.cpp - what archives offer -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// find() opens the archives in the order of the search path, but it orders the
// candidates by target first and by archive second: code for exactly this GPU
// in the last archive is better than generic code in the first. An archive of
// another build is left out even though it has the key that is looked for,
// because the same index may stand for another TU's code there. An entry is
// checked before it is offered, since the bundle's header will state its size.
//
// Directories are listed only where the targets are not known (findAll) and for
// the message when nothing serves (explain). Their files are sorted by name, as
// a directory has no order of its own. The sibling that returns the code object
// at once, without a header before it, is lib/Runtime/Loader.cpp.
//
//===----------------------------------------------------------------------===//
#include "CodeFinder.h"

#include "kpack/Runtime/SearchPath.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cstring>
#include <dirent.h>

using namespace kpack;
using namespace kpack::hipshim;
using namespace kpack::runtime;

CodeFinder::CodeFinder(Environment E)
    : Env(std::move(E)), Messages(Env.Debug) {}

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

/// The archive if its code may run with this binary. What it turned out to be
/// is added to S.Files.
CachedArchive *CodeFinder::open(const Wanted &W, const std::string &Path,
                                Search &S) {
  CachedArchive *A = Archives.get(Path);
  // The folder before a ".." may be gone (a deleted binary): go by names.
  if (!A && Path.find("/../") != Path.npos)
    A = Archives.get(withoutParents(Path));
  if (!A) {
    S.Files.push_back({Path, LookedAt::Kind::Absent, "no such file"});
    return nullptr;
  }
  const ArchiveReader *Reader = A->reader();
  if (!Reader) {
    Messages.warnOnce(A->failure().message());
    S.Files.push_back({Path, LookedAt::Kind::Unreadable,
                       "cannot be read: " + A->failure().message()});
    return nullptr;
  }
  if (std::find(Counted.begin(), Counted.end(), A) == Counted.end()) {
    Counted.push_back(A);
    ++Counts.Archives;
    Counts.Bytes += ArchiveHeaderSize + Reader->tocSize();
  }
  std::string_view Id = Reader->archiveId(W.M.KernelName);
  if (!W.M.ArchiveId.empty() && !Id.empty() && W.M.ArchiveId != Id) {
    S.Files.push_back({Path, LookedAt::Kind::OfAnotherBuild,
                       "belongs to another build of this binary (archive_id '" +
                           std::string(Id) + "', the binary wants '" +
                           W.M.ArchiveId + "')"});
    return nullptr;
  }
  S.Files.push_back(
      {Path, LookedAt::Kind::Usable, "has " + joined(Reader->architectures())});
  return A;
}

void CodeFinder::offer(CachedArchive &A, const Wanted &W,
                       const std::string &Target, Search &S) {
  const ArchiveReader &Reader = *A.reader();
  const std::vector<std::string_view> &All = Reader.architectures();
  if (std::find(All.begin(), All.end(), Target) == All.end())
    return;
  const ArchiveEntry *Entry = Reader.find(W.key(), Target);
  if (!Entry)
    return;
  if (Status Bad = Reader.checkEntry(*Entry); !Bad.ok()) {
    Messages.warnOnce(Bad.message());
    S.Files.push_back(
        {Reader.path(), LookedAt::Kind::Unreadable, Bad.message()});
    return;
  }
  S.Candidates.push_back({&A, Entry, Target});
}

/// Files that a path with the placeholder may stand for, in order of names.
static std::vector<std::string> matchingFiles(const std::string &Path) {
  size_t At = Path.find(ArchPlaceholder);
  size_t Slash = Path.rfind('/');
  if (At == Path.npos || (Slash != Path.npos && Slash > At))
    return {Path}; // none, or in the name of a folder: taken as it is
  std::string Folder = Path.substr(0, Slash + 1); // npos + 1 is 0
  std::string Head = Path.substr(Folder.size(), At - Folder.size());
  std::string Tail = Path.substr(At + ArchPlaceholder.size());

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

void CodeFinder::explain(const Wanted &W, const runtime::Device &D,
                         Search &S) const {
  std::string Processor = D.front().substr(0, D.front().find(':'));
  std::vector<std::string> Paths =
      archivePaths(W.M, W.BinaryPath, Env, {Processor});
  S.Preferred = Paths.empty() ? "" : Paths.front();
  for (const std::string &Template :
       archivePaths(W.M, W.BinaryPath, Env, {std::string(ArchPlaceholder)}))
    for (const std::string &Path : matchingFiles(Template))
      if (Path != Template && !isRepeated(S.Files, Path))
        S.Others.push_back(Path);
}

Search CodeFinder::find(const Wanted &W, const runtime::Device &D) {
  Search S;
  S.Targets = targetsOf({D.begin(), D.end()});
  std::vector<CachedArchive *> Found;
  for (const std::string &Path :
       archivePaths(W.M, W.BinaryPath, Env, S.Targets))
    if (CachedArchive *A = open(W, Path, S))
      if (std::find(Found.begin(), Found.end(), A) == Found.end())
        Found.push_back(A);
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
  std::vector<std::string> Unexpanded = {std::string(ArchPlaceholder)};
  for (const std::string &Template :
       archivePaths(W.M, W.BinaryPath, Env, Unexpanded))
    for (const std::string &Path : matchingFiles(Template)) {
      if (isRepeated(S.Files, Path))
        continue;
      CachedArchive *A = open(W, Path, S);
      if (!A)
        continue;
      for (std::string_view Target : A->reader()->architectures())
        offer(*A, W, std::string(Target), S);
    }
  trace(W, S);
  return S;
}

/// The steps of a search, if they are asked for.
void CodeFinder::trace(const Wanted &W, const Search &S) const {
  for (const LookedAt &L : S.Files)
    Messages.debug([&] {
      return W.BinaryPath + ": " + W.key() + ": " + L.Path + ": " + L.Finding;
    });
}

bool CodeFinder::read(const Candidate &C, char *To, uint64_t Size) {
  const ArchiveReader &Reader = *C.Archive->reader();
  uint64_t Needed = C.Entry->OriginalSize;
  if (Needed > Size)
    return false;
  uint64_t Stored = 0;
  Status Bad = Reader.readInto(*C.Entry, To, Needed, &Stored);
  if (!Bad.ok()) {
    Messages.warnOnce(Bad.message());
    std::memset(To, 0, Needed);
    return false;
  }
  ++Counts.CodeObjects;
  Messages.debug([&] {
    return std::string(C.Entry->Binary) + ": " + std::to_string(Needed) +
           " bytes for " + C.Target + " from " + Reader.path();
  });
  Counts.Bytes += Stored;
  return true;
}
