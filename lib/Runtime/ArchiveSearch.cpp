//===- ArchiveSearch.cpp - search for a binary's archives -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// open() warns of unreadable archives; the caller writes all other messages.
// The loader warns of each archive as it comes to it, the shim has one message
// for all of them.
//
//===----------------------------------------------------------------------===//
#include "Runtime/ArchiveSearch.h"

#include "Runtime/ArchivePaths.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::runtime;

bool runtime::hasTarget(const ArchiveReader &Reader, std::string_view Target) {
  const std::vector<std::string_view> &All = Reader.architectures();
  return std::find(All.begin(), All.end(), Target) != All.end();
}

ArchivePlace ArchiveSearch::place(std::string Path) {
  int Error = 0;
  CachedArchive *A = Archives.get(Path, &Error);
  // The directory before a ".." may be gone (a deleted binary), so remove it by
  // name.
  if (!A && Path.find("/../") != Path.npos)
    A = Archives.get(withoutParents(Path));
  return {std::move(Path), A, Error};
}

std::vector<ArchivePlace>
ArchiveSearch::places(const Marker &M, std::string_view BinaryPath,
                      const std::vector<std::string> &Targets, bool *IsCut) {
  std::vector<ArchivePlace> All;
  for (std::string &Path : archivePaths(M, BinaryPath, Env, Targets, IsCut))
    All.push_back(place(std::move(Path)));
  return All;
}

OpenArchive ArchiveSearch::open(CachedArchive &A, const std::string &KernelName,
                                const std::string &ArchiveId) {
  const ArchiveReader *Reader = A.reader();
  if (!Reader) {
    Messages.warnOnce(A.failure().message());
    return {nullptr, ""};
  }
  std::string_view Theirs = Reader->archiveId(KernelName);
  if (ArchiveId.empty() || Theirs.empty() || ArchiveId == Theirs)
    return {Reader, ""};
  return {Reader, "belongs to another build of this binary (archive_id '" +
                      std::string(Theirs) + "', the binary wants '" +
                      ArchiveId + "')"};
}
