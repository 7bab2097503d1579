//===- OutputPlace.cpp - real path and mode of an output ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A writer is alive if its process is, or if some process holds a lock on the
// file: the writer may be in a container that shares the folder, and not
// visible from here. OutputFile locks its files; files that lld writes have no
// lock, so two containers must not link the same output.
//
//===----------------------------------------------------------------------===//

#include "kpack/Support/OutputPlace.h"

#include "Support/Numbers.h"
#include "Support/SafePath.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;

namespace {

/// Returns the path up to the last slash, inclusive; empty for the current
/// folder.
std::string getFolder(const std::string &Path) {
  return Path.substr(0, Path.rfind('/') + 1); // npos + 1 is 0
}

/// The rule of fs.protected_symlinks, which the kernel applies to open() only.
bool mayFollow(const std::string &Path, const struct stat &Link) {
  std::string Folder = getFolder(Path);
  struct stat Info;
  if (::stat(Folder.empty() ? "." : Folder.c_str(), &Info) != 0)
    return false;
  bool IsShared = (Info.st_mode & S_ISVTX) && (Info.st_mode & S_IWOTH);
  return !IsShared || Link.st_uid == ::geteuid() || Link.st_uid == Info.st_uid;
}

/// True if the owner of \p Link could replace its target without this process:
/// the file, or its folder if there is no file, has the same owner.
bool hasOwner(const struct stat &Link, const std::string &Path) {
  struct stat Info;
  std::string Folder = getFolder(Path);
  return (::lstat(Path.c_str(), &Info) == 0 ||
          ::stat(Folder.empty() ? "." : Folder.c_str(), &Info) == 0) &&
         Info.st_uid == Link.st_uid;
}

/// Returns the process id in the temporary file name \p Name of \p Base, or 0.
pid_t findProcess(std::string_view Name, std::string_view Base) {
  constexpr std::string_view Mark = ".tmp";
  if (Name.substr(0, Base.size()) != Base)
    return 0;
  Name.remove_prefix(Base.size());
  if (Name.substr(0, Mark.size()) != Mark)
    return 0;
  Name.remove_prefix(Mark.size());

  constexpr std::string_view Digits = "0123456789";
  size_t Length = std::min(Name.find_first_not_of(Digits), Name.size());
  // The largest process id of Linux has seven digits.
  if (Length == 0 || Length > 7 || Name.substr(Length, 1) != "-")
    return 0;
  pid_t Process = parseNumber<pid_t>(Name.substr(0, Length)).value_or(0);
  Name.remove_prefix(Length + 1);
  size_t End = Name.find_first_not_of("0123456789abcdef");
  if (Name.empty() || End == 0 ||
      (End != std::string_view::npos && Name[End] != '.'))
    return 0;
  return Process;
}

/// Removes the file unless a process may be writing it.
void removeAbandoned(int Folder, const char *Name) {
  UniqueFd File(
      ::openat(Folder, Name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat Info;
  if (File && ::fstat(File.get(), &Info) == 0 && S_ISREG(Info.st_mode) &&
      Info.st_uid == ::geteuid() && ::flock(File.get(), LOCK_EX | LOCK_NB) == 0)
    ::unlinkat(Folder, Name, 0);
}

} // namespace

static Status cannotReplace(const std::string &Name, const char *Why) {
  return Status(StatusCode::IoError,
                Name + ": cannot replace: " + Why + "; choose another name");
}

static constexpr const char *LeadsElsewhere =
    "a symbolic link of another user to what is not that user's";

Result<OutputPlace> kpack::findOutputPlace(const std::string &Name) {
  auto Refuse = [&Name](const char *Why) { return cannotReplace(Name, Why); };
  OutputPlace Place;
  Place.Name = Place.Path = Name;
  struct stat Info;
  // Links of /proc lead to pipes and sockets without names.
  if (::stat(Name.c_str(), &Info) == 0 && !S_ISREG(Info.st_mode))
    return Refuse("not a regular file");
  constexpr int MaxLinks = 40; // as in the kernel
  for (int I = 0;; ++I) {
    UniqueFd Here(::open(Place.Path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!Here || ::fstat(Here.get(), &Info) != 0)
      return Place; // no file there yet
    if (!S_ISLNK(Info.st_mode)) {
      if (!S_ISREG(Info.st_mode))
        return Refuse("not a regular file");
      Place.Mode = Info.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
      return Place;
    }
    if (I == MaxLinks)
      return Refuse(std::strerror(ELOOP));
    // "/dev/stdout" of a redirection to a file: the shell opened that file,
    // perhaps to append.
    if (isOpenFileOfProcess(Here.get()))
      return Refuse("an open file of a process");
    if (!mayFollow(Place.Path, Info))
      return Refuse("a symbolic link of another user in a folder where all may "
                    "write");
    char Target[PATH_MAX];
    ssize_t Size = ::readlinkat(Here.get(), "", Target, sizeof(Target));
    if (Size <= 0 || Size == sizeof(Target))
      return Refuse("a symbolic link that cannot be read");
    std::string Next(Target, static_cast<size_t>(Size));
    Place.Path = Next.front() == '/' ? Next : getFolder(Place.Path) + Next;
    if (isTrustedWithLinks(Info.st_uid))
      continue;
    if (!hasOwner(Info, Place.Path))
      return Refuse(LeadsElsewhere);
    Place.LinkOwners.push_back(Info.st_uid);
  }
}

/// True if each of \p Users owns the file \p Name in \p Folder, or the folder
/// if there is no file.
static bool isOfAll(const std::vector<uid_t> &Users, int Folder,
                    const std::string &Name) {
  struct stat Info;
  bool IsKnown =
      ::fstatat(Folder, Name.c_str(), &Info, AT_SYMLINK_NOFOLLOW) == 0 ||
      ::fstat(Folder, &Info) == 0;
  return IsKnown && std::all_of(Users.begin(), Users.end(), [&](uid_t User) {
           return User == Info.st_uid;
         });
}

Result<HeldPlace> kpack::holdPlace(const OutputPlace &Place) {
  HeldPlace Held{Place.Path, {}};
  std::string Path = getFolder(Place.Path);
  std::string Name = Place.Path.substr(Path.size());
  if (Path.empty())
    Path = ".";
  UniqueFd Folder = openFolderToWrite(Path);
  if (!Folder && errno == EPERM)
    return Status(StatusCode::IoError,
                  Place.Name + ": cannot be written: its folder is behind a "
                               "symbolic link of another user or of a process; "
                               "name the folder that it leads to");
  // The link's target at the time of reading may be another user's now.
  if (!Place.LinkOwners.empty() &&
      (!Folder || !isOfAll(Place.LinkOwners, Folder.get(), Name)))
    return cannotReplace(Place.Name, LeadsElsewhere);
  // If the folder cannot be opened, the writer reports that.
  if (!Folder || isOwnPath(Folder.get(), Path))
    return Held;
  std::string Through = "/proc/self/fd/" + std::to_string(Folder.get()) + "/";
  if (::access(Through.c_str(), F_OK) != 0)
    return Held;
  Held.Path = Through + Name;
  Held.Folder = std::move(Folder);
  return Held;
}

std::string kpack::temporaryStem(const std::string &Path) {
  return Path + ".tmp" + std::to_string(::getpid()) + "-";
}

void kpack::removeLeftovers(const std::string &Path) {
  std::string Folder = getFolder(Path);
  std::string Base = Path.substr(Folder.size());
  DIR *Entries = ::opendir(Folder.empty() ? "." : Folder.c_str());
  if (!Entries)
    return;
  while (const dirent *Entry = ::readdir(Entries)) {
    pid_t Process = findProcess(Entry->d_name, Base);
    if (Process > 0 && ::kill(Process, 0) != 0 && errno == ESRCH)
      removeAbandoned(::dirfd(Entries), Entry->d_name);
  }
  ::closedir(Entries);
}
