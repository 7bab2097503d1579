//===- StoreCleanup.cpp - removal of stale files in a cache ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file is judged separately, and a file that cannot be removed stays:
// other processes use the directory meanwhile.
//
//===----------------------------------------------------------------------===//
#include "StoreLayout.h"

#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/file.h>
#include <time.h>

using namespace kpack;
using namespace kpack::jit;

/// A temporary file of this age, in seconds, has lost its writer.
static constexpr uint64_t TemporaryLifetime = 24 * 3600;
static constexpr uint64_t QuarantineLifetime = 30 * 24 * 3600;
static constexpr uint64_t SourceLifetime = 30 * 24 * 3600;
static constexpr size_t MaxQuarantined = 64;

uint64_t jit::secondsNow() { return static_cast<uint64_t>(::time(nullptr)); }

std::vector<std::string> jit::namesIn(int Root, const std::string &Path) {
  std::vector<std::string> Names;
  UniqueFd Fd(::openat(Root, Path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR *Directory = Fd ? ::fdopendir(Fd.get()) : nullptr;
  if (!Directory)
    return Names;
  Fd.release(); // closed with the directory
  while (const dirent *Item = ::readdir(Directory))
    if (Item->d_name[0] != '.')
      Names.push_back(Item->d_name);
  ::closedir(Directory);
  return Names;
}

bool jit::isSameFile(int Root, const std::string &Path,
                     const struct stat &Info) {
  struct stat Named;
  return ::fstatat(Root, Path.c_str(), &Named, AT_SYMLINK_NOFOLLOW) == 0 &&
         Named.st_dev == Info.st_dev && Named.st_ino == Info.st_ino;
}

/// Returns true if \p Time is further from now than \p Lifetime, in either
/// direction: a time far in the future comes from a wrong clock.
static bool isOver(uint64_t Time, uint64_t Lifetime) {
  uint64_t Now = secondsNow();
  return (Time < Now ? Now - Time : Time - Now) > Lifetime;
}

static void removeTemporaries(int Root) {
  for (const std::string &Folder : namesIn(Root, ObjectsName)) {
    std::string In = std::string(ObjectsName) + "/" + Folder;
    for (const std::string &Name : namesIn(Root, In)) {
      std::string Path = In + "/" + Name;
      struct stat Info;
      if (Name.compare(0, 4, "tmp-") != 0 ||
          ::fstatat(Root, Path.c_str(), &Info, AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      if (isOver(static_cast<uint64_t>(Info.st_mtime), TemporaryLifetime))
        ::unlinkat(Root, Path.c_str(), 0);
    }
  }
}

/// Removes lock files that no process has locked. A process may already have
/// the file open: after it locks it, it compares it with the file that has the
/// name (CompileLock.cpp) and starts again. The same comparison here keeps us
/// from removing the lock file of that process.
static void removeLocks(int Root) {
  for (const std::string &Name : namesIn(Root, LocksName)) {
    std::string Path = std::string(LocksName) + "/" + Name;
    UniqueFd Lock(::openat(Root, Path.c_str(),
                           O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat Info;
    if (Lock && ::flock(Lock.get(), LOCK_EX | LOCK_NB) == 0 &&
        ::fstat(Lock.get(), &Info) == 0 && isSameFile(Root, Path, Info))
      ::unlinkat(Root, Path.c_str(), 0);
  }
}

/// Removes old quarantined files. Names are "<64 digits>-<seconds>-...", and
/// the same with ".txt" for the reason.
static void removeQuarantined(int Root) {
  std::multimap<uint64_t, std::string, std::greater<>> NewestFirst;
  std::set<std::string> Stems;
  for (const std::string &Name : namesIn(Root, QuarantineName))
    Stems.insert(Name.substr(0, Name.rfind(".txt")));
  for (const std::string &Stem : Stems) {
    size_t Dash = Stem.find('-');
    uint64_t Time = Dash == std::string::npos
                        ? 0
                        : std::strtoull(Stem.c_str() + Dash + 1, nullptr, 10);
    // A time in the future is not more recent than the present.
    NewestFirst.emplace(
        isOver(Time, QuarantineLifetime) ? 0 : std::min(Time, secondsNow()),
        Stem);
  }
  size_t Kept = 0;
  for (const auto &[Time, Stem] : NewestFirst) {
    std::string Path = std::string(QuarantineName) + "/" + Stem;
    if (Time && Kept++ < MaxQuarantined)
      continue;
    if (::unlinkat(Root, Path.c_str(), 0) != 0)
      ::unlinkat(Root, Path.c_str(), AT_REMOVEDIR);
    ::unlinkat(Root, (Path + ".txt").c_str(), 0);
  }
}

/// Removes sources that were written for debuggers, each in a separate folder;
/// they are written again on demand.
static void removeSources(int Root) {
  for (const std::string &Folder : namesIn(Root, SourcesName)) {
    std::string In = std::string(SourcesName) + "/" + Folder;
    struct stat Info;
    if (::fstatat(Root, In.c_str(), &Info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !isOver(static_cast<uint64_t>(Info.st_mtime), SourceLifetime))
      continue;
    for (const std::string &Name : namesIn(Root, In))
      ::unlinkat(Root, (In + "/" + Name).c_str(), 0);
    ::unlinkat(Root, In.c_str(), AT_REMOVEDIR);
  }
}

void jit::removeLeftovers(int Root) {
  removeSources(Root);
  removeTemporaries(Root);
  removeLocks(Root);
  removeQuarantined(Root);
}
