//===- ArchiveCache.cpp - cache of open archives --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// get() only calls stat(); the first call of reader() opens the file. Two
// threads may make an entry for one file at the same time: the table keeps the
// first, and call_once opens it once.
//
// A damaged file stays failed until the file changes. After a failure that may
// pass, such as too many open files or a file that vanished between stat() and
// open(), get() no longer matches the entry and makes a new one. The old entry
// stays in the table, since another thread may still hold a pointer to it.
//
//===----------------------------------------------------------------------===//
#include "Runtime/ArchiveCache.h"

#include "Support/SafePath.h"

#include <cerrno>
#include <new>
#include <sys/stat.h>
#include <tuple>

using namespace kpack;
using namespace kpack::runtime;

bool FileIdentity::operator==(const FileIdentity &O) const {
  auto Fields = [](const FileIdentity &I) {
    return std::tie(I.Device, I.Inode, I.Size, I.Seconds, I.Nanoseconds);
  };
  return Fields(*this) == Fields(O);
}

size_t FileIdentity::hash() const {
  return static_cast<size_t>(Inode * 0x9e3779b97f4a7c15u >> 16) ^ Device;
}

void CachedArchive::open() {
  try {
    Result<std::unique_ptr<const ArchiveReader>> Opened =
        ArchiveReader::open(Path, checkForSecureMode);
    if (Opened)
      Reader = std::move(*Opened);
    else
      Failure = Opened.status();
  } catch (const std::bad_alloc &) {
    Failure = Status(StatusCode::OutOfMemory,
                     Path + ": out of memory; close other programs or raise "
                            "the limit (ulimit -v)");
  }
  ForNow.store(Failure.code() == StatusCode::IoError ||
                   Failure.code() == StatusCode::FileNotFound ||
                   Failure.code() == StatusCode::OutOfMemory,
               std::memory_order_release);
}

const ArchiveReader *CachedArchive::reader() {
  std::call_once(Once, [this] { open(); });
  return Reader.get();
}

CachedArchive *ArchiveCache::get(const std::string &Path, int *Why) {
  if (Why)
    *Why = 0;
  struct stat Info;
  if (stat(Path.c_str(), &Info) != 0) {
    if (Why && errno != ENOENT && errno != ENOTDIR)
      *Why = errno;
    return nullptr;
  }
  // Accept only regular files: opening a pipe could block.
  if (!S_ISREG(Info.st_mode))
    return nullptr;
  FileIdentity Id;
  Id.Device = Info.st_dev;
  Id.Inode = Info.st_ino;
  Id.Size = Info.st_size;
  Id.Seconds = Info.st_mtim.tv_sec;
  Id.Nanoseconds = Info.st_mtim.tv_nsec;

  auto Same = [&](const CachedArchive &A) {
    return A.identity() == Id && !A.failedForNow();
  };
  if (CachedArchive *Known = Archives.find(Id.hash(), Same))
    return Known;
  return Archives
      .insert(Id.hash(), std::make_unique<CachedArchive>(Path, Id), Same)
      .first;
}
