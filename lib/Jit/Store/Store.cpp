//===- Store.cpp - a directory of cache entries ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All paths are relative to the directory's descriptor, so that a directory
// that is renamed or replaced during use is never confused with another.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/Store.h"

#include "StoreLayout.h"

#include "Support/ErrorText.h"
#include "Support/FileSizeGuard.h"
#include "Support/Files.h"
#include "Support/Numbers.h"
#include "Support/SafePath.h"
#include "Support/SecureMode.h"
#include "kpack/Support/Buffer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr const char *Suffix = ".entry";
/// Seconds; the time of last use is updated at most this often.
constexpr uint64_t UseResolution = 3600;
/// Seconds between two prunes of a store by all processes together.
constexpr uint64_t PruneInterval = 300;

/// Returns true if the time of last use need not be updated. A time in the
/// future comes from a wrong clock.
bool isRecent(uint64_t Time) {
  uint64_t Now = secondsNow();
  return Time <= Now + UseResolution && Time + UseResolution >= Now;
}

std::string getFolder(const Digest &Id) {
  return std::string(ObjectsName) + "/" + toHex(Id).substr(0, 2);
}

Status ioError(const std::string &Path, const char *Action, int Error) {
  std::string Text =
      errorText(Error, Error == ENOENT ? "make it, and start the program again"
                                       : "check the directory's permissions");
  if (Error == ENOSPC || Error == EDQUOT || Error == EROFS)
    Text = std::string(std::strerror(Error)) +
           (Error == EROFS ? "; name a cache directory that can be written"
                           : "; free space there or name another cache "
                             "directory");
  return Status(StatusCode::IoError, Path + ": " + Action + ": " + Text);
}

Status unreadable(const std::string &Directory) {
  return Status(StatusCode::IoError,
                Directory +
                    ": cannot be read by this user; its owner opens it "
                    "with 'ck-jit prebuild build --mode=0755' or 'ck-jit "
                    "cache import --mode=0755'");
}

/// Returns the reason why a program with more rights than its user rejects
/// \p File, opened as \p Path, or empty. The effective user alone proves
/// nothing: it may be the one with fewer rights.
std::string whyNotSecure(int File, const std::string &Path) {
  Status Judged = checkForSecureMode(File, Path);
  return Judged.ok() ? "" : Judged.message().substr(Path.size() + 2);
}

/// Returns true if files of \p User are accepted in such a store.
bool isOwner(uid_t User, const StoreOptions &Options) {
  return User == ::geteuid() ||
         (Options.ReadOnly &&
          (User == 0 || std::count(Options.Owners.begin(), Options.Owners.end(),
                                   User) != 0));
}

/// Checks that \p Fd is a directory that only its owner may write to.
Status checkOwner(int Fd, const StoreOptions &Options) {
  struct stat Info;
  if (::fstat(Fd, &Info) != 0)
    return ioError(Options.Directory, "cannot be examined", errno);
  if (isSecureMode())
    return checkForSecureMode(Fd, Options.Directory);
  if (!isOwner(Info.st_uid, Options))
    return Status(StatusCode::InvalidArgument,
                  Options.Directory +
                      ": belongs to another user, who could put code there; "
                      "name a cache directory of your own");
  if (Info.st_mode & (S_IWGRP | S_IWOTH))
    return Status(StatusCode::InvalidArgument,
                  Options.Directory +
                      ": others may write to it, and so put code there; "
                      "chmod go-w it, or name another cache directory");
  return Status::success();
}

/// Keeps the setgid bit, which sets the group of new files.
bool setFolderMode(int Root, const std::string &Path, unsigned Mode) {
  struct stat Info;
  return ::fstatat(Root, Path.c_str(), &Info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(Info.st_mode) &&
         ::fchmodat(Root, Path.c_str(), Mode | (Info.st_mode & S_ISGID), 0) ==
             0;
}

/// Returns the mode of the folder of entries, without write bits for others.
unsigned modeOfObjects(int Root) {
  struct stat Info;
  return ::fstatat(Root, ObjectsName, &Info, AT_SYMLINK_NOFOLLOW) == 0
             ? Info.st_mode & 0755
             : 0700;
}

/// Creates all missing directories of \p Path, the last with mode 0700. On
/// failure errno is that of the first directory that could not be created.
bool makeDirectories(const std::string &Path) {
  int Why = 0;
  for (size_t Slash = Path.find('/', 1); Slash != std::string::npos;
       Slash = Path.find('/', Slash + 1))
    if (::mkdir(Path.substr(0, Slash).c_str(), 0755) != 0 && errno != EEXIST &&
        Why == 0)
      Why = errno;
  if (::mkdir(Path.c_str(), 0700) == 0 || errno == EEXIST)
    return true;
  if (errno == ENOENT && Why != 0)
    errno = Why;
  return false;
}

/// Returns a suffix that no other process or thread uses.
std::string uniqueSuffix() {
  static std::atomic<unsigned> Counter{0};
  timespec Time;
  ::clock_gettime(CLOCK_MONOTONIC, &Time);
  char Text[64];
  std::snprintf(Text, sizeof(Text), "-%ld-%u-%lx",
                static_cast<long>(::getpid()), Counter.fetch_add(1),
                static_cast<unsigned long>(Time.tv_nsec));
  return Text;
}

/// Creates a folder of entries. Also creates its parent, which vanishes if a
/// user empties the cache of a running program.
bool makeFolder(int Root, const std::string &Folder) {
  for (int Attempt = 0; Attempt != 2; ++Attempt) {
    if (::mkdirat(Root, Folder.c_str(), 0700) == 0) {
      unsigned Mode = modeOfObjects(Root);
      if (Mode != 0700) // some file systems have no permissions
        (void)setFolderMode(Root, Folder, Mode);
      return true;
    }
    if (errno == EEXIST)
      return true;
    if (errno != ENOENT ||
        (::mkdirat(Root, ObjectsName, 0700) != 0 && errno != EEXIST))
      return false;
  }
  return false;
}

std::string temporaryName(const Digest &Id) {
  return getFolder(Id) + "/tmp" + uniqueSuffix() + "-" +
         toHex(Id).substr(0, 16);
}

Status writeTo(int Fd, std::string_view Bytes, const std::string &Path) {
  if (!writeAll(Fd, Bytes))
    return ioError(Path, "cannot be written", errno);
  return Status::success();
}

/// Reads the whole regular file; returns an errno or 0.
int readAll(int Fd, Buffer &Out) {
  struct stat Info;
  if (::fstat(Fd, &Info) != 0)
    return errno;
  if (!S_ISREG(Info.st_mode))
    return EINVAL;
  if (!Out.resize(static_cast<size_t>(Info.st_size)))
    return ENOMEM;
  ssize_t Have = readAt(Fd, Out.data(), Out.size(), 0);
  if (Have < 0)
    return errno;
  // Fewer bytes if another process truncated the file meanwhile.
  return static_cast<size_t>(Have) == Out.size() ? 0 : EIO;
}

} // namespace

Result<std::unique_ptr<Store>> Store::open(StoreOptions Options) {
  if (Options.Directory.empty())
    return Status(StatusCode::InvalidArgument,
                  "the cache has no directory: none is named, and HOME is not "
                  "set; name one in full");
  if (Options.Directory[0] != '/')
    return Status(StatusCode::InvalidArgument,
                  "'" + Options.Directory +
                      "': not an absolute path; name the cache directory in "
                      "full");
  while (Options.Directory.size() > 1 && Options.Directory.back() == '/')
    Options.Directory.pop_back();
  if (!Options.ReadOnly && !makeDirectories(Options.Directory))
    return ioError(Options.Directory, "cannot be created", errno);
  UniqueFd Root(
      ::open(Options.Directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!Root && errno == EACCES && Options.ReadOnly)
    return unreadable(Options.Directory);
  if (!Root)
    return ioError(Options.Directory, "cannot be opened", errno);
  if (Status Checked = checkOwner(Root.get(), Options); !Checked.ok())
    return Checked;
  // Unreadable entries are not misses, and one message is enough.
  if (Options.ReadOnly &&
      ::faccessat(Root.get(), ObjectsName, R_OK | X_OK, AT_EACCESS) != 0 &&
      errno == EACCES)
    return unreadable(Options.Directory);
  if (!Options.ReadOnly)
    for (const char *Name : {ObjectsName, QuarantineName, PinsName, LocksName})
      if (::mkdirat(Root.get(), Name, 0700) != 0 && errno != EEXIST)
        return ioError(Options.Directory + "/" + Name, "cannot be created",
                       errno);
  return std::unique_ptr<Store>(new Store(std::move(Options), std::move(Root)));
}

Status Store::setMode(unsigned Mode) {
  if ((Mode & 0700) != 0700 || (Mode & ~0755u) != 0)
    return Status(StatusCode::InvalidArgument,
                  Options.Directory +
                      ": a cache is written to by its owner and nobody else; "
                      "give a mode such as 0755, 0750 or 0700");
  bool Done = setFolderMode(Root.get(), ".", Mode) &&
              setFolderMode(Root.get(), ObjectsName, Mode);
  for (const std::string &Folder : namesIn(Root.get(), ObjectsName))
    Done = setFolderMode(Root.get(), std::string(ObjectsName) + "/" + Folder,
                         Mode) &&
           Done;
  for (const StoreItem &Item : list())
    // ENOENT: the entry was evicted meanwhile.
    Done =
        (::fchmodat(Root.get(), pathOf(Item.Id).c_str(), Mode & 0666, 0) == 0 ||
         errno == ENOENT) &&
        Done;
  return Done ? Status::success()
              : ioError(Options.Directory, "cannot be given a mode", errno);
}

std::optional<uid_t> jit::userNamed(const std::string &Name) {
  if (std::optional<uid_t> Id = parseNumber<uid_t>(Name))
    return Id;
  passwd Entry, *Found = nullptr;
  char Text[4096];
  if (::getpwnam_r(Name.c_str(), &Entry, Text, sizeof(Text), &Found) == 0 &&
      Found)
    return Found->pw_uid;
  return std::nullopt;
}

std::string Store::pathOf(const Digest &Id) {
  return getFolder(Id) + "/" + toHex(Id) + Suffix;
}

/// Moves the damaged file open as \p File out of the way. No call compares and
/// renames atomically: a good entry may take the name between our check and our
/// rename. So we check the moved file again, and move it back if it is another.
bool Store::quarantine(const Digest &Id, int File,
                       const std::string &Reason) const {
  struct stat Bad;
  std::string Source = pathOf(Id);
  if (Options.ReadOnly || ::fstat(File, &Bad) != 0 ||
      !isSameFile(Root.get(), Source, Bad))
    return false;
  std::string Target = std::string(QuarantineName) + "/" + toHex(Id) + "-" +
                       std::to_string(secondsNow()) + uniqueSuffix();
  if (::renameat(Root.get(), Source.c_str(), Root.get(), Target.c_str()) != 0)
    return false;
  if (!isSameFile(Root.get(), Target, Bad)) {
    // If a third file has the name by now, it stays.
    if (::linkat(Root.get(), Target.c_str(), Root.get(), Source.c_str(), 0) ==
            0 ||
        errno == EEXIST)
      ::unlinkat(Root.get(), Target.c_str(), 0);
    else // this file system has no links
      ::renameat(Root.get(), Target.c_str(), Root.get(), Source.c_str());
    return false;
  }
  // The note with the reason is for people, so a failure to write it is
  // ignored.
  FileSizeGuard NoSignal;
  UniqueFd Note = openToWrite(Root.get(), Target + ".txt",
                              O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (Note)
    (void)writeTo(Note.get(), Reason + "\n", Target);
  return true;
}

bool Store::reject(const StoredEntry &Entry, const std::string &Reason) const {
  return quarantine(Entry.Info.Key.Id, Entry.File.get(), Reason);
}

std::optional<StoredEntry> Store::find(const Digest &Id,
                                       std::string *Defect) const {
  std::string Path = pathOf(Id), Shown = Options.Directory + "/" + Path;
  auto Tell = [&](const std::string &Reason) {
    if (Defect)
      *Defect = Shown + ": " + Reason;
    return std::nullopt;
  };
  // O_NONBLOCK: a FIFO in an entry's place must not block us.
  UniqueFd File(::openat(Root.get(), Path.c_str(),
                         O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!File && errno == EACCES && Options.ReadOnly) {
    if (!Unreadable.exchange(true) && Defect)
      *Defect = unreadable(Options.Directory).message();
    return std::nullopt;
  }
  if (!File)
    return errno == ENOENT ? std::nullopt : Tell(std::strerror(errno));
  auto Refuse = [&](const std::string &Reason) {
    quarantine(Id, File.get(), Reason);
    return Tell(Reason);
  };
  struct stat Info;
  if (::fstat(File.get(), &Info) != 0)
    return Tell(std::strerror(errno));
  if (!S_ISREG(Info.st_mode))
    return Refuse("not a regular file");
  if (std::string Why = whyNotSecure(File.get(), Shown); !Why.empty())
    return Refuse(Why);
  if (!isSecureMode() && !isOwner(Info.st_uid, Options))
    return Refuse("belongs to another user");
  if (Info.st_mode & (S_IWGRP | S_IWOTH))
    return Refuse("others may write to it");
  Buffer Bytes;
  if (int Error = readAll(File.get(), Bytes))
    return Tell(std::strerror(Error)); // may succeed another time
  Result<DecodedEntry> Entry = decodeEntry(Bytes.bytes());
  // Leave entries of other versions alone.
  if (Entry.status().code() == StatusCode::UnsupportedVersion)
    return std::nullopt;
  if (!Entry)
    return Refuse(Entry.status().message());
  if (Entry->Info.Key.Id != Id)
    return Refuse("holds another entry than its name says");
  if (!Options.ReadOnly && !isRecent(static_cast<uint64_t>(Info.st_mtime)))
    ::futimens(File.get(), nullptr);
  StoredEntry Found;
  Found.File = std::move(File);
  Found.Info = std::move(Entry->Info);
  Found.PayloadSize = Entry->Payload.size();
  Found.FileSize = Bytes.size();
  Found.Path = std::move(Shown);
  return Found;
}

Result<StoredEntry> Store::describe(const Digest &Id) const {
  StoredEntry Found;
  Found.Path = Options.Directory + "/" + pathOf(Id);
  Found.File =
      UniqueFd(::openat(Root.get(), pathOf(Id).c_str(),
                        O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat Info;
  if (!Found.File || ::fstat(Found.File.get(), &Info) != 0)
    return Status(errno == ENOENT ? StatusCode::FileNotFound
                                  : StatusCode::IoError,
                  Found.Path + ": cannot be read: " + std::strerror(errno));
  if (!S_ISREG(Info.st_mode))
    return Status(StatusCode::InvalidFormat,
                  Found.Path + ": not a regular file");
  Found.FileSize = static_cast<uint64_t>(Info.st_size);
  Result<DescribedEntry> Entry =
      describeEntry(Found.File.get(), Found.FileSize);
  if (!Entry)
    return Status(Entry.status().code(),
                  Found.Path + ": " + Entry.status().message());
  if (Entry->Info.Key.Id != Id)
    return Status(StatusCode::InvalidFormat,
                  Found.Path + ": holds another entry than its name says");
  Found.Info = std::move(Entry->Info);
  Found.PayloadSize = Entry->PayloadSize;
  return Found;
}

Status Store::publish(const EntryInfo &Info, std::string_view Payload) {
  const Digest &Id = Info.Key.Id;
  std::string Shown = Options.Directory + "/" + pathOf(Id);
  if (Options.ReadOnly)
    return Status(StatusCode::InvalidArgument,
                  Shown + ": the cache is read-only; use mode rw to add to it");
  Result<std::string> Tail = encodeEntryTail(Info, Payload);
  if (!Tail)
    return Tail.status();
  std::string Folder = getFolder(Id);
  if (!makeFolder(Root.get(), Folder))
    return ioError(Shown, "cannot be written", errno);
  std::string Temporary = temporaryName(Id);
  FileSizeGuard NoSignal;
  UniqueFd File(::openat(Root.get(), Temporary.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                         0600));
  if (!File)
    return ioError(Shown, "cannot be written", errno);
  Status Written = writeTo(File.get(), Payload, Shown);
  if (Written.ok())
    Written = writeTo(File.get(), *Tail, Shown);
  if (unsigned Mode = modeOfObjects(Root.get());
      Written.ok() && Mode != 0700 && ::fchmod(File.get(), Mode & 0666) != 0 &&
      errno != EPERM && errno != ENOTSUP && errno != ENOSYS)
    Written = ioError(Shown, "cannot be made readable", errno);
  if (Written.ok() && ::fsync(File.get()) != 0)
    Written = ioError(Shown, "cannot be written", errno);
  if (Written.ok() && ::renameat(Root.get(), Temporary.c_str(), Root.get(),
                                 pathOf(Id).c_str()) != 0)
    Written = ioError(Shown, "cannot be put in place", errno);
  if (!Written.ok())
    ::unlinkat(Root.get(), Temporary.c_str(), 0);
  else if (!isAuxiliaryKind(Info.Kind) && Products != NotCounted)
    ++Products;
  return Written;
}

std::vector<StoreItem> Store::list() const {
  std::vector<StoreItem> Items;
  for (const std::string &Folder : namesIn(Root.get(), ObjectsName))
    for (const std::string &Name :
         namesIn(Root.get(), std::string(ObjectsName) + "/" + Folder)) {
      StoreItem Item;
      struct stat Info;
      size_t Stem = Name.size() - std::min(Name.size(), strlen(Suffix));
      if (Name.substr(Stem) != Suffix ||
          !fromHex(std::string_view(Name).substr(0, Stem), Item.Id) ||
          ::fstatat(Root.get(), pathOf(Item.Id).c_str(), &Info,
                    AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      Item.FileSize = static_cast<uint64_t>(Info.st_size);
      Item.LastUse = static_cast<uint64_t>(Info.st_mtime);
      Item.Pinned = isPinned(Item.Id);
      Items.push_back(Item);
    }
  return Items;
}

bool Store::isPinned(const Digest &Id) const {
  return ::faccessat(Root.get(),
                     (std::string(PinsName) + "/" + toHex(Id)).c_str(), F_OK,
                     0) == 0;
}

Status Store::pin(const Digest &Id, bool Pinned) {
  std::string Path = std::string(PinsName) + "/" + toHex(Id);
  if (!Pinned) {
    if (::unlinkat(Root.get(), Path.c_str(), 0) != 0 && errno != ENOENT)
      return ioError(Options.Directory + "/" + Path, "cannot be removed",
                     errno);
    return Status::success();
  }
  UniqueFd File(::openat(Root.get(), Path.c_str(),
                         O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  return File ? Status::success()
              : ioError(Options.Directory + "/" + Path, "cannot be created",
                        errno);
}

Status Store::remove(const Digest &Id) {
  if (::unlinkat(Root.get(), pathOf(Id).c_str(), 0) != 0 && errno != ENOENT)
    return ioError(Options.Directory + "/" + pathOf(Id), "cannot be removed",
                   errno);
  return Status::success();
}

std::vector<StoreItem> jit::itemsOver(const StoreLimits &Limits,
                                      std::vector<StoreItem> Items,
                                      uint64_t Now) {
  // A wrong clock must not rank an entry above one that is used now.
  for (StoreItem &Item : Items)
    Item.LastUse = std::min(Item.LastUse, Now);
  // Most recently used first, pinned items before all others.
  std::sort(
      Items.begin(), Items.end(), [](const StoreItem &A, const StoreItem &B) {
        if (A.Pinned != B.Pinned)
          return A.Pinned;
        return A.LastUse != B.LastUse ? A.LastUse > B.LastUse : A.Id < B.Id;
      });
  std::vector<StoreItem> Over;
  uint64_t Kept = 0, Bytes = 0;
  for (const StoreItem &Item : Items) {
    bool TooMany = Limits.Entries && !Item.Auxiliary && Kept >= Limits.Entries;
    bool TooLarge = Limits.Bytes && Bytes + Item.FileSize > Limits.Bytes;
    bool TooOld = Limits.AgeSeconds && Now - Item.LastUse > Limits.AgeSeconds;
    if (!Item.Pinned && (TooMany || TooLarge || TooOld)) {
      Over.push_back(Item);
      continue;
    }
    Kept += !Item.Auxiliary;
    Bytes += Item.FileSize;
  }
  return Over;
}

bool jit::isAuxiliaryKind(std::string_view Kind) {
  return Kind == "recipe" || Kind == "pch";
}

/// Sets Auxiliary of each item and returns the number of products. An item that
/// cannot be described counts as a product.
uint64_t Store::markAuxiliary(std::vector<StoreItem> &Items) const {
  uint64_t Count = 0;
  for (StoreItem &Item : Items) {
    Result<StoredEntry> Entry = describe(Item.Id);
    Item.Auxiliary = Entry && isAuxiliaryKind(Entry->Info.Kind);
    Count += !Item.Auxiliary;
  }
  return Count;
}

Status Store::prune(const StoreLimits &Limits, const Digest *Newest) {
  if (Options.ReadOnly)
    return Status(StatusCode::InvalidArgument,
                  Options.Directory + ": the cache is read-only");
  removeLeftovers(Root.get());
  std::vector<StoreItem> Items = list();
  uint64_t Now = secondsNow();
  for (StoreItem &Item : Items) {
    // A wrong clock must not make it the most recently used for years.
    if (Item.LastUse > Now + UseResolution)
      ::utimensat(Root.get(), pathOf(Item.Id).c_str(), nullptr,
                  AT_SYMLINK_NOFOLLOW);
    // Pin the newest: others may have been used in the same second.
    if (Newest && Item.Id == *Newest &&
        (!Limits.Bytes || Item.FileSize <= Limits.Bytes))
      Item.Pinned = true;
  }
  // markAuxiliary() opens each file, so skip it if no entry has to go.
  uint64_t Count = Items.size();
  if (Limits.Entries && Count > Limits.Entries)
    Count = markAuxiliary(Items);
  for (const StoreItem &Item : itemsOver(Limits, std::move(Items), Now))
    // An entry that cannot be removed still counts.
    if (remove(Item.Id).ok() && !Item.Auxiliary)
      --Count;
  Products = Count;
  return Status::success();
}

/// Returns true if there are more products than the limit. Does not see
/// products that other processes have added since the last count.
bool Store::isOverEntries() {
  uint64_t Most = Options.Limits.Entries;
  if (!Most)
    return false;
  if (Products == NotCounted)
    Products = list().size();
  if (Products <= Most)
    return false;
  std::vector<StoreItem> Items = list();
  Products = markAuxiliary(Items);
  return Products > Most;
}

/// Opens the stamp. Replaces a stamp that is a link or has a second name (a
/// copy by "cp -al"): only its time counts.
static UniqueFd openStamp(int Root) {
  UniqueFd Stamp = openToWrite(Root, PruneStampName, O_RDWR | O_CREAT, 0600);
  if (Stamp || (errno != EMLINK && errno != ELOOP) ||
      ::unlinkat(Root, PruneStampName, 0) != 0)
    return Stamp;
  return openToWrite(Root, PruneStampName, O_RDWR | O_CREAT, 0600);
}

void Store::pruneSometimes(const Digest &Newest) {
  if (Options.ReadOnly)
    return;
  if (isOverEntries()) {
    StoreLimits Fewer = Options.Limits;
    Fewer.Entries -= Fewer.Entries / 10;
    (void)prune(Fewer, &Newest);
    return;
  }
  UniqueFd Stamp = openStamp(Root.get());
  struct stat Info;
  if (!Stamp || ::fstat(Stamp.get(), &Info) != 0)
    return;
  uint64_t Last = static_cast<uint64_t>(Info.st_mtime), Now = secondsNow();
  // A new stamp is empty. Clocks of two machines may differ by seconds; a stamp
  // further in the future comes from a wrong clock.
  uint64_t Apart = Last < Now ? Now - Last : Last - Now;
  if (Info.st_size != 0 && Apart < PruneInterval)
    return;
  FileSizeGuard NoSignal;
  (void)::ftruncate(Stamp.get(), 1);
  ::futimens(Stamp.get(), nullptr);
  (void)prune(Options.Limits, &Newest);
}
