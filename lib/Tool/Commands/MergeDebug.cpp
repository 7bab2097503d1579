//===- MergeDebug.cpp - debug information of merged archives --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code objects under one key are equal in all inputs, or there is no shared
// archive. So the debug information of any input fits, even if two compiles
// differ in names of folders: the first is used, without a comparison.
// Merge.cpp checks the archive ids of these archives too.
//
//===----------------------------------------------------------------------===//
#include "Tool/Commands/MergeDebug.h"

#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

using KeySet = std::set<std::pair<std::string_view, std::string_view>>;

static bool isDebug(const MergeInput &Input) {
  return Input.Archive->deviceDebug() == DebugInItself;
}

Expected<bool> tool::areDebug(ArrayRef<MergeInput> Inputs) {
  const MergeInput *Debug = find_if(Inputs, isDebug);
  const MergeInput *Code = find_if_not(Inputs, isDebug);
  if (Debug != Inputs.end() && Code != Inputs.end())
    return objectError(Debug->Archive->path(),
                       "is debug information, and " + Code->Archive->path() +
                           " is code; leave it out: archives bring their "
                           "debug information with them");
  return Debug != Inputs.end();
}

/// True if \p Path, which may be hostile, stays in its folder.
static bool isBelow(StringRef Path) {
  return !sys::path::has_root_path(Path) && !Path.contains('\0') &&
         !is_contained(make_range(sys::path::begin(Path), sys::path::end(Path)),
                       "..");
}

/// Returns the path of the debug information of \p Archive, relative to the
/// archive itself and not to a link to it.
static Expected<std::string> findDebugPath(const ArchiveReader &Archive) {
  SmallString<256> Path(Archive.path());
  if (sys::fs::is_symlink_file(Archive.path()))
    if (std::error_code EC = sys::fs::real_path(Archive.path(), Path))
      return objectError(Archive.path(),
                         EC.message() + "; give a file that can be read");
  sys::path::remove_filename(Path);
  sys::path::append(Path, StringRef(Archive.deviceDebug()));
  return Path.str().str();
}

/// Returns the entries of \p Debug for code objects of \p Code that no earlier
/// archive has, and adds them to \p Known.
static std::vector<const ArchiveEntry *> chooseDebug(const ArchiveReader &Debug,
                                                     const ArchiveReader &Code,
                                                     KeySet &Known) {
  std::vector<const ArchiveEntry *> Chosen;
  for (const ArchiveEntry &Entry : Debug.entries())
    if (Code.find(Entry.Binary, Entry.Arch) &&
        Known.insert({Entry.Binary, Entry.Arch}).second)
      Chosen.push_back(&Entry);
  return Chosen;
}

Expected<std::vector<MergeInput>> tool::openDebug(Session &S,
                                                  ArrayRef<MergeInput> Inputs) {
  std::vector<MergeInput> All;
  KeySet Known;
  for (const MergeInput &Input : Inputs) {
    const ArchiveReader &Code = *Input.Archive;
    StringRef Named = Code.deviceDebug();
    if (Named.empty() || isDebug(Input))
      continue;
    if (!isBelow(Named)) {
      S.note(Code.path() + ": its debug information is left out: '" + Named +
             "' is not below its folder");
      continue;
    }
    Expected<std::string> Path = findDebugPath(Code);
    if (!Path)
      return Path.takeError();
    if (!sys::fs::exists(*Path)) {
      S.note(Code.path() + ": its debug information is left out: '" + *Path +
             "' is not there");
      continue;
    }
    Result<std::unique_ptr<const ArchiveReader>> Debug =
        ArchiveReader::open(*Path);
    if (!Debug)
      return toError(Debug.status());
    auto Chosen = chooseDebug(**Debug, Code, Known);
    All.push_back({std::move(*Debug), std::move(Chosen)});
  }
  return All;
}
