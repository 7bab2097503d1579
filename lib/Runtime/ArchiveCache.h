//===- Runtime/ArchiveCache.h - cache of open archives ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens each archive once, on first use, and keeps it open. The key is device,
// inode, size and time, not the name: two names of one file share an entry, and
// a file that was replaced after a failure is opened again.
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

/// Distinguishes one state of a file from another.
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

  /// Opens the archive at the first call. Returns null on failure; failure()
  /// then holds the reason.
  const ArchiveReader *reader();
  const Status &failure() const { return Failure; }

  /// True if the failure was not the file's (too many open files, no memory).
  /// The next ArchiveCache::get() tries again.
  bool failedForNow() const { return ForNow.load(std::memory_order_acquire); }

private:
  void open();

  const std::string Path;
  const FileIdentity Id;
  // glibc's call_once copes with a fork() during the call, which a mutex does
  // not.
  std::once_flag Once;
  std::unique_ptr<const ArchiveReader> Reader;
  Status Failure;
  std::atomic<bool> ForNow{false};
};

class ArchiveCache {
public:
  /// Returns the archive at \p Path without opening it; null if there is no
  /// regular file. The cache owns it. \p Why, if given, receives the errno of a
  /// failed stat(), or 0 if the file does not exist.
  CachedArchive *get(const std::string &Path, int *Why = nullptr);

private:
  GrowOnlyTable<CachedArchive> Archives;
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_ARCHIVECACHE_H
