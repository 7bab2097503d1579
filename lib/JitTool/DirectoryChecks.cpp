//===- DirectoryChecks.cpp - doctor's checks of the cache directory -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests a directory by use: writes, syncs, locks and removes a file.
//
//===----------------------------------------------------------------------===//
#include "DoctorChecks.h"
#include "Units.h"

#include "Jit/Store/CompileLock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;

static constexpr StringLiteral Topic = "directory";
/// Warn below this number of free bytes.
static constexpr uint64_t LittleSpace = uint64_t(1) << 30;
/// Tolerated difference of clocks in seconds.
static constexpr uint64_t ClockTolerance = 300;

/// Returns the name of a network file system; empty for a local one.
static StringRef networkName(uint32_t Type) {
  static constexpr std::pair<uint32_t, StringLiteral> Networks[] = {
      {0x6969, "NFS"},        {0x517b, "SMB"},        {0xff534d42, "SMB"},
      {0xfe534d42, "SMB"},    {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
      {0x00c36400, "Ceph"},   {0x5346414f, "AFS"},    {0x01021997, "9P"},
      {0x19830326, "BeeGFS"}, {0x65735546, "FUSE"}};
  for (const auto &[Magic, Name] : Networks)
    if (Magic == Type)
      return Name;
  return "";
}

static void checkMissing(Findings &Results, const std::string &Directory) {
  StringRef Parent = Directory;
  do
    Parent = sys::path::parent_path(Parent);
  while (!Parent.empty() && !sys::fs::exists(Parent));
  if (!Parent.empty() && ::access(Parent.str().c_str(), W_OK | X_OK) == 0)
    Results.ok(Topic,
               Directory + ": not there yet; the first compile makes it");
  else
    Results.error(Topic, Directory + ": not there, and " + Parent +
                             " cannot be written to; set " +
                             Results.Door.variable("CACHE_DIR"));
}

static void checkSpace(Findings &Results, const std::string &Directory) {
  struct statvfs Info;
  if (::statvfs(Directory.c_str(), &Info) != 0)
    return;
  uint64_t Free = uint64_t(Info.f_bavail) * Info.f_frsize;
  if (Free < LittleSpace)
    Results.warning("space", showSize(Free) + " free; " +
                                 Results.Door.quoted("prune --max-size=") +
                                 " makes room, or set " +
                                 Results.Door.variable("CACHE_DIR"));
  else
    Results.ok("space", showSize(Free) + " free");
  if (Info.f_files && !Info.f_favail)
    Results.error("space",
                  "the file system has no room for another file; remove "
                  "some, or set " +
                      Results.Door.variable("CACHE_DIR"));
  if (Info.f_flag & ST_NOEXEC)
    Results.warning("file system",
                    "mounted noexec: kernels are copied to memory to "
                    "be loaded; a cache elsewhere saves that");
}

static void checkFileSystem(Findings &Results, const std::string &Directory) {
  struct statfs Info;
  if (::statfs(Directory.c_str(), &Info) != 0)
    return;
  StringRef Name = networkName(static_cast<uint32_t>(Info.f_type));
  if (Name.empty())
    Results.ok("file system", "local");
  else
    Results.warning("file system",
                    Name +
                        ": entries are read over a network; a cache on a local "
                        "disk (" +
                        Results.Door.variable("CACHE_DIR") + ") is faster");
}

/// Checks that a lock of one process excludes another.
static void checkLock(Findings &Results, int Fd, const std::string &Path) {
  UniqueFd Other(::open(Path.c_str(), O_RDWR | O_CLOEXEC));
  if (::flock(Fd, LOCK_EX | LOCK_NB) == 0 && Other &&
      ::flock(Other.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    Results.ok("locks", "work");
  else
    Results.warning("locks",
                    "do not work here: processes that need a kernel at once "
                    "all compile it; a cache on a local disk avoids that");
}

static void checkWriting(Findings &Results, const std::string &Directory) {
  std::string Path = Directory + "/doctor-XXXXXX";
  UniqueFd File(::mkostemp(Path.data(), O_CLOEXEC));
  std::string Variable = Results.Door.variable("CACHE_DIR");
  auto Refused = [&](int Error) {
    Results.error(
        Topic, Directory + ": cannot be written to: " + std::strerror(Error) +
                   (Error == ENOSPC || Error == EDQUOT
                        ? "; free space there, or set " + Variable
                        : "; set " + Variable + " to a folder that can"));
  };
  if (!File)
    return Refused(errno);
  sys::RemoveFileOnSignal(Path);
  std::string Bytes(1 << 16, 'x');
  if (::write(File.get(), Bytes.data(), Bytes.size()) !=
          static_cast<ssize_t>(Bytes.size()) ||
      ::fsync(File.get()) != 0)
    Refused(errno);
  else
    Results.ok(Topic, Directory);
  checkLock(Results, File.get(), Path);
  ::unlink(Path.c_str());
  sys::DontRemoveFileOnSignal(Path);
}

void jittool::checkDirectory(Findings &Results, const Place &Where) {
  const std::string &Directory = Where.Directory;
  std::string Variable = Results.Door.variable("CACHE_DIR");
  if (Directory.empty())
    return Results.error(Topic, "there is none: neither " + Variable +
                                    " nor HOME is "
                                    "set; set one of them");
  if (Directory[0] != '/')
    return Results.error(Topic,
                         Directory + ": " + Where.ChosenBy +
                             " is not an absolute path; write it in full");
  struct stat Info;
  if (::stat(Directory.c_str(), &Info) != 0) {
    if (errno == ENOENT)
      return checkMissing(Results, Directory);
    return Results.error(Topic, Directory + ": " + std::strerror(errno) +
                                    "; set " + Variable + " to another folder");
  }
  if (!S_ISDIR(Info.st_mode))
    return Results.error(
        Topic, Directory + ": is no folder; remove it, or set " + Variable);
  if (Info.st_uid != ::geteuid())
    Results.error(Topic, Directory + ": belongs to user " + Twine(Info.st_uid) +
                             ", who could put code there; set " + Variable +
                             " to a folder of your own");
  if (Info.st_mode & (S_IWGRP | S_IWOTH))
    Results.error(Topic, Directory +
                             ": others may write to it, and so put code "
                             "there; chmod go-w it");
  checkWriting(Results, Directory);
  checkFileSystem(Results, Directory);
  checkSpace(Results, Directory);
}

void jittool::checkSystemCaches(Findings &Results, const CacheInvocation &I) {
  std::string Variable = I.Door.variable("SYSTEM_CACHE");
  for (const std::string &Directory : I.Door.SystemDirs) {
    auto Opened =
        jit::Store::open({Directory, /*ReadOnly=*/true, I.Door.SystemOwners});
    auto CannotRead = [&](const jit::StoreItem &Item) {
      std::string Ignored;
      (*Opened)->find(Item.Id, &Ignored);
      return (*Opened)->hasUnreadable();
    };
    if (Opened.ok() && any_of((*Opened)->list(), CannotRead))
      Results.warning("system cache",
                      Directory +
                          ": has entries that this user cannot read; its "
                          "owner opens it with '" +
                          I.Door.Filler + " --mode=0755' (" + Variable + ")");
    else if (Opened.ok())
      Results.ok("system cache",
                 Directory + ": " +
                     showCount((*Opened)->list().size(), "entry", "entries"));
    else
      Results.warning("system cache", Opened.status().message() +
                                          "; it is not used (" + Variable +
                                          ")");
  }
}

void jittool::checkRemote(Findings &Results, const CacheInvocation &I,
                          const Place &Where) {
  auto Remote = I.Door.openRemote(Where.Directory);
  if (!Remote)
    return Results.error("remote", Remote.status().message());
  if (!*Remote)
    return; // no remote cache is set
  if ((*Remote)->isInsecure())
    Results.warning("remote",
                    (*Remote)->name() +
                        ": entries are not signed, and whoever is on the "
                        "way to it may send code that is run (" +
                        I.Door.variable("REMOTE_INSECURE") + "); set " +
                        I.Door.variable("REMOTE_KEY_FILE") + ", or use https");
  if (Status Answer = (*Remote)->check(); !Answer.ok())
    return Results.error("remote", Answer.message());
  Results.ok("remote", (*Remote)->name() + " answers");
}

void jittool::checkEntries(Findings &Results, const Place &Where) {
  auto S = jit::Store::open({Where.Directory, /*ReadOnly=*/true});
  if (!S)
    return; // missing, or checkDirectory() has reported the reason
  uint64_t Latest = static_cast<uint64_t>(std::time(nullptr)) + ClockTolerance;
  uint64_t Count = 0, Bytes = 0, Bad = 0, Future = 0;
  for (const jit::StoreItem &Item : (*S)->list()) {
    Result<jit::StoredEntry> Entry = (*S)->describe(Item.Id);
    if (!Entry && Entry.status().code() == StatusCode::FileNotFound)
      continue;
    ++Count;
    Bytes += Item.FileSize;
    Bad += !Entry && Entry.status().code() != StatusCode::UnsupportedVersion;
    Future += Item.LastUse > Latest || (Entry && Entry->Info.Created > Latest);
  }
  if (Bad)
    Results.error("entries", showCount(Bad, "entry", "entries") + " of " +
                                 Twine(Count) + " cannot be read; run " +
                                 Results.Door.quoted("verify") +
                                 ", which moves them away");
  else
    Results.ok("entries",
               showCount(Count, "entry", "entries") + ", " + showSize(Bytes) +
                   "; " + Results.Door.quoted("verify") + " reads them all");
  if (Future)
    Results.warning("clock",
                    showCount(Future, "entry", "entries") +
                        " from the future; set this machine's clock, or "
                        "that of the machine that wrote them");
}

/// Lists regular files of a folder in the cache.
static std::vector<std::string> filesIn(const std::string &Folder) {
  std::vector<std::string> Paths;
  std::error_code Code;
  for (sys::fs::directory_iterator I(Folder, Code), End; I != End && !Code;
       I.increment(Code))
    if (I->type() == sys::fs::file_type::regular_file)
      Paths.push_back(I->path());
  sort(Paths);
  return Paths;
}

static std::string getOwner(int Lock) {
  jit::LockOwner Owner = jit::ownerOfLock(Lock);
  if (!Owner.Pid)
    return "a process";
  return "process " + std::to_string(Owner.Pid) + " on " + Owner.Host +
         " since " + showTime(Owner.Since);
}

void jittool::checkLeftovers(Findings &Results, const Place &Where) {
  uint64_t Stale = 0;
  for (const std::string &Path : filesIn(Where.Directory + "/locks")) {
    UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!File)
      continue;
    if (::flock(File.get(), LOCK_SH | LOCK_NB) == 0)
      ++Stale;
    else if (errno == EWOULDBLOCK)
      Results.ok("locks", getOwner(File.get()) + " compiles " +
                              sys::path::filename(Path).take_front(12));
  }
  if (Stale)
    Results.warning(
        "locks", showCount(Stale, "lock") + " of dead processes; harmless, " +
                     Results.Door.quoted("prune") + " removes old ones");
  uint64_t Refused = 0, Bytes = 0;
  for (const std::string &Path : filesIn(Where.Directory + "/quarantine")) {
    uint64_t Size = 0;
    if (StringRef(Path).ends_with(".txt") || sys::fs::file_size(Path, Size))
      continue;
    ++Refused;
    Bytes += Size;
  }
  if (Refused)
    Results.warning(
        "quarantine",
        showCount(Refused, "damaged entry", "damaged entries") + ", " +
            showSize(Bytes) + ", in " + Where.Directory +
            "/quarantine, each with its reason in a .txt; if there are "
            "ever more of them, check the disk");
}
