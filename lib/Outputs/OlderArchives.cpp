//===- OlderArchives.cpp - archives of an earlier build -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An archive's content determines its owner, not its name. Unreadable files
// have no owner.
//
//===----------------------------------------------------------------------===//
#include "Outputs/OlderArchives.h"

#include "Outputs/ArchiveOwner.h"
#include "Outputs/SearchPath.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace llvm;

namespace kpack {

namespace {
enum class Belongs { ToOldBuild, ToNobodyHere, ToAnotherBuild };
} // namespace

/// Resolves the directory but not the last component: a link in a directory is
/// a separate entry, whatever its target.
static std::string placeOf(StringRef Path) {
  StringRef Folder = sys::path::parent_path(Path);
  SmallString<256> Place;
  if (sys::fs::real_path(Folder.empty() ? "." : Folder, Place))
    return Path.str();
  sys::path::append(Place, sys::path::filename(Path));
  return Place.str().str();
}

/// Returns the resolved paths of the old build's archives and their debug
/// information.
static std::set<std::string> getPlaces(const OlderBuild &Old) {
  std::set<std::string> Places;
  for (const std::string &Path : Old.Archives)
    Places.insert({placeOf(Path), placeOf(debugArchivePath(Path))});
  return Places;
}

static Belongs getOwner(const std::string &Path, const ReplacedBuild &Build,
                        const std::set<std::string> &OldPlaces) {
  if (OldPlaces.count(placeOf(Path)) &&
      hasOnly(Path, Build.KernelName, Build.Old.Id))
    return Belongs::ToOldBuild;
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(Path);
  if (!Archive)
    return Belongs::ToNobodyHere;
  auto IsOurs = [&](StringRef Key) {
    return binaryOfKey(Key) == Build.KernelName;
  };
  const std::vector<std::string_view> &Keys = (*Archive)->binaries();
  if (none_of(Keys, IsOurs))
    return Belongs::ToNobodyHere;
  return (*Archive)->archiveId(Build.KernelName) == Build.NewId
             ? Belongs::ToNobodyHere
             : Belongs::ToAnotherBuild;
}

static Error anotherBuild(const std::string &Path, StringRef KernelName) {
  return objectError(Path, "has code of another build of '" + KernelName +
                               "', which the new one would find and refuse; "
                               "remove it if no other binary needs it, or "
                               "write the new archives elsewhere "
                               "(--archive-dir=, --group-name=)");
}

Expected<std::vector<std::string>> olderArchives(const std::string &Path,
                                                 ArrayRef<std::string> Written,
                                                 const ReplacedBuild &Build,
                                                 bool FindsDebug) {
  std::vector<std::string> Older;
  std::string DebugPath = debugArchivePath(Path);
  std::set<std::string> OldPlaces = getPlaces(Build.Old);
  for (const std::string &Pattern : {Path, DebugPath}) {
    bool IsFound = Pattern == Path || FindsDebug;
    std::error_code Unreadable; // treated as empty
    for (const FoundArchive &File :
         findForEveryTarget(outputTemplate(Pattern), Unreadable)) {
      if (is_contained(Written, File.Path))
        continue;
      Belongs Whose = getOwner(File.Path, Build, OldPlaces);
      if (Whose == Belongs::ToAnotherBuild && IsFound)
        return anotherBuild(File.Path, Build.KernelName);
      if (Whose == Belongs::ToOldBuild)
        Older.push_back(File.Path);
    }
  }
  return Older;
}

} // namespace kpack
