//===- CompileLock.cpp - a compile lock across processes ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The owner removes the lock file before it releases the lock, so that no files
// are left. A process that then locks the removed file detects that by
// comparing it with the file that now has the name, and starts again.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/CompileLock.h"

#include "StoreLayout.h"

#include "Support/FileSizeGuard.h"
#include "Support/Files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;
using Clock = std::chrono::steady_clock;

static constexpr int MaxBeginnings = 1000;

static double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

CompileLock::~CompileLock() {
  if (File)
    ::unlinkat(Root, Name.c_str(), 0);
}

/// Returns true if the file open as \p Fd still has its name.
static bool isNamed(int Fd, int Root, const std::string &Name) {
  struct stat Open;
  return ::fstat(Fd, &Open) == 0 && isSameFile(Root, Name, Open);
}

static void writeOwner(int Fd) {
  char Host[65] = "", Text[128];
  ::gethostname(Host, sizeof(Host) - 1);
  int Length = std::snprintf(Text, sizeof(Text), "%ld %lld %s\n",
                             static_cast<long>(::getpid()),
                             static_cast<long long>(::time(nullptr)), Host);
  // The owner is for messages only, so a full disk is no error.
  FileSizeGuard NoSignal;
  if (::ftruncate(Fd, 0) == 0)
    (void)!::pwrite(Fd, Text, static_cast<size_t>(Length), 0);
}

LockOwner jit::ownerOfLock(int File) {
  LockOwner Owner;
  char Text[129] = "", Host[65] = "";
  long long Since = 0;
  if (::pread(File, Text, sizeof(Text) - 1, 0) <= 0 ||
      std::sscanf(Text, "%ld %lld %64s", &Owner.Pid, &Since, Host) != 3)
    return LockOwner();
  Owner.Host = Host;
  Owner.Since = static_cast<uint64_t>(Since);
  return Owner;
}

CompileLock::Outcome CompileLock::acquire(const Store &Where, const Digest &Id,
                                          double MaxSeconds,
                                          const std::function<bool()> &IsThere,
                                          const WaitCallback &OnWait,
                                          const StopCallback &Stop) {
  Root = Where.descriptor();
  Name = "locks/" + toHex(Id);
  Clock::time_point Start = Clock::now();
  double NextReport = 0;
  auto Pause = std::chrono::milliseconds(1);
  int Beginnings = 0;
  while (true) {
    UniqueFd Lock = openToWrite(Root, Name, O_RDWR | O_CREAT, 0600);
    // The directory vanishes if a user empties the cache of a running program.
    if (!Lock && errno == ENOENT && ++Beginnings != MaxBeginnings &&
        (::mkdirat(Root, LocksName, 0700) == 0 || errno == EEXIST))
      continue;
    if (!Lock)
      return Outcome::Unlocked;
    if (::flock(Lock.get(), LOCK_EX | LOCK_NB) == 0) {
      if (!isNamed(Lock.get(), Root, Name)) {
        // The owner removed the file between our open and our lock. On a file
        // system whose inode numbers change this would repeat endlessly.
        if (++Beginnings == MaxBeginnings)
          return Outcome::Unlocked;
        continue;
      }
      File = std::move(Lock);
      writeOwner(File.get());
      return IsThere() ? Outcome::Appeared : Outcome::Owner;
    }
    if (errno != EWOULDBLOCK && errno != EINTR)
      return Outcome::Unlocked; // this file system has no locks
    if (IsThere())
      return Outcome::Appeared;
    double Waited = secondsSince(Start);
    if (OnWait && Waited >= NextReport) {
      OnWait(ownerOfLock(Lock.get()), Waited);
      NextReport = Waited + 1;
    }
    if (Waited >= MaxSeconds)
      return Outcome::Unlocked;
    if (isStopped(Stop))
      return Outcome::Stopped;
    std::this_thread::sleep_for(Pause);
    Pause = std::min(Pause * 2, std::chrono::milliseconds(50));
  }
}
