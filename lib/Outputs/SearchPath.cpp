//===- SearchPath.cpp - path from a binary to its archive -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   archive /b/lib/app.kpack, output /b/bin/app    ../lib/app.kpack
//
// Directories may not exist yet, as the link creates those of the archives. The
// longest existing part of a path is resolved, and the rest is appended by
// name. The output's last component is resolved as well, because the link's
// target is the file that is replaced and where a loader will start; for the
// archive only the directory is, so that a link with the archive's name stays
// usable.
//
//   app-@GFXARCH@.kpack for gfx90a:xnack+ and gfx942 becomes
//   app-gfx90a-xnack+.kpack, app-@GFXARCH@.kpack
//
// To find the files of all targets, a directory is listed. The placeholder may
// also be part of a directory's name:
//
//   kernels/@GFXARCH@/app.kpack   lists kernels/, and searches app.kpack in
//                                 each entry that is named like a target
//
//===----------------------------------------------------------------------===//
#include "Outputs/SearchPath.h"

#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Support/OutputPlace.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <filesystem>
#include <tuple>

using namespace llvm;

namespace kpack {

/// Returns the absolute directory of \p File, with links resolved as far as it
/// exists.
static Expected<std::string> realDirectory(StringRef File) {
  SmallString<256> Path(File);
  if (std::error_code EC = sys::fs::make_absolute(Path))
    return objectError(File, EC.message() +
                                 "; run the linker in a directory that "
                                 "exists");
  StringRef Existing = sys::path::parent_path(Path);
  SmallString<256> Real;
  while (sys::fs::real_path(Existing, Real))
    Existing = sys::path::parent_path(Existing);
  StringRef Missing = sys::path::parent_path(Path).drop_front(Existing.size());
  sys::path::append(Real, Missing);
  sys::path::remove_dots(Real, /*remove_dot_dot=*/true);
  return Real.str().str();
}

Expected<std::string> relativeSearchPath(StringRef Archive, StringRef Output) {
  Expected<std::string> To = realDirectory(Archive);
  if (!To)
    return To.takeError();
  // A link at the output's path stays, and its target is replaced.
  Result<OutputPlace> Place = findOutputPlace(Output.str());
  Expected<std::string> From = realDirectory(Place ? Place->Path : Output);
  if (!From)
    return From.takeError();

  std::filesystem::path Relative =
      std::filesystem::path(*To).lexically_relative(*From);
  if (Relative == ".")
    Relative.clear();
  std::string Text = (Relative / sys::path::filename(Archive).str()).string();
  size_t Count = StringRef(Text).count(StringRef(ArchPlaceholder));
  if (Count > 1 || (Count == 0 && Archive.contains(StringRef(ArchPlaceholder))))
    return objectError(Archive, "the name of a folder has " +
                                    StringRef(ArchPlaceholder) +
                                    " in it, which stands for a target where "
                                    "archives are looked for; give another "
                                    "folder");
  return Text;
}

std::string debugArchivePath(StringRef Path) {
  SmallString<256> Debug(sys::path::parent_path(Path));
  sys::path::append(Debug, "debug", sys::path::filename(Path));
  return Debug.str().str();
}

std::vector<std::string> expandFeatureTargets(ArrayRef<std::string> Paths,
                                              ArrayRef<std::string> Targets) {
  std::vector<std::string> Expanded;
  for (const std::string &Path : Paths) {
    if (StringRef(Path).contains(ArchPlaceholder))
      for (StringRef Target : Targets)
        if (Target.contains(':'))
          Expanded.push_back(replaceArch(Path, targetFileName(Target)));
    Expanded.push_back(Path);
  }
  return Expanded;
}

PathTemplate outputTemplate(StringRef Path) {
  size_t At = Path.rfind(ArchPlaceholder);
  if (At == StringRef::npos)
    return {Path.str(), ""};
  At = Path.rfind('/', At) + 1; // npos + 1 is 0
  return {Path.take_front(At).str(), Path.drop_front(At).str()};
}

std::vector<FoundArchive> findForEveryTarget(const PathTemplate &Path,
                                             std::error_code &EC) {
  std::vector<FoundArchive> Found;
  auto [TextBefore, After] =
      StringRef(Path.Text).split(StringRef(ArchPlaceholder));
  std::string Leading = Path.Folder + TextBefore.str();
  StringRef Before = Leading;
  StringRef Directory = Before.take_front(Before.rfind('/') + 1);
  StringRef Stem = Before.drop_front(Directory.size());
  StringRef Ending = After.take_until([](char C) { return C == '/'; });
  StringRef Rest = After.drop_front(Ending.size());

  StringRef Listed = Directory.empty() ? "." : Directory;
  for (sys::fs::directory_iterator I(Listed, EC), End; !EC && I != End;
       I.increment(EC)) {
    StringRef Name = sys::path::filename(I->path());
    StringRef Spelled = Name;
    if (!Spelled.consume_front(Stem) || !Spelled.consume_back(Ending))
      continue;
    // With colons, or in the spelling of file names.
    std::string Target = targetOfFileName(Spelled);
    if (Target.empty())
      continue;
    std::string File = (Directory + Name + Rest).str();
    if (sys::fs::is_regular_file(File))
      Found.push_back({std::move(Target), std::move(File)});
  }
  sort(Found, [](const FoundArchive &A, const FoundArchive &B) {
    return std::tie(A.Arch, A.Path) < std::tie(B.Arch, B.Path);
  });
  return Found;
}

} // namespace kpack
