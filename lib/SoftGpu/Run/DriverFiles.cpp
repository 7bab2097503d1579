//===- DriverFiles.cpp - folder with the emulated driver's files ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files are in memory (/dev/shm) if possible, so that a full disk does not
// matter. A killed kpack-run leaves its folder, which a later one removes: a
// running one holds a lock on its folder. A folder younger than a minute is
// kept, as it may not be locked yet.
//
//===----------------------------------------------------------------------===//
#include "DriverFiles.h"

#include "ProgramEnvironment.h"

#include "SoftGpu/Kfd/Sysfs.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/TemporaryFolder.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::run;
using namespace kpack::softgpu;
using namespace llvm;

static constexpr const char *MemoryFolder = "/dev/shm";
static constexpr const char *Prefix = "kpack-run-";

/// Locks \p Folder. Fails if another process holds the lock, or the folder is
/// not ours.
static UniqueFd openLock(StringRef Folder) {
  UniqueFd Fd(::open(Folder.str().c_str(),
                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  sys::fs::file_status Status;
  if (!Fd || sys::fs::status(Fd.get(), Status) ||
      Status.getUser() != ::getuid() ||
      ::flock(Fd.get(), LOCK_EX | LOCK_NB) != 0)
    return UniqueFd();
  return Fd;
}

static void removeLeftovers(StringRef Folder) {
  std::error_code Problem;
  for (sys::fs::directory_iterator It(Folder, Problem), End;
       It != End && !Problem; It.increment(Problem)) {
    sys::fs::file_status Status;
    if (!sys::path::filename(It->path()).starts_with(Prefix) ||
        sys::fs::status(It->path(), Status) ||
        Status.getLastModificationTime() + std::chrono::minutes(1) >
            std::chrono::system_clock::now())
      continue;
    if (UniqueFd Lock = openLock(It->path()))
      sys::fs::remove_directories(It->path());
  }
}

DriverFiles::~DriverFiles() {
  if (!Folder.empty())
    sys::fs::remove_directories(Folder);
}

Error DriverFiles::make(ArrayRef<const GpuProcessor *> Gpus) {
  SmallString<128> Temporary;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Temporary);
  removeLeftovers(MemoryFolder);
  removeLeftovers(Temporary);
  if (Error E = makeIn((Twine(MemoryFolder) + "/kpack-run").str(), Gpus)) {
    consumeError(std::move(E)); // it may be full or absent
    if (Error E = makeIn("kpack-run", Gpus))
      return E;
  }
  setVariable("KPACK_SOFTGPU_SYSFS", Folder.str().str());
  return Error::success();
}

Error DriverFiles::makeIn(const std::string &Start,
                          ArrayRef<const GpuProcessor *> Gpus) {
  if (!Folder.empty())
    sys::fs::remove_directories(Folder);
  if (std::error_code Problem = makeTemporaryFolder(Start, Folder))
    return objectError(temporaryParent(),
                       "no folder for the files of the emulated "
                       "driver: " +
                           Problem.message() +
                           "; set TMPDIR to one that can be written");
  Lock = openLock(Folder);
  // The program may run as another user.
  sys::fs::setPermissions(Folder, sys::fs::all_read | sys::fs::all_exe |
                                      sys::fs::owner_write);
  return writeSysfs(Folder, Gpus);
}
