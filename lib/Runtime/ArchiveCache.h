//===- Runtime/ArchiveCache.h - archives that are open ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens each archive once, at the first look into it, and keeps it. An archive
// is known by device, inode, size and time, not by name: two names of one file
// share it, and a file that was replaced after it failed is opened again.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_ARCHIVECACHE_H
#define KPACK_RUNTIME_ARCHIVECACHE_H

#include "Runtime/GrowOnlyTable.h"
#include "kpack/Archive/ArchiveReader.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace kpack::runtime {

/// What tells one state of a file from another.
struct FileIdentity {
  uint64_t Device = 0, Inode = 0, Size = 0;
  int64_t Seconds = 0, Nanoseconds = 0; // of the last change

  bool operator==(const FileIdentity &O) const;
  size_t hash() const;
};

/// A file that may be an archive.
class CachedArchive {
public:
  CachedArchive(std::string Path, const FileIdentity &Id)
      : Path(std::move(Path)), Id(Id) {}

  const std::string &path() const { return Path; }
  const FileIdentity &identity() const { return Id; }

  /// Opens at the first call. Null on failure; then failure() says why.
  const ArchiveReader *reader();
  const Status &failure() const { return Failure; }

  /// The failure was not the file's (too many open files, no memory): asking
  /// the cache again gives a new try.
  bool failedForNow() const { return ForNow.load(std::memory_order_acquire); }

private:
  void open();

  const std::string Path;
  const FileIdentity Id;
  // glibc's once notices a fork() in its middle, which a mutex does not.
  std::once_flag Once;
  std::unique_ptr<const ArchiveReader> Reader;
  Status Failure;
  std::atomic<bool> ForNow{false};
};

class ArchiveCache {
public:
  /// The archive at \p Path, not yet opened; null when no regular file is
  /// there. It lives as long as the cache. \p Why, if given, receives errno
  /// when the place cannot be looked at; 0 when nothing is there.
  CachedArchive *get(const std::string &Path, int *Why = nullptr);

private:
  GrowOnlyTable<CachedArchive> Archives;
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_ARCHIVECACHE_H
