//===- ArchivePaths.cpp - candidate paths of archives ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paths are concatenated, not resolved: the kernel resolves them when the file
// is opened, with the same result and without a system call for each directory.
//
//===----------------------------------------------------------------------===//
#include "Runtime/ArchivePaths.h"

#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unordered_set>

using namespace kpack;
using namespace kpack::runtime;

namespace {

/// A list of paths in order, without duplicates. Limited to MaxArchivePaths,
/// duplicates counted, so that a hostile marker cannot make a search long.
class PathList {
public:
  explicit PathList(const std::vector<std::string> &Targets)
      : Targets(Targets) {}

  /// Adds \p T with the placeholder expanded.
  void add(const PathTemplate &T) {
    if (!T.hasPlaceholder()) {
      append(T.whole());
      return;
    }
    for (const std::string &Target : Targets) {
      if (IsCut)
        return;
      // ld.kpack writes file names without colons; other tools write them with
      // colons.
      std::string Name = targetFileName(Target);
      append(T.pathFor(Name));
      if (Name != Target)
        append(T.pathFor(Target));
    }
  }

  /// True if paths were dropped at the limit.
  bool isCut() const { return IsCut; }
  std::vector<std::string> take() { return std::move(Paths); }

private:
  void append(std::string Path) {
    IsCut = Taken == MaxArchivePaths;
    if (IsCut)
      return;
    ++Taken;
    // The kernel would stop at a zero byte and open another file.
    if (Path.find('\0') != Path.npos)
      return;
    if (Known.insert(Path).second)
      Paths.push_back(std::move(Path));
  }

  const std::vector<std::string> &Targets;
  std::vector<std::string> Paths;
  std::unordered_set<std::string> Known;
  size_t Taken = 0;
  bool IsCut = false;
};

} // namespace

static bool isFolder(const std::string &Path) {
  struct stat Info;
  return stat(Path.c_str(), &Info) == 0 && S_ISDIR(Info.st_mode);
}

/// The part of \p Path after the last slash.
static std::string_view fileName(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1); // npos + 1 is 0
}

/// The part of \p Path up to and including the last slash; empty for the
/// current directory.
static std::string_view getFolder(std::string_view Path) {
  return Path.substr(0, Path.rfind('/') + 1);
}

/// Adds an entry of ROCM_KPACK_PATH or ROCM_KPACK_PATH_PREFIX: an archive, a
/// template, or a directory in which the marker's file names are searched.
static void addEntry(std::vector<PathTemplate> &List, const std::string &Entry,
                     const Marker &M) {
  if (!isFolder(Entry)) {
    List.push_back({"", Entry});
    return;
  }
  for (const std::string &Path : M.SearchPaths)
    List.push_back({Entry + "/", std::string(fileName(Path))});
}

std::vector<PathTemplate> runtime::archiveTemplates(const Marker &M,
                                                    std::string_view BinaryPath,
                                                    const Environment &Env) {
  std::vector<PathTemplate> List;
  const bool ReplacesAll = !Env.Paths.empty();
  for (const std::string &Entry : ReplacesAll ? Env.Paths : Env.PathPrefix)
    addEntry(List, Entry, M);
  if (ReplacesAll)
    return List;
  std::string Folder(getFolder(BinaryPath));
  for (const std::string &Path : M.SearchPaths)
    List.push_back({!Path.empty() && Path.front() == '/' ? "" : Folder, Path});
  return List;
}

std::vector<std::string>
runtime::archivePaths(const Marker &M, std::string_view BinaryPath,
                      const Environment &Env,
                      const std::vector<std::string> &Targets, bool *IsCut) {
  PathList List(Targets);
  for (const PathTemplate &T : archiveTemplates(M, BinaryPath, Env))
    List.add(T);
  if (IsCut)
    *IsCut = List.isCut();
  return List.take();
}

static bool isMissing(const std::string &Path) {
  struct stat Info;
  return stat(Path.c_str(), &Info) != 0 && errno == ENOENT;
}

std::string
runtime::adviceOnHiddenFolder(const std::vector<std::string> &Files) {
  for (const std::string &File : Files) {
    size_t Slash = File.rfind('/');
    if (Slash == File.npos)
      continue;
    std::string Folder = File.substr(0, Slash);
    std::string_view Name = fileName(Folder);
    std::string Around(getFolder(Folder));
    if (Name.size() > 1 && Name[0] == '.' && Name != ".." &&
        isMissing(Folder) && (Around.empty() || isFolder(Around)))
      return "the folder " + withoutParents(Folder) +
             " is missing: its name begins with a dot, so copying '*' leaves "
             "it out";
  }
  return "";
}

std::string runtime::withoutParents(std::string_view Path) {
  bool IsAbsolute = !Path.empty() && Path.front() == '/';
  std::vector<std::string_view> Kept;
  while (!Path.empty()) {
    size_t Slash = Path.find('/');
    std::string_view Name = Path.substr(0, Slash);
    Path.remove_prefix(Slash == Path.npos ? Path.size() : Slash + 1);
    if (Name.empty() || Name == ".")
      continue;
    if (Name != "..")
      Kept.push_back(Name);
    else if (!Kept.empty() && Kept.back() != "..")
      Kept.pop_back();
    else if (!IsAbsolute) // nothing is above the root
      Kept.push_back(Name);
  }
  std::string Result;
  for (std::string_view Name : Kept)
    Result.append(Result.empty() && !IsAbsolute ? "" : "/").append(Name);
  return Result;
}

std::vector<std::string>
runtime::targetsOf(const std::vector<std::string_view> &DeviceNames) {
  std::vector<std::string> Targets;
  auto Append = [&](std::vector<std::string> More) {
    for (std::string &T : More)
      if (std::find(Targets.begin(), Targets.end(), T) == Targets.end())
        Targets.push_back(std::move(T));
  };
  for (std::string_view Name : DeviceNames)
    Append(exactCandidates(stripTargetTriple(Name)));
  for (std::string_view Name : DeviceNames)
    Append(genericCandidates(stripTargetTriple(Name)));
  return Targets;
}
