//===- SafePath.cpp - files safe from replacement -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SafePath.h. Folders are opened one below the other, and links are read
// here and not followed by the kernel, so each step is opened in the folder
// that was checked.
//
//===----------------------------------------------------------------------===//
#include "Support/SafePath.h"

#include "Support/Files.h"
#include "Support/Numbers.h"
#include "Support/SecureMode.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/magic.h>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

using namespace kpack;

static bool isSameFile(const struct stat &A, const struct stat &B) {
  return A.st_dev == B.st_dev && A.st_ino == B.st_ino;
}

namespace {

/// Users who may control the path, besides root.
struct Deciders {
  uid_t First, Second;

  bool have(uid_t User) const {
    return User == 0 || User == First || User == Second;
  }
};

/// True if \p File, opened as a place, is on a proc file system.
bool isOnProc(int File) {
  struct statfs Info;
  return ::fstatfs(File, &Info) == 0 && Info.f_type == PROC_SUPER_MAGIC;
}

/// True if the links in the folder \p Folder of /proc lead to open files of a
/// process. Links in the root, such as "self" and "mounts", are ordinary ones.
bool hasMagicLinks(int Folder) {
  constexpr ino_t ProcRoot = 1; // PROC_ROOT_INO of the kernel
  struct stat Info;
  return ::fstat(Folder, &Info) != 0 || Info.st_ino != ProcRoot;
}

/// True if \p Folder is this process's in /proc, or that of its descriptors.
bool isOfThisProcess(int Folder) {
  struct stat Info, Own;
  if (::fstat(Folder, &Info) != 0)
    return false;
  for (const char *Path : {"/proc/self", "/proc/self/fd", "/proc/thread-self",
                           "/proc/thread-self/fd"})
    if (::stat(Path, &Own) == 0 && isSameFile(Own, Info))
      return true;
  return false;
}

/// The way from the root to a file, one step at a time. Without deciders any
/// user may control it, but links of /proc to files of another process are
/// refused with EPERM: their targets and owners change with that process. The
/// kernel follows those of this process, also to unnamed files.
class Walk {
public:
  Walk(const std::string &Path, Deciders Who)
      : Who(Who), Here(openStep(AT_FDCWD, "/")), Rest(Path) {}
  /// Starts at the folder \p Start.
  Walk(UniqueFd Start, std::string Path)
      : Here(std::move(Start)), Rest(std::move(Path)) {}

  /// Opens the target as a place; returns none if other users can change it.
  UniqueFd toEnd() {
    while (Here && !Rest.empty())
      step(takeName());
    return std::move(Here);
  }

  /// True if a link of a user led to \p End, which that user does not own.
  bool wasLedTo(const struct stat &End) const {
    for (uid_t Owner : LinkOwners)
      if (Owner != End.st_uid && !isTrustedWithLinks(Owner))
        return true;
    return false;
  }

  /// Opens the target that toEnd() found with \p Flags. A socket of this
  /// process, which cannot be opened, is duplicated.
  UniqueFd reopen(int Flags, bool IsSocket) const {
    std::optional<int> Descriptor = parseNumber<int>(Name);
    if (IsSocket && IsMagic && Descriptor)
      return UniqueFd(::fcntl(*Descriptor, F_DUPFD_CLOEXEC, 0));
    return UniqueFd(::openat(Before.get(), Name.c_str(),
                             Flags | O_CLOEXEC | (IsMagic ? 0 : O_NOFOLLOW)));
  }

private:
  static UniqueFd openStep(int In, const std::string &Name) {
    return UniqueFd(
        ::openat(In, Name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }

  std::string takeName() {
    size_t End = std::min(Rest.find('/'), Rest.size());
    std::string Name = Rest.substr(0, End);
    Rest.erase(0, std::min(End + 1, Rest.size()));
    return Name;
  }

  void step(const std::string &Step) {
    struct stat Info;
    if (Step.empty() || Step == ".")
      return;
    UniqueFd Next;
    if (isSafeFolder())
      Next = openStep(Here.get(), Step);
    if (Next && ::fstat(Next.get(), &Info) != 0)
      Next = UniqueFd();
    if (Next && S_ISLNK(Info.st_mode))
      follow(Next.get(), Info, Step);
    else
      enter(std::move(Next), Step, /*ByMagic=*/false);
  }

  void enter(UniqueFd Next, const std::string &Step, bool ByMagic) {
    Before = std::move(Here);
    Here = std::move(Next);
    Name = Step;
    IsMagic = ByMagic;
  }

  void followMagic(const std::string &Step) {
    if (isOfThisProcess(Here.get()))
      return enter(
          UniqueFd(::openat(Here.get(), Step.c_str(), O_PATH | O_CLOEXEC)),
          Step, /*ByMagic=*/true);
    Here = UniqueFd();
    errno = EPERM;
  }

  /// The owner of a link can redirect it.
  void follow(int Link, const struct stat &Info, const std::string &Step) {
    if (!Who && isOnProc(Link) && hasMagicLinks(Here.get()))
      return followMagic(Step);
    char Target[PATH_MAX];
    ssize_t Size = ::readlinkat(Link, "", Target, sizeof(Target));
    if ((Who && !Who->have(Info.st_uid)) || Size <= 0 ||
        Size == sizeof(Target) || ++Links > MaxLinks) {
      Here = UniqueFd();
      errno = Size == sizeof(Target) ? ENAMETOOLONG : ELOOP;
      return;
    }
    LinkOwners.insert(Info.st_uid);
    Rest = std::string(Target, size_t(Size)) + "/" + Rest;
    if (Target[0] == '/')
      Here = openStep(AT_FDCWD, "/");
  }

  /// True if other users can neither write to this folder nor give themselves
  /// the right to, or can rename only their own files in it.
  bool isSafeFolder() const {
    if (!Who)
      return true;
    struct stat Info;
    // The group bits are the mask of all entries of an access control list.
    return ::fstat(Here.get(), &Info) == 0 && Who->have(Info.st_uid) &&
           (!(Info.st_mode & (S_IWGRP | S_IWOTH)) || (Info.st_mode & S_ISVTX));
  }

  static constexpr int MaxLinks = 40; // the kernel's limit
  const std::optional<Deciders> Who;
  std::set<uid_t> LinkOwners;
  UniqueFd Here;
  std::string Rest;
  /// The last step: its folder, and the name in it.
  UniqueFd Before;
  std::string Name;
  bool IsMagic = false; // a link of /proc
  int Links = 0;
};

} // namespace

/// True if \p Path leads to the file that \p Wanted describes, and no user
/// besides \p Who can change that.
static bool leadsSafelyTo(const struct stat &Wanted, const std::string &Path,
                          Deciders Who) {
  UniqueFd Found = Walk(Path, Who).toEnd();
  struct stat Info;
  return Found && ::fstat(Found.get(), &Info) == 0 && isSameFile(Info, Wanted);
}

/// Returns \p Path without links; does not support paths of descriptors.
static std::string realPath(const std::string &Path) {
  char *Real = Path.empty() ? nullptr : ::realpath(Path.c_str(), nullptr);
  std::string Found = Real ? Real : "";
  std::free(Real);
  return Found;
}

/// A relative path starts at the current folder.
static std::string absolutePath(const std::string &Path) {
  return !Path.empty() && Path[0] == '/' ? Path : realPath(".") + "/" + Path;
}

/// Returns the user that a user name space shows for all unmapped ones.
static uid_t overflowUser() {
  uid_t User = 65534;
  std::ifstream("/proc/sys/kernel/overflowuid") >> User;
  return User;
}

/// Returns the owner of the program. The process's user is not suitable: it may
/// be the one to protect against, if only group or capabilities exceed that
/// user's, or after the process has dropped its rights. Root if the owner is
/// unmapped, since many users look the same then.
static uid_t programOwner() {
  struct stat Info;
  bool IsKnown =
      ::stat("/proc/self/exe", &Info) == 0 && Info.st_uid != overflowUser();
  return IsKnown ? Info.st_uid : 0;
}

std::string kpack::makeSafePath(int File, const std::string &Path) {
  struct stat Wanted;
  std::string Real = realPath(Path);
  if (Real.empty() || ::fstat(File, &Wanted) != 0)
    return {};
  uid_t Owner = isSecureMode() ? programOwner() : 0;
  Deciders Who = isSecureMode() ? Deciders{Owner, Owner}
                                : Deciders{::geteuid(), Wanted.st_uid};
  return leadsSafelyTo(Wanted, Real, Who) ? Real : "";
}

bool kpack::isOwnPath(int File, const std::string &Path) {
  struct stat Wanted;
  Deciders Who{::geteuid(), ::geteuid()};
  return ::fstat(File, &Wanted) == 0 &&
         leadsSafelyTo(Wanted, absolutePath(Path), Who);
}

bool kpack::isOpenFileOfProcess(int Link) { return isOnProc(Link); }

/// True for the user that stands for all unmapped ones in a user name space,
/// including root, who may own the links /home and /proc/self. Elsewhere that
/// is an ordinary user.
static bool isUnknownUser(uid_t User) {
  std::ifstream Map("/proc/self/uid_map");
  uint64_t Inside = 0, Outside = 0, Count = 0;
  constexpr uint64_t AllUsers = 0xffffffff;
  return Map >> Inside >> Outside >> Count && Count != AllUsers &&
         User == overflowUser();
}

bool kpack::isTrustedWithLinks(uid_t User) {
  return User == 0 || User == ::geteuid() || isUnknownUser(User);
}

/// Returns a walk to \p Path. For paths below "/proc/self/fd/N/" it starts at
/// that open folder of this process.
static Walk walkTo(const std::string &Path) {
  constexpr int Flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  constexpr std::string_view Descriptors = "/proc/self/fd/";
  if (Path.compare(0, Descriptors.size(), Descriptors) == 0) {
    size_t End = std::min(Path.find('/', Descriptors.size()), Path.size());
    std::optional<int> Descriptor = parseNumber<int>(
        Path.substr(Descriptors.size(), End - Descriptors.size()));
    if (Descriptor && End != Path.size())
      return Walk(UniqueFd(::openat(*Descriptor, ".", Flags)),
                  Path.substr(End));
  }
  const char *Start = !Path.empty() && Path[0] == '/' ? "/" : ".";
  return Walk(UniqueFd(::open(Start, Flags)), Path);
}

UniqueFd kpack::openFolderToWrite(const std::string &Path) {
  if (::geteuid() != 0)
    return UniqueFd(::open(Path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Walk Way = walkTo(Path);
  UniqueFd Folder = Way.toEnd();
  struct stat Info;
  if (!Folder || ::fstat(Folder.get(), &Info) != 0)
    return UniqueFd();
  if (Way.wasLedTo(Info)) {
    errno = EPERM;
    return UniqueFd();
  }
  return Folder;
}

UniqueFd kpack::openFileToWrite(const std::string &Path, int Flags,
                                mode_t Mode) {
  size_t Name = Path.rfind('/') + 1; // npos + 1 is 0
  UniqueFd Folder = openFolderToWrite(Name ? Path.substr(0, Name) : ".");
  return Folder ? openToWrite(Folder.get(), Path.substr(Name), Flags, Mode)
                : UniqueFd();
}

static bool isFolder(const std::string &Path) {
  struct stat Info;
  return ::stat(Path.c_str(), &Info) == 0 && S_ISDIR(Info.st_mode);
}

bool kpack::makeFolders(const std::string &Path) {
  std::string Folder = Path.substr(0, Path.find_last_not_of('/') + 1);
  if (Folder.empty()) // the root, or the current one
    return true;
  if (isFolder(Folder))
    return bool(openFolderToWrite(Folder));
  size_t Name = Folder.rfind('/') + 1; // npos + 1 is 0
  std::string Around = Folder.substr(0, Name);
  if (!makeFolders(Around))
    return false;
  UniqueFd In = openFolderToWrite(Around.empty() ? "." : Around);
  if (In && ::mkdirat(In.get(), Folder.c_str() + Name, 0777) == 0)
    return true;
  if (!In || errno != EEXIST)
    return false;
  errno = ENOTDIR;
  return isFolder(Folder); // another process has just made it
}

static bool isWrittenInPlace(const struct stat &File) {
  return S_ISCHR(File.st_mode) || S_ISFIFO(File.st_mode) ||
         S_ISSOCK(File.st_mode);
}

Result<UniqueFd> kpack::openDeviceToWrite(const std::string &Path) {
  auto Refuse = [&Path](const std::string &Why) {
    return Status(StatusCode::IoError,
                  Path + ": cannot write: " + Why + "; choose another name");
  };
  Walk Way = walkTo(Path);
  UniqueFd Found = Way.toEnd();
  struct stat Info, Opened;
  if (!Found || ::fstat(Found.get(), &Info) != 0)
    return Refuse(errno == EPERM ? "an open file of another process"
                                 : std::strerror(errno));
  if (!isWrittenInPlace(Info))
    return Refuse("neither a file nor a pipe nor a character device");
  if (Way.wasLedTo(Info))
    return Refuse("a symbolic link of another user to what is not that user's");
  UniqueFd File = Way.reopen(O_WRONLY | O_NOCTTY, S_ISSOCK(Info.st_mode));
  if (!File)
    return Refuse(std::strerror(errno));
  if (::fstat(File.get(), &Opened) != 0 || !isSameFile(Opened, Info))
    return Refuse("it was replaced by something else meanwhile");
  return File;
}

bool kpack::removeFileAt(const std::string &Path) {
  size_t Name = Path.rfind('/') + 1; // npos + 1 is 0
  UniqueFd Folder = openFolderToWrite(Name == 0 ? "." : Path.substr(0, Name));
  return Folder && ::unlinkat(Folder.get(), Path.c_str() + Name, 0) == 0;
}

Status kpack::checkForSecureMode(int File, const std::string &Path) {
  if (!isSecureMode())
    return Status::success();
  uid_t Owner = programOwner();
  Deciders Who{Owner, Owner};
  struct stat Info;
  if (::fstat(File, &Info) == 0 && Who.have(Info.st_uid) &&
      !(Info.st_mode & (S_IWGRP | S_IWOTH)) &&
      leadsSafelyTo(Info, absolutePath(Path), Who))
    return Status::success();
  return Status(StatusCode::IoError,
                Path + ": others than root and the program's owner decide what "
                       "it is, and the program has more rights than its user; "
                       "give the file and all folders above it to one of these "
                       "two, and let nobody else write to them");
}

/// Appends the bits of \p Value as steps that lead nowhere: "./" and ".//".
/// The lowest bit comes first, so that names differ early; a load compares a
/// name with all others.
static void append(std::string &Path, uint64_t Value) {
  for (int Bit = 0; Bit != 64; ++Bit)
    Path += (Value >> Bit) & 1 ? ".//" : "./";
}

std::string kpack::descriptorPath(int File) {
  struct stat Info;
  if (::fstat(File, &Info) != 0)
    return {};
  std::string Path = "/proc/self/fd/";
  append(Path, Info.st_ino);
  append(Path, Info.st_dev);
  return Path + std::to_string(File);
}
