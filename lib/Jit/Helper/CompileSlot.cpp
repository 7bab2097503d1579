//===- CompileSlot.cpp - limit on concurrent compiles ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slots are never removed: a file that another process has open, and is about
// to lock, must keep its name.
//
//===----------------------------------------------------------------------===//
#include "CompileSlot.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::jit;

/// Opens the directory if it is ours and others can neither read nor write it:
/// a user that can open a file can lock it.
static UniqueFd privateDirectory(const std::string &Path) {
  ::mkdir(Path.c_str(), 0700); // mostly exists
  UniqueFd Directory(
      ::open(Path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat Info;
  bool IsOurs = Directory && ::fstat(Directory.get(), &Info) == 0 &&
                Info.st_uid == ::geteuid() &&
                (Info.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return IsOurs ? std::move(Directory) : UniqueFd();
}

UniqueFd jit::slotDirectory() {
  const char *Runtime = ::secure_getenv("XDG_RUNTIME_DIR");
  if (Runtime && Runtime[0] == '/')
    if (UniqueFd Found = privateDirectory(std::string(Runtime) + "/kpack"))
      return Found;
  return privateDirectory("/tmp/kpack-" + std::to_string(::geteuid()));
}

UniqueFd jit::tryTakeSlot(int Directory, unsigned Count, uint64_t Wanted,
                          const std::function<uint64_t()> &Available) {
  for (unsigned I = 0; I != Count; ++I) {
    if (I == 1 && Available() < Wanted)
      break;
    std::string Name = "compile-" + std::to_string(I);
    UniqueFd Slot(::openat(Directory, Name.c_str(),
                           O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    bool Locked = Slot && ::flock(Slot.get(), LOCK_EX | LOCK_NB) == 0;
    if (Locked)
      return Slot;
    if (!Slot || errno != EWOULDBLOCK)
      return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  return UniqueFd();
}
