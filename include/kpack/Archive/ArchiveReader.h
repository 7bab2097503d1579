//===- Archive/ArchiveReader.h - reader of .kpack archives ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads container version 1 from ROCm's writers and ours. Opening copies the
// header and the table of contents; fetching a kernel copies that kernel's
// bytes; only view() maps the file (detail/ArchiveFile.h gives the reason). The
// input is hostile: every offset and length is checked against the file before
// use, no size from the file is allocated unchecked, and only bytes that match
// the hash of their entry are returned. Sibling: ArchiveWriter.h.
//
// Header-only by default (C++17, zstd, xxHash), because kpack/kpack.h is. CMake
// targets that link kpackArchive get KPACK_ARCHIVE_LIBRARY=1: they see only the
// declarations, and lib/Archive/ArchiveReader.cpp has the bodies. Both ways
// define the same class, so a program may contain objects of either kind: the
// linker keeps one definition of each function.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_ARCHIVEREADER_H
#define KPACK_ARCHIVE_ARCHIVEREADER_H

#include "kpack/Archive/Format.h"
#include "kpack/Archive/detail/Toc.h"
#include "kpack/Support/Buffer.h"
#include "kpack/Support/Status.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kpack {
namespace detail {
class ArchiveFile;
struct Decoder;
class DecoderPool;
enum class FrameChecksum;
} // namespace detail

/// Immutable after open(): every const member may be called from any number of
/// threads at once.
class ArchiveReader {
public:
  /// Decides whether the file of \p Descriptor, opened as \p Path, may be
  /// used.
  using FileCheck = Status (*)(int Descriptor, const std::string &Path);

  /// Opens \p Path and checks header and table of contents. Errors name file,
  /// offset and reason: FileNotFound, IoError, InvalidFormat,
  /// UnsupportedVersion, MsgpackParseFailed, OutOfMemory; and the errors of \p
  /// Check, which is called with the open file before it is read.
  static Result<std::unique_ptr<const ArchiveReader>>
  open(const std::string &Path, FileCheck Check = nullptr);

  /// The same for memory that the caller keeps alive (tests, fuzzers).
  static Result<std::unique_ptr<const ArchiveReader>>
  fromMemory(std::string_view Bytes, std::string Name);

  ~ArchiveReader();
  ArchiveReader(const ArchiveReader &) = delete;
  ArchiveReader &operator=(const ArchiveReader &) = delete;

  const std::string &path() const { return Path; }
  uint64_t fileSize() const;
  /// The descriptor of the file, for fstat() and the like; -1 for memory, or
  /// after the program has closed it. The reader keeps ownership.
  int descriptor() const;
  /// The size of the table of contents in bytes, all of which open() reads.
  uint64_t tocSize() const;
  /// The offset of the end of the table's map: the end of the file, unless
  /// other bytes follow.
  uint64_t tocEnd() const { return TocEnd; }
  /// True if the reserved bytes of the header are zero, as they should be.
  bool reservedIsZero() const;
  CompressionScheme scheme() const { return Scheme; }
  std::string_view groupName() const { return Toc.GroupName; }
  /// The archive with the debug information of this one's code objects,
  /// relative to the directory of this one; DebugInItself for this one, empty
  /// for none.
  std::string_view deviceDebug() const { return Toc.DeviceDebug; }
  std::string_view archFamily() const { return Toc.ArchFamily; }
  /// `gfx_arches`, in file order.
  const std::vector<std::string_view> &architectures() const {
    return Toc.Architectures;
  }
  /// Keys of the table of contents, sorted.
  const std::vector<std::string_view> &binaries() const { return Toc.Binaries; }
  /// Every entry, sorted by (Binary, Arch).
  const std::vector<ArchiveEntry> &entries() const { return Toc.Entries; }

  /// Returns the entry, or null. O(log entries).
  const ArchiveEntry *find(std::string_view Binary,
                           std::string_view Arch) const;

  /// Returns the `archive_id` for marker name \p KernelName; empty if the
  /// archive has none (archives of other writers).
  std::string_view archiveId(std::string_view KernelName) const;
  /// True if the archive lists ids by marker name, and so has none for other
  /// binaries that may use it as well.
  bool hasIdsByName() const { return !Toc.ArchiveIds.empty(); }

  /// Checks from headers alone that the bytes of \p Entry can have OriginalSize
  /// bytes. Call it before you allocate them for readInto(). Reads no more than
  /// the first header, unless that header leaves the size open or promises more
  /// than 64 MiB and 16 times the stored bytes. InvalidFormat.
  Status checkEntry(const ArchiveEntry &Entry) const;

  /// Copies or decompresses into \p Out, which has exactly OriginalSize bytes.
  /// Compares them with the entry's hash; without a hash, with the checksum of
  /// the zstd frame if there is one. DecompressionFailed, InvalidFormat. \p
  /// StoredBytes, if given, receives how many bytes of the file hold the entry.
  Status readInto(const ArchiveEntry &Entry, char *Out, uint64_t Size,
                  uint64_t *StoredBytes = nullptr) const;

  /// checkEntry(), allocation and readInto() in one. For any archive, allocates
  /// at once at most the largest of 64 MiB, 16 times the stored bytes, and
  /// twice the bytes that were decompressed.
  Result<Buffer> read(const ArchiveEntry &Entry) const;

  /// Like read(), and copies the stored bytes into \p Stored: with scheme zstd
  /// the frame or frames, whose checksums are compared, too.
  Result<Buffer> readWithStored(const ArchiveEntry &Entry,
                                Buffer &Stored) const;

  /// Returns the entry's bytes in the mapped file, without a copy; compares
  /// them with the entry's hash at each call. If the file is truncated later,
  /// reading them raises SIGBUS. Scheme "none" only: InvalidArgument for
  /// others. DecompressionFailed, InvalidFormat. The bytes are valid as long as
  /// the reader.
  Result<std::string_view> view(const ArchiveEntry &Entry) const;

  /// Like read(), but checks all that can be checked: the ordinal alone locates
  /// the bytes, hints must agree with it, and the frame's checksum is compared
  /// besides the hash. DecompressionFailed, InvalidFormat.
  Result<Buffer> readVerified(const ArchiveEntry &Entry) const;

  /// Returns the error that readVerified() would return for \p Entry, given
  /// that it succeeded for \p Verified, which has the same ordinal and, if
  /// either of the two has one, a hash. Reads nothing again.
  Status verifyShared(const ArchiveEntry &Entry,
                      const ArchiveEntry &Verified) const;

  /// Returns the bytes of the file that hold this entry (compressed size);
  /// InvalidFormat if they do not lie inside the file.
  Result<uint64_t> storedSize(const ArchiveEntry &Entry) const;

private:
  using OpenResult = Result<std::unique_ptr<const ArchiveReader>>;

  /// Frames of a zstd blob by ordinal, found by walking the blob once.
  struct FrameIndex {
    std::once_flag Once;
    Status Failure;
    std::vector<detail::Extent> Frames;
  };

  using FilePtr = std::unique_ptr<const detail::ArchiveFile>;

  ArchiveReader(FilePtr File, std::string Path);

  static OpenResult create(FilePtr File, std::string Path);
  Status parse();
  Status parseHeader();
  Status parseToc();
  Status parseScheme();

  Result<detail::Extent> stored(const ArchiveEntry &Entry) const;
  Result<detail::Extent> storedByOrdinal(const ArchiveEntry &Entry) const;
  Result<detail::Extent> storedRaw(const ArchiveEntry &Entry) const;
  Result<detail::Extent> storedFrame(const ArchiveEntry &Entry) const;
  template <typename Function>
  Status tryStored(const ArchiveEntry &Entry, const Function &Use) const;
  bool triesHint(const ArchiveEntry &Entry) const;
  Status checkHint(const ArchiveEntry &Entry, detail::Extent Stored) const;
  Status walkFrames(std::vector<detail::Extent> &Frames) const;
  Status checkRaw(const ArchiveEntry &Entry, detail::Extent Stored) const;
  Status checkBeginning(const ArchiveEntry &Entry, detail::Extent Stored) const;
  Result<bool> promisesAll(const ArchiveEntry &Entry,
                           detail::Extent Stored) const;
  Result<std::string_view> fetchFrame(const ArchiveEntry &Entry,
                                      detail::Extent Stored,
                                      detail::Decoder &Scratch) const;
  Status checkHash(const ArchiveEntry &Entry, std::string_view Content,
                   detail::Extent Stored) const;
  Result<Buffer> extract(const ArchiveEntry &Entry, detail::Extent Stored,
                         detail::FrameChecksum Checksum) const;
  Status copyRaw(const ArchiveEntry &Entry, detail::Extent Stored,
                 char *Out) const;
  Status extractInto(const ArchiveEntry &Entry, detail::Extent Stored,
                     char *Out) const;
  detail::FrameChecksum checksumOf(const ArchiveEntry &Entry) const;

  /// The size of the length before each zstd frame.
  static constexpr uint64_t LengthSize = sizeof(uint32_t);
  Status damaged(uint64_t Offset, std::string Message,
                 StatusCode Code = StatusCode::InvalidFormat) const;
  Status outOfMemory() const;

  FilePtr File;
  std::string Path;
  std::array<char, ArchiveHeaderSize> Header{};
  Buffer TocBytes; // Toc points into it
  uint64_t TocOffset = 0;
  uint64_t TocEnd = 0;
  CompressionScheme Scheme = CompressionScheme::None;
  detail::Extent ZstdBlob;
  detail::Toc Toc;
  mutable FrameIndex Index;
  std::unique_ptr<detail::DecoderPool> Decoders;
};

} // namespace kpack

#ifndef KPACK_ARCHIVE_LIBRARY
#include "kpack/Archive/detail/ArchiveReaderImpl.h"
#endif

#endif // KPACK_ARCHIVE_ARCHIVEREADER_H
