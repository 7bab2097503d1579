//===- kpack/Archive/ArchiveReader.h - read a .kpack file -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads container version 1 as ROCm's writers and ours write it. The file is
// mapped, not read: opening touches the header and the table of contents,
// fetching a kernel touches that kernel's bytes. The input is hostile: every
// offset and length is checked against the file before use, and nothing is
// allocated on the word of the file alone. Header-only (C++17, zstd,
// msgpack-cxx, xxHash), because kpack/kpack.h is. detail/Toc.h reads the table
// of contents, detail/ZstdFrames.h decompresses. Sibling: ArchiveWriter.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_ARCHIVEREADER_H
#define KPACK_ARCHIVE_ARCHIVEREADER_H

#include "kpack/Archive/Format.h"
#include "kpack/Archive/detail/ContentHash.h"
#include "kpack/Archive/detail/Toc.h"
#include "kpack/Archive/detail/ZstdFrames.h"
#include "kpack/Support/Buffer.h"
#include "kpack/Support/MappedFile.h"
#include "kpack/Support/Status.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace kpack {

/// Immutable after open(): every const member may be called from any number of
/// threads at once.
class ArchiveReader {
public:
  /// Maps \p Path and checks header and table of contents. Errors name file,
  /// offset and reason: FileNotFound, IoError, InvalidFormat,
  /// UnsupportedVersion, MsgpackParseFailed, OutOfMemory.
  static Result<std::unique_ptr<const ArchiveReader>>
  open(const std::string &Path);

  /// The same over memory that the caller keeps alive (tests, fuzzers).
  static Result<std::unique_ptr<const ArchiveReader>>
  fromMemory(std::string_view Bytes, std::string Name);

  ArchiveReader(const ArchiveReader &) = delete;
  ArchiveReader &operator=(const ArchiveReader &) = delete;

  const std::string &path() const { return Path; }
  uint64_t fileSize() const { return Bytes.size(); }
  /// Bytes of the table of contents, which open() reads.
  uint64_t tocSize() const { return Bytes.size() - TocOffset; }
  CompressionScheme scheme() const { return Scheme; }
  std::string_view groupName() const { return Toc.GroupName; }
  std::string_view archFamily() const { return Toc.ArchFamily; }
  /// `gfx_arches`, in file order.
  const std::vector<std::string_view> &architectures() const {
    return Toc.Architectures;
  }
  /// Keys of the table of contents, sorted.
  const std::vector<std::string_view> &binaries() const { return Toc.Binaries; }
  /// Every entry, sorted by (Binary, Arch).
  const std::vector<ArchiveEntry> &entries() const { return Toc.Entries; }

  /// The entry, or null. O(log entries).
  const ArchiveEntry *find(std::string_view Binary,
                           std::string_view Arch) const;

  /// `archive_id` that the archive states for marker name \p KernelName; empty
  /// when it states none (archives of other writers).
  std::string_view archiveId(std::string_view KernelName) const;

  /// Whether the bytes of \p Entry can be what the table of contents says,
  /// from headers alone: to be asked before OriginalSize bytes are allocated
  /// for readInto(). InvalidFormat.
  Status checkEntry(const ArchiveEntry &Entry) const;

  /// Decompresses into \p Out, which has exactly OriginalSize bytes. Checks
  /// the content checksum where the archive has one. DecompressionFailed,
  /// InvalidFormat.
  Status readInto(const ArchiveEntry &Entry, char *Out, uint64_t Size) const;

  /// checkEntry(), allocation and readInto() in one. However the archive lies,
  /// no more than 64 MiB is allocated beyond the data that is really there.
  Result<Buffer> read(const ArchiveEntry &Entry) const;

  /// Reads the entry, and compares it with the hash that the archive keeps
  /// whatever the scheme is. DecompressionFailed, InvalidFormat.
  Status verify(const ArchiveEntry &Entry) const;

  /// Bytes in the file that hold this entry (compressed size); InvalidFormat
  /// when they do not lie inside the file.
  Result<uint64_t> storedSize(const ArchiveEntry &Entry) const;

  /// The entry's bytes inside the mapping when the scheme is "none" (no copy);
  /// empty otherwise. Not compared with the hash.
  std::string_view mappedBytes(const ArchiveEntry &Entry) const;

private:
  using OpenResult = Result<std::unique_ptr<const ArchiveReader>>;

  /// Frames of a zstd blob by ordinal, found by walking the blob once.
  struct FrameIndex {
    std::once_flag Once;
    Status Failure;
    std::vector<detail::Extent> Frames;
  };

  ArchiveReader(MappedFile File, std::string_view Bytes, std::string Path)
      : File(std::move(File)), Bytes(Bytes), Path(std::move(Path)) {}

  static OpenResult create(MappedFile File, std::string_view Bytes,
                           std::string Path);
  Status parse();
  Status parseHeader();
  Status parseToc();
  Status parseScheme();

  Result<std::string_view> stored(const ArchiveEntry &Entry) const;
  Result<std::string_view> storedRaw(const ArchiveEntry &Entry) const;
  Result<std::string_view> storedFrame(const ArchiveEntry &Entry) const;
  bool trustsHint(const ArchiveEntry &Entry) const;
  Status walkFrames(std::vector<detail::Extent> &Frames) const;
  Status checkSize(const ArchiveEntry &Entry, std::string_view Stored) const;
  Status checkHash(const ArchiveEntry &Entry, std::string_view Content) const;

  uint32_t loadU32(uint64_t Offset) const;
  uint64_t loadU64(uint64_t Offset) const;
  Status damaged(uint64_t Offset, std::string What,
                 StatusCode Code = StatusCode::InvalidFormat) const;
  Status outOfMemory() const;
  static std::string describe(const ArchiveEntry &Entry);

  MappedFile File; // empty when the bytes are the caller's
  std::string_view Bytes;
  std::string Path;
  uint64_t TocOffset = 0;
  CompressionScheme Scheme = CompressionScheme::None;
  detail::Extent ZstdBlob;
  detail::Toc Toc;
  mutable FrameIndex Index;
  mutable detail::DCtxPool Contexts;
};

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

inline ArchiveReader::OpenResult ArchiveReader::open(const std::string &Path) {
  Result<MappedFile> File = MappedFile::open(Path);
  if (!File)
    return File.status();
  std::string_view Bytes = File->bytes();
  return create(std::move(*File), Bytes, Path);
}

inline ArchiveReader::OpenResult
ArchiveReader::fromMemory(std::string_view Bytes, std::string Name) {
  return create(MappedFile(), Bytes, std::move(Name));
}

inline ArchiveReader::OpenResult ArchiveReader::create(MappedFile File,
                                                       std::string_view Bytes,
                                                       std::string Path) {
  std::unique_ptr<ArchiveReader> Reader(
      new ArchiveReader(std::move(File), Bytes, std::move(Path)));
  if (Status S = Reader->parse(); !S.ok())
    return S;
  return std::unique_ptr<const ArchiveReader>(std::move(Reader));
}

inline Status ArchiveReader::parse() {
  if (Status S = parseHeader(); !S.ok())
    return S;
#ifdef __cpp_exceptions
  // The vectors of the table of contents; nothing else here can throw.
  try {
    if (Status S = parseToc(); !S.ok())
      return S;
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
#else
  if (Status S = parseToc(); !S.ok())
    return S;
#endif
  return parseScheme();
}

inline Status ArchiveReader::parseHeader() {
  // Magic and version first: another version may have a shorter header.
  if (Bytes.substr(0, ArchiveMagic.size()) != ArchiveMagic)
    return Status(StatusCode::InvalidFormat,
                  Path +
                      ": offset 0: not a kpack archive (no \"KPAK\"); give a "
                      "file that a kpack linker or tool wrote");
  if (Bytes.size() >= 8 && loadU32(4) != ArchiveVersion)
    return Status(StatusCode::UnsupportedVersion,
                  Path + ": offset 4: container version " +
                      std::to_string(loadU32(4)) +
                      " is not supported; update kpack");
  if (Bytes.size() < ArchiveHeaderSize)
    return damaged(0, "the file has " + std::to_string(Bytes.size()) +
                          " bytes, a kpack header alone has " +
                          std::to_string(ArchiveHeaderSize));
  TocOffset = loadU64(8);
  if (TocOffset < ArchiveHeaderSize || TocOffset >= Bytes.size())
    return damaged(8, "the table of contents at " + std::to_string(TocOffset) +
                          " is not inside the file of " +
                          std::to_string(Bytes.size()) + " bytes");
  return Status::success();
}

inline Status ArchiveReader::parseToc() {
  detail::TocVisitor Visitor(Toc);
  size_t End = 0;
  if (!Visitor.parse(Bytes.substr(TocOffset), End) || !Visitor.finish())
    return damaged(TocOffset + End, "table of contents: " + Visitor.reason(),
                   StatusCode::MsgpackParseFailed);
  return Status::success();
}

inline Status ArchiveReader::parseScheme() {
  std::string_view Name = Toc.SchemeName.value_or("none");
  if (Name == schemeName(CompressionScheme::None)) {
    Scheme = CompressionScheme::None;
    return Status::success();
  }
  if (Name != schemeName(CompressionScheme::ZstdPerKernel))
    return Status(StatusCode::UnsupportedVersion,
                  Path + ": offset " + std::to_string(TocOffset) +
                      ": compression scheme '" + std::string(Name) +
                      "' is not supported; update kpack");
  Scheme = CompressionScheme::ZstdPerKernel;
  if (!Toc.ZstdOffset || !Toc.ZstdSize)
    return damaged(TocOffset,
                   "the table of contents lacks 'zstd_offset' or 'zstd_size'");
  ZstdBlob = {*Toc.ZstdOffset, *Toc.ZstdSize};
  if (ZstdBlob.Offset < ArchiveHeaderSize || ZstdBlob.Offset > TocOffset ||
      ZstdBlob.Size > TocOffset - ZstdBlob.Offset ||
      ZstdBlob.Size < sizeof(uint32_t))
    return damaged(TocOffset,
                   "the zstd blob of " + std::to_string(ZstdBlob.Size) +
                       " bytes at " + std::to_string(ZstdBlob.Offset) +
                       " does not lie between header and table of contents");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Looking up
//===----------------------------------------------------------------------===//

inline const ArchiveEntry *ArchiveReader::find(std::string_view Binary,
                                               std::string_view Arch) const {
  ArchiveEntry Key;
  Key.Binary = Binary;
  Key.Arch = Arch;
  auto It = std::lower_bound(Toc.Entries.begin(), Toc.Entries.end(), Key,
                             detail::entryLess);
  if (It == Toc.Entries.end() || It->Binary != Binary || It->Arch != Arch)
    return nullptr;
  return &*It;
}

inline std::string_view
ArchiveReader::archiveId(std::string_view KernelName) const {
  auto It =
      std::lower_bound(Toc.ArchiveIds.begin(), Toc.ArchiveIds.end(), KernelName,
                       [](const auto &Item, std::string_view Name) {
                         return Item.first < Name;
                       });
  if (It != Toc.ArchiveIds.end() && It->first == KernelName)
    return It->second;
  return Toc.ArchiveId;
}

//===----------------------------------------------------------------------===//
// Where the bytes of an entry stand
//===----------------------------------------------------------------------===//

inline Result<std::string_view>
ArchiveReader::stored(const ArchiveEntry &Entry) const {
  return Scheme == CompressionScheme::None ? storedRaw(Entry)
                                           : storedFrame(Entry);
}

inline Result<std::string_view>
ArchiveReader::storedRaw(const ArchiveEntry &Entry) const {
  if (Entry.Ordinal >= Toc.Blobs.size())
    return damaged(TocOffset, describe(Entry) + " names blob " +
                                  std::to_string(Entry.Ordinal) + " of " +
                                  std::to_string(Toc.Blobs.size()));
  detail::Extent Blob = Toc.Blobs[Entry.Ordinal];
  if (Blob.Offset < ArchiveHeaderSize || Blob.Offset > TocOffset ||
      Blob.Size > TocOffset - Blob.Offset)
    return damaged(TocOffset, describe(Entry) + " has its " +
                                  std::to_string(Blob.Size) + " bytes at " +
                                  std::to_string(Blob.Offset) +
                                  ", not between header and table of contents");
  return Bytes.substr(Blob.Offset, Blob.Size);
}

inline Result<std::string_view>
ArchiveReader::storedFrame(const ArchiveEntry &Entry) const {
  if (trustsHint(Entry))
    return Bytes.substr(Entry.Offset, Entry.StoredSize);
  std::call_once(Index.Once,
                 [this] { Index.Failure = walkFrames(Index.Frames); });
  if (!Index.Failure.ok())
    return Index.Failure;
  if (Entry.Ordinal >= Index.Frames.size())
    return damaged(ZstdBlob.Offset, describe(Entry) + " names kernel " +
                                        std::to_string(Entry.Ordinal) + " of " +
                                        std::to_string(Index.Frames.size()));
  detail::Extent Frame = Index.Frames[Entry.Ordinal];
  return Bytes.substr(Frame.Offset, Frame.Size);
}

/// Whether `offset` and `stored_size` agree with the blob: inside it, and the
/// length in front of the frame is the same.
inline bool ArchiveReader::trustsHint(const ArchiveEntry &Entry) const {
  uint64_t First = ZstdBlob.Offset + 2 * sizeof(uint32_t);
  uint64_t End = ZstdBlob.Offset + ZstdBlob.Size;
  return Entry.Offset >= First && Entry.Offset <= End &&
         Entry.StoredSize <= End - Entry.Offset &&
         loadU32(Entry.Offset - sizeof(uint32_t)) == Entry.StoredSize;
}

inline Status
ArchiveReader::walkFrames(std::vector<detail::Extent> &Frames) const {
  uint64_t Offset = ZstdBlob.Offset;
  uint64_t End = ZstdBlob.Offset + ZstdBlob.Size;
  uint32_t Count = loadU32(Offset);
  if (Count > MaxZstdKernels)
    return damaged(Offset, "the zstd blob claims " + std::to_string(Count) +
                               " kernels, the format allows " +
                               std::to_string(MaxZstdKernels));
  Offset += sizeof(uint32_t);
  for (uint32_t I = 0; I != Count; ++I) {
    if (End - Offset < sizeof(uint32_t))
      return damaged(Offset, "the zstd blob ends before kernel " +
                                 std::to_string(I) + " of " +
                                 std::to_string(Count));
    uint32_t Length = loadU32(Offset);
    Offset += sizeof(uint32_t);
    if (Length > End - Offset)
      return damaged(Offset - sizeof(uint32_t),
                     "kernel " + std::to_string(I) + " of " +
                         std::to_string(Length) +
                         " bytes reaches beyond the zstd blob");
    Frames.push_back({Offset, Length});
    Offset += Length;
  }
  return Status::success();
}

inline Result<uint64_t>
ArchiveReader::storedSize(const ArchiveEntry &Entry) const {
  Result<std::string_view> Stored = stored(Entry);
  if (!Stored)
    return Stored.status();
  return uint64_t(Stored->size());
}

inline std::string_view
ArchiveReader::mappedBytes(const ArchiveEntry &Entry) const {
  if (Scheme != CompressionScheme::None)
    return {};
  Result<std::string_view> Stored = storedRaw(Entry);
  return Stored ? *Stored : std::string_view();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

inline Status ArchiveReader::checkSize(const ArchiveEntry &Entry,
                                       std::string_view Stored) const {
  uint64_t At = static_cast<uint64_t>(Stored.data() - Bytes.data());
  if (Scheme == CompressionScheme::ZstdPerKernel) {
    std::string Why = detail::implausibleSize(Stored, Entry.OriginalSize);
    return Why.empty() ? Status::success()
                       : damaged(At, describe(Entry) + ": " + Why);
  }
  if (Stored.size() != Entry.OriginalSize)
    return damaged(At, describe(Entry) + ": the table of contents says " +
                           std::to_string(Entry.OriginalSize) +
                           " bytes, the blob has " +
                           std::to_string(Stored.size()));
  return Status::success();
}

inline Status ArchiveReader::checkHash(const ArchiveEntry &Entry,
                                       std::string_view Content) const {
  if (Entry.Hash.empty())
    return Status::success();
  detail::ContentHash Hash = detail::contentHash(Content);
  if (Entry.Hash == std::string_view(Hash.data(), Hash.size()))
    return Status::success();
  Result<std::string_view> Stored = stored(Entry);
  uint64_t At =
      Stored ? static_cast<uint64_t>(Stored->data() - Bytes.data()) : 0;
  return damaged(At, describe(Entry) + ": the bytes do not match their hash",
                 StatusCode::DecompressionFailed);
}

inline Status ArchiveReader::checkEntry(const ArchiveEntry &Entry) const {
  Result<std::string_view> Stored = stored(Entry);
  return Stored ? checkSize(Entry, *Stored) : Stored.status();
}

inline Status ArchiveReader::readInto(const ArchiveEntry &Entry, char *Out,
                                      uint64_t Size) const {
  Result<std::string_view> Stored = stored(Entry);
  if (!Stored)
    return Stored.status();
  if (Size != Entry.OriginalSize)
    return Status(StatusCode::InvalidArgument,
                  Path + ": " + describe(Entry) + " has " +
                      std::to_string(Entry.OriginalSize) +
                      " bytes, the buffer " + std::to_string(Size) +
                      "; make it as large");
  if (Status S = checkSize(Entry, *Stored); !S.ok())
    return S;

  if (Scheme == CompressionScheme::None) {
    if (Size)
      std::memcpy(Out, Stored->data(), Size);
    return checkHash(Entry, std::string_view(Out, Size));
  }
  detail::DCtxPtr Context = Contexts.take();
  if (!Context)
    return outOfMemory();
  std::string Why = detail::decompress(Context.get(), *Stored, Out, Size);
  Contexts.give(std::move(Context));
  if (Why.empty())
    return Status::success();
  return damaged(static_cast<uint64_t>(Stored->data() - Bytes.data()),
                 describe(Entry) + ": zstd: " + Why,
                 StatusCode::DecompressionFailed);
}

inline Result<Buffer> ArchiveReader::read(const ArchiveEntry &Entry) const {
  Result<std::string_view> Stored = stored(Entry);
  if (!Stored)
    return Stored.status();
  if (Status S = checkSize(Entry, *Stored); !S.ok())
    return S;

  Buffer Out;
  if (Scheme == CompressionScheme::None ||
      Entry.OriginalSize <= detail::TrustedSize) {
    if (!Out.resize(Entry.OriginalSize))
      return outOfMemory();
    if (Status S = readInto(Entry, Out.data(), Out.size()); !S.ok())
      return S;
    return Out;
  }
  detail::DCtxPtr Context = Contexts.take();
  if (!Context)
    return outOfMemory();
  std::string Why = detail::decompressGrowing(Context.get(), *Stored, Out,
                                              Entry.OriginalSize);
  Contexts.give(std::move(Context));
  if (Why.empty())
    return Out;
  return damaged(static_cast<uint64_t>(Stored->data() - Bytes.data()),
                 describe(Entry) + ": zstd: " + Why,
                 StatusCode::DecompressionFailed);
}

inline Status ArchiveReader::verify(const ArchiveEntry &Entry) const {
  Result<Buffer> Content = read(Entry);
  if (!Content)
    return Content.status();
  return checkHash(Entry, Content->bytes());
}

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

inline uint32_t ArchiveReader::loadU32(uint64_t Offset) const {
  uint32_t Value = 0;
  for (unsigned I = 0; I != sizeof(Value); ++I)
    Value |= uint32_t(static_cast<unsigned char>(Bytes[Offset + I])) << (8 * I);
  return Value;
}

inline uint64_t ArchiveReader::loadU64(uint64_t Offset) const {
  return loadU32(Offset) | uint64_t(loadU32(Offset + 4)) << 32;
}

inline Status ArchiveReader::damaged(uint64_t Offset, std::string What,
                                     StatusCode Code) const {
  return Status(Code, Path + ": offset " + std::to_string(Offset) + ": " +
                          std::move(What) +
                          "; the file is damaged, build or install it again");
}

inline Status ArchiveReader::outOfMemory() const {
  return Status(StatusCode::OutOfMemory,
                Path + ": out of memory; close other programs or raise the "
                       "limit (ulimit -v)");
}

inline std::string ArchiveReader::describe(const ArchiveEntry &Entry) {
  return "entry '" + std::string(Entry.Binary) + "' for '" +
         std::string(Entry.Arch) + "'";
}

} // namespace kpack

#endif // KPACK_ARCHIVE_ARCHIVEREADER_H
