//===- Archive/ArchiveWriter.h - writer of .kpack archives ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streaming writer of container version 1 (docs/format/kpack-v1.md). Compresses
// kernels on all cores and writes them in the order in which they were added,
// so the bytes do not depend on the number of threads. Uses memory for one
// kernel and its compressed form for each thread, at most 64 MiB besides, and
// the table of contents. Equal kernels are stored once. The file appears under
// its name only by commit(). Sibling: ArchiveReader.h.
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

/// Makes a pool for several writers, so that all of them together use \p
/// Workers and the memory of one. All writers belong to one thread.
std::shared_ptr<detail::CompressionPool>
makeCompressionPool(std::shared_ptr<WorkerThreads> Workers);

/// Returns the lowest of a few zstd levels with which a writer stores \p Bytes
/// in no more than \p StoredSize bytes, their size in another archive, so that
/// a writer can add kernels that compress no worse than the archive's (which
/// does not record its level). If none does, 19, the highest level without
/// large memory.
int levelLike(std::string_view Bytes, uint64_t StoredSize);

struct ArchiveWriterOptions {
  /// `group_name`: the package or build the archive belongs to.
  std::string GroupName;
  /// `gfx_arch_family`; empty: the first architecture that is added.
  std::string ArchFamily;
  CompressionScheme Scheme = CompressionScheme::ZstdPerKernel;
  /// zstd level, 1 to 22.
  int Level = 3;
  /// Compression threads; 0: one for each CPU. Not used with a Pool.
  unsigned Threads = 0;
  /// Null: the writer makes one.
  std::shared_ptr<detail::CompressionPool> Pool = nullptr;
  /// True if binaries without code in this archive name it, too; ids of a
  /// single binary then are not valid for all. For a copy,
  /// ArchiveReader::hasIdsByName().
  bool IsShared = false;
  /// The readers of the input files. If not set, the umask decides.
  std::optional<Readers> ReadBy = std::nullopt;
  /// The limits of the readers of a compressed archive.
  uint64_t MaxCompressedKernels = MaxZstdKernels;
  uint64_t MaxCompressedSize = MaxZstdBlobSize;
};

/// Not thread-safe: one thread adds, internal threads compress.
class ArchiveWriter {
public:
  /// Creates a temporary file beside \p Path (same directory, so that the
  /// rename is atomic). Fails with IoError if the directory is not writable.
  static Result<std::unique_ptr<ArchiveWriter>>
  create(std::string Path, ArchiveWriterOptions Options);

  /// Removes the temporary file unless commit() succeeded.
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter &) = delete;
  ArchiveWriter &operator=(const ArchiveWriter &) = delete;

  /// Adds one code object under toc[\p Binary][\p Arch]. Copies \p Bytes before
  /// the call returns. An existing key is an InvalidArgument. This or a later
  /// call reports an error of a compression thread or of the disk; after an
  /// error only the destructor may be called.
  Status add(std::string_view Binary, std::string_view Arch,
             std::string_view Bytes);

  /// The same without the copy.
  Status add(std::string_view Binary, std::string_view Arch, Buffer Bytes);

  /// The same without the copy: \p Bytes stay valid as long as \p Owner, which
  /// the writer releases after its last use of them. Null: the writer copies.
  Status add(std::string_view Binary, std::string_view Arch,
             std::string_view Bytes, std::shared_ptr<const void> Owner);

  /// The same for a code object that another archive holds as \p Frame, which
  /// the caller has decompressed to \p Bytes. Stores the frame unchanged, with
  /// its level, unless it lacks the size or the checksum that this writer's
  /// frames have.
  Status addCompressed(std::string_view Binary, std::string_view Arch,
                       std::string_view Bytes, std::string_view Frame);

  /// The same for the code object that was added under toc[\p Other][\p
  /// OtherArch], without looking at its bytes. InvalidArgument if there is
  /// none.
  Status addSame(std::string_view Binary, std::string_view Arch,
                 std::string_view Other, std::string_view OtherArch);
  Status addSame(std::string_view Binary, std::string_view Arch,
                 std::string_view Other) {
    return addSame(Binary, Arch, Other, Arch);
  }

  /// Names an architecture in `gfx_arches` that may have no code object.
  void addArchitecture(std::string_view Arch);

  /// Sets the source name of \p Binary's code objects, for messages.
  void setSource(std::string_view Binary, std::string_view Name);

  /// Sets the `archive_id` of \p KernelName's code objects
  /// (docs/format/marker.md): the reader compares it with the marker's to
  /// notice a stale archive.
  void setArchiveId(std::string_view KernelName, std::string_view Id);

  /// Names the archive with the debug information of this one's code objects,
  /// relative to the directory of this one; DebugInItself in that archive.
  void setDeviceDebug(std::string_view Path);

  /// Restricts the readers of the archive to \p Who, the readers of an input
  /// file.
  void limitTo(const Readers &Who);

  /// Sets the zstd level of code objects that are added from now on.
  void setLevel(int Level);

  /// Waits for the threads, writes the table of contents, flushes. The file is
  /// complete but still has its temporary name.
  Status finish();

  /// Calls finish() unless that was done, then renames the file atomically.
  Status commit();

  /// The path that commit() renames to, after symbolic links.
  const std::string &finalPath() const;
  /// The same path through the open folder of the file, which stays valid if
  /// the folder is renamed.
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
