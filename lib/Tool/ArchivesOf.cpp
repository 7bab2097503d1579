//===- ArchivesOf.cpp - archives that an operand stands for ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Search paths of a program may lead to one file twice; it is listed once, at
// its first place. Sibling: HostBinary.h, which reads the program.
//
//===----------------------------------------------------------------------===//
#include "Tool/ArchivesOf.h"
#include "Tool/ArchiveEntries.h"
#include "Tool/WrongFile.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

bool ArchivePlace::isOfBinary(const ArchiveEntry &Entry) const {
  StringRef Name = Entry.Binary;
  uint64_t Index;
  splitBinaryKey(Entry.Binary, Name, Index);
  return KernelName.empty() || Name == KernelName;
}

/// Returns the reason why there are no archives.
static std::string whyWithoutArchives(const HostBinary &Binary) {
  if (!Binary.MarkerProblem.empty())
    return Binary.MarkerProblem;
  if (!Binary.Linked.Wrappers.empty())
    return "has its device code inside; 'kpack inspect' lists it, and 'kpack "
           "convert' puts it into archives";
  return "no program that ld.kpack has written; give archives, or programs "
         "that have some";
}

Expected<std::vector<ArchivePlace>>
tool::findArchives(const std::string &Path) {
  if (Error E = refuseNoBinary(Path, BinaryUse::FindArchives))
    return std::move(E);
  std::error_code EC;
  std::string Magic;
  if (sys::fs::is_regular_file(Path))
    Magic = readMagic(Path, EC);
  if (!looksLinked(Magic) && !mayBeReference(Magic))
    return std::vector<ArchivePlace>{{Path, ""}};
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary)
    return Binary.takeError();
  return findArchives(*Binary);
}

Expected<std::vector<ArchivePlace>>
tool::findArchives(const HostBinary &Binary) {
  if (!Binary.Ref)
    return objectError(Binary.Path, whyWithoutArchives(Binary));
  std::vector<ArchivePlace> Places;
  for (const SearchPath &Search : Binary.SearchPaths)
    for (const FoundArchive &File : Search.Found)
      if (none_of(Places,
                  [&](const ArchivePlace &P) { return P.Path == File.Path; }))
        Places.push_back({File.Path, Binary.Ref->KernelName});
  if (Places.empty())
    return objectError(Binary.Path,
                       "none of its archives is there; 'kpack ref' says "
                       "where they are to be");
  return Places;
}
