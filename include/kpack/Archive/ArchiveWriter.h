//===- kpack/Archive/ArchiveWriter.h - write a .kpack file ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streaming writer of container version 1 (docs/format/kpack-v1.md). Kernels
// are compressed on all cores and written in the order in which they were
// added, so the bytes do not depend on the number of threads. Memory is, for
// each thread, one kernel and its compressed form, at most 64 MiB beside them,
// and the table of contents. Equal kernels are stored once. The file appears
// under its name only by commit(). Sibling: ArchiveReader.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_ARCHIVEWRITER_H
#define KPACK_ARCHIVE_ARCHIVEWRITER_H

#include "kpack/Archive/Format.h"
#include "kpack/Support/Buffer.h"
#include "kpack/Support/OutputFile.h"
#include "kpack/Support/Status.h"
#include "kpack/Support/WorkerThreads.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kpack {

namespace detail {
class CompressionPool;
}

/// What several writers share so that all of them together take no more than
/// one would: \p Workers, and memory. They all belong to one thread.
std::shared_ptr<detail::CompressionPool>
makeCompressionPool(std::shared_ptr<WorkerThreads> Workers);

/// The lowest of a few zstd levels with which a writer stores \p Bytes in no
/// more than \p StoredSize bytes, as another archive has them: what belongs
/// beside them is not stored worse then. The highest but those that need much
/// memory, 19, if none does. Archives do not say with which level they are
/// made.
int levelLike(std::string_view Bytes, uint64_t StoredSize);

struct ArchiveWriterOptions {
  /// `group_name`: the package or build the archive belongs to.
  std::string GroupName;
  /// `gfx_arch_family`; empty: the first architecture that is added.
  std::string ArchFamily;
  CompressionScheme Scheme = CompressionScheme::ZstdPerKernel;
  /// zstd level, 1 to 22.
  int Level = 3;
  /// Compression threads; 0: one for each CPU. Where there is a Pool, its.
  unsigned Threads = 0;
  /// Null: one of the writer's own.
  std::shared_ptr<detail::CompressionPool> Pool = nullptr;
  /// Binaries without code in this archive name it, too: what it says of a
  /// single one is not said of all. Of a copy, ArchiveReader::hasIdsByName().
  bool IsShared = false;
  /// The readers of the files that are put in. If not set, the umask decides.
  std::optional<Readers> ReadBy = std::nullopt;
  /// What the readers of a compressed archive accept at most.
  uint64_t MaxCompressedKernels = MaxZstdKernels;
  uint64_t MaxCompressedSize = MaxZstdBlobSize;
};

/// Not thread-safe: one thread adds, the writer's own threads compress.
class ArchiveWriter {
public:
  /// Creates a temporary file beside \p Path (same directory, so that the
  /// rename is atomic). Fails with IoError when the directory is not writable.
  static Result<std::unique_ptr<ArchiveWriter>>
  create(std::string Path, ArchiveWriterOptions Options);

  /// Removes the temporary file unless commit() succeeded.
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter &) = delete;
  ArchiveWriter &operator=(const ArchiveWriter &) = delete;

  /// Adds one code object under toc[\p Binary][\p Arch]. \p Bytes is copied
  /// before the call returns. A key that is already there is an
  /// InvalidArgument. An error of a compression thread or of the disk is
  /// reported by this or a later call; after an error only the destructor
  /// may be called.
  Status add(std::string_view Binary, std::string_view Arch,
             std::string_view Bytes);

  /// The same without the copy.
  Status add(std::string_view Binary, std::string_view Arch, Buffer Bytes);

  /// The same without the copy: \p Bytes stay as they are as long as \p Owner
  /// is there; who needs them last lets it go. Null: there is a copy.
  Status add(std::string_view Binary, std::string_view Arch,
             std::string_view Bytes, std::shared_ptr<const void> Owner);

  /// The same for a code object that another archive holds as \p Frame, which
  /// the caller has seen to decompress to \p Bytes: it is stored as it is, with
  /// the level that it was compressed with, unless it lacks the size or the
  /// checksum that this writer's frames have.
  Status addCompressed(std::string_view Binary, std::string_view Arch,
                       std::string_view Bytes, std::string_view Frame);

  /// The same for what was added under toc[\p Other][\p OtherArch] already,
  /// without looking at its bytes. InvalidArgument: it was not.
  Status addSame(std::string_view Binary, std::string_view Arch,
                 std::string_view Other, std::string_view OtherArch);
  Status addSame(std::string_view Binary, std::string_view Arch,
                 std::string_view Other) {
    return addSame(Binary, Arch, Other, Arch);
  }

  /// Names an architecture in `gfx_arches` that may have no code object.
  void addArchitecture(std::string_view Arch);

  /// Name of the source behind \p Binary's code objects, for people.
  void setSource(std::string_view Binary, std::string_view Name);

  /// `archive_id` of \p KernelName's code objects (see docs/format/marker.md):
  /// the reader compares it with the marker's to notice a stale archive.
  void setArchiveId(std::string_view KernelName, std::string_view Id);

  /// Names the archive that has the debug information of this one's code
  /// objects, seen from the directory of this one; DebugInItself in that one.
  void setDeviceDebug(std::string_view Path);

  /// Restricts the readers of the archive to \p Who, the readers of a file that
  /// is put in.
  void limitTo(const Readers &Who);

  /// The level of code objects that are added from now on.
  void setLevel(int Level);

  /// Waits for the threads, writes the table of contents, flushes. The file is
  /// complete but still has its temporary name.
  Status finish();

  /// finish() if that was not done, then the atomic rename.
  Status commit();

  /// What commit() renames to: the path, symbolic links at its end followed.
  const std::string &finalPath() const;
  /// The same, in the folder that the file is written in whatever becomes of
  /// the folder's name meanwhile.
  const std::string &heldPath() const;
  /// The temporary name, so that a tool can remove it on a signal.
  const std::string &temporaryPath() const;
  /// Bytes of the finished file (after finish()).
  uint64_t fileSize() const;

private:
  struct Impl;
  explicit ArchiveWriter(std::unique_ptr<Impl> P);
  std::unique_ptr<Impl> P;
};

} // namespace kpack

#endif // KPACK_ARCHIVE_ARCHIVEWRITER_H
