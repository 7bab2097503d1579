//===- CompileLock.cpp - one compile for all who wait ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompileLock.h. The owner removes the lock file before it lets go, so that
// none are left behind; whoever then gets a lock on the removed file notices by
// comparing it with what has the name now, and begins again.
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

/// Whether the file open as \p Fd still has its name.
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
  // For messages only: a disk that is full here is not a reason to stop.
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
    // Somebody who empties the cache of a running program removes the folder.
    if (!Lock && errno == ENOENT && ++Beginnings != MaxBeginnings &&
        (::mkdirat(Root, LocksName, 0700) == 0 || errno == EEXIST))
      continue;
    if (!Lock)
      return Outcome::Unlocked;
    if (::flock(Lock.get(), LOCK_EX | LOCK_NB) == 0) {
      if (!isNamed(Lock.get(), Root, Name)) {
        // Its owner removed it between our open and our lock. A file system
        // whose inode numbers change would have us begin again for ever.
        if (++Beginnings == MaxBeginnings)
          return Outcome::Unlocked;
        continue;
      }
      File = std::move(Lock);
      writeOwner(File.get());
      return IsThere() ? Outcome::Appeared : Outcome::Owner;
    }
    if (errno != EWOULDBLOCK && errno != EINTR)
      return Outcome::Unlocked; // no locks on this file system
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
