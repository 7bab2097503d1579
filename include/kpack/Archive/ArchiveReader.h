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
// offset and length is checked against the file before use, nothing is
// allocated on the word of the file alone, and no bytes are handed out that do
// not match the hash of their entry. Header-only (C++17, zstd, msgpack-cxx,
// xxHash), because kpack/kpack.h is. detail/Toc.h reads the table of contents,
// detail/ZstdFrames.h decompresses. Sibling: ArchiveWriter.h.
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
  /// Where the map of the table of contents ends; the end of the file, unless
  /// something follows it.
  uint64_t tocEnd() const { return TocEnd; }
  /// Whether the reserved bytes of the header are zero, as they should be.
  bool reservedIsZero() const;
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

  /// Copies or decompresses into \p Out, which has exactly OriginalSize bytes.
  /// Compares them with the entry's hash or, where it has none, with the
  /// checksum of the zstd frame if there is one. DecompressionFailed,
  /// InvalidFormat.
  Status readInto(const ArchiveEntry &Entry, char *Out, uint64_t Size) const;

  /// checkEntry(), allocation and readInto() in one. However the archive lies,
  /// no more is allocated at once than 64 MiB, 16 times the stored bytes, or
  /// twice what was really decompressed, whichever is most.
  Result<Buffer> read(const ArchiveEntry &Entry) const;

  /// The entry's bytes inside the mapping, without a copy; compared with the
  /// entry's hash at each call. Scheme "none" only: InvalidArgument for others.
  /// DecompressionFailed, InvalidFormat.
  Result<std::string_view> view(const ArchiveEntry &Entry) const;

  /// As read(), but trusts nothing that can be checked: the ordinal alone says
  /// where the bytes stand, hints must agree with it, and the frame's checksum
  /// counts beside the hash. DecompressionFailed, InvalidFormat.
  Result<Buffer> readVerified(const ArchiveEntry &Entry) const;

  /// What readVerified() would find wrong with \p Entry, given that it found
  /// nothing wrong with \p Verified, which has the same ordinal and, if either
  /// of the two has one, a hash. Reads nothing again.
  Status verifyShared(const ArchiveEntry &Entry,
                      const ArchiveEntry &Verified) const;

  /// Bytes in the file that hold this entry (compressed size); InvalidFormat
  /// when they do not lie inside the file.
  Result<uint64_t> storedSize(const ArchiveEntry &Entry) const;

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
  Result<std::string_view> storedByOrdinal(const ArchiveEntry &Entry) const;
  Result<std::string_view> storedRaw(const ArchiveEntry &Entry) const;
  Result<std::string_view> storedFrame(const ArchiveEntry &Entry) const;
  template <typename Function>
  Status tryStored(const ArchiveEntry &Entry, const Function &Use) const;
  bool triesHint(const ArchiveEntry &Entry) const;
  Status checkHint(const ArchiveEntry &Entry, std::string_view Stored) const;
  Status walkFrames(std::vector<detail::Extent> &Frames) const;
  Status checkSize(const ArchiveEntry &Entry, std::string_view Stored) const;
  Status checkHash(const ArchiveEntry &Entry, std::string_view Content,
                   std::string_view Stored) const;
  Result<Buffer> extract(const ArchiveEntry &Entry, std::string_view Stored,
                         detail::FrameChecksum Checksum) const;
  Status extractInto(const ArchiveEntry &Entry, std::string_view Stored,
                     char *Out) const;
  detail::FrameChecksum checksumOf(const ArchiveEntry &Entry) const;

  uint32_t loadU32(uint64_t Offset) const;
  uint64_t loadU64(uint64_t Offset) const;
  uint64_t offsetOf(std::string_view Stored) const {
    return static_cast<uint64_t>(Stored.data() - Bytes.data());
  }
  Status damaged(uint64_t Offset, std::string What,
                 StatusCode Code = StatusCode::InvalidFormat) const;
  Status outOfMemory() const;
  static std::string describe(const ArchiveEntry &Entry);

  MappedFile File; // empty when the bytes are the caller's
  std::string_view Bytes;
  std::string Path;
  uint64_t TocOffset = 0;
  uint64_t TocEnd = 0;
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
  TocEnd = TocOffset + End;
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

/// Where the archive says that the bytes are. Only their hash tells whether a
/// hint is right, so without one there is no hint.
inline Result<std::string_view>
ArchiveReader::stored(const ArchiveEntry &Entry) const {
  if (triesHint(Entry))
    return Bytes.substr(Entry.Offset, Entry.StoredSize);
  return storedByOrdinal(Entry);
}

inline Result<std::string_view>
ArchiveReader::storedByOrdinal(const ArchiveEntry &Entry) const {
  return Scheme == CompressionScheme::None ? storedRaw(Entry)
                                           : storedFrame(Entry);
}

/// Gives \p Use the stored bytes. It has to say whether they are the entry's:
/// where a hint leads to others, it gets those that the ordinal names.
template <typename Function>
Status ArchiveReader::tryStored(const ArchiveEntry &Entry,
                                const Function &Use) const {
  Result<std::string_view> First = stored(Entry);
  if (!First)
    return First.status();
  Status S = Use(*First);
  if (S.ok() || S.code() == StatusCode::OutOfMemory || !triesHint(Entry))
    return S;
  Result<std::string_view> Named = storedByOrdinal(Entry);
  if (!Named || Named->data() == First->data())
    return S;
  return Use(*Named);
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
  std::string_view Stored = Bytes.substr(Blob.Offset, Blob.Size);
  if (Status S = checkHint(Entry, Stored); !S.ok())
    return S;
  return Stored;
}

inline Result<std::string_view>
ArchiveReader::storedFrame(const ArchiveEntry &Entry) const {
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

/// Whether `offset` and `stored_size` save the walk: they agree with the blob
/// (inside it, and the length in front of the frame is the same), and there is
/// a hash to check what they lead to.
inline bool ArchiveReader::triesHint(const ArchiveEntry &Entry) const {
  if (Scheme != CompressionScheme::ZstdPerKernel || Entry.Hash.empty() ||
      !Entry.HasHint)
    return false;
  uint64_t First = ZstdBlob.Offset + 2 * sizeof(uint32_t);
  uint64_t End = ZstdBlob.Offset + ZstdBlob.Size;
  return Entry.Offset >= First && Entry.Offset <= End &&
         Entry.StoredSize <= End - Entry.Offset &&
         loadU32(Entry.Offset - sizeof(uint32_t)) == Entry.StoredSize;
}

/// A hint that is there must name \p Stored, which the ordinal names.
inline Status ArchiveReader::checkHint(const ArchiveEntry &Entry,
                                       std::string_view Stored) const {
  if (!Entry.HasHint ||
      (Entry.Offset == offsetOf(Stored) && Entry.StoredSize == Stored.size()))
    return Status::success();
  return damaged(TocOffset, describe(Entry) +
                                ": 'offset' and 'stored_size' "
                                "say " +
                                std::to_string(Entry.StoredSize) +
                                " bytes at " + std::to_string(Entry.Offset) +
                                ", its ordinal " +
                                std::to_string(Stored.size()) + " bytes at " +
                                std::to_string(offsetOf(Stored)));
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

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

inline Status ArchiveReader::checkSize(const ArchiveEntry &Entry,
                                       std::string_view Stored) const {
  uint64_t At = offsetOf(Stored);
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
                                       std::string_view Content,
                                       std::string_view Stored) const {
  if (Entry.Hash.empty())
    return Status::success();
  detail::ContentHash Hash = detail::contentHash(Content);
  if (Entry.Hash == std::string_view(Hash.data(), Hash.size()))
    return Status::success();
  return damaged(offsetOf(Stored),
                 describe(Entry) + ": the bytes do not match their hash",
                 StatusCode::DecompressionFailed);
}

inline Status ArchiveReader::checkEntry(const ArchiveEntry &Entry) const {
  return tryStored(
      Entry, [&](std::string_view Stored) { return checkSize(Entry, Stored); });
}

/// The hash says more than the frame's own checksum, in less time.
inline detail::FrameChecksum
ArchiveReader::checksumOf(const ArchiveEntry &Entry) const {
  return Entry.Hash.empty() ? detail::FrameChecksum::Checked
                            : detail::FrameChecksum::Skipped;
}

inline Status ArchiveReader::extractInto(const ArchiveEntry &Entry,
                                         std::string_view Stored,
                                         char *Out) const {
  uint64_t Size = Entry.OriginalSize;
  if (Status S = checkSize(Entry, Stored); !S.ok())
    return S;
  if (Scheme == CompressionScheme::None) {
    if (Size)
      std::memcpy(Out, Stored.data(), Size);
    return checkHash(Entry, std::string_view(Out, Size), Stored);
  }
  detail::DCtxPtr Context = Contexts.take();
  if (!Context)
    return outOfMemory();
  std::string Why =
      detail::decompress(Context.get(), Stored, Out, Size, checksumOf(Entry));
  Contexts.give(std::move(Context));
  if (Why.empty())
    return checkHash(Entry, std::string_view(Out, Size), Stored);
  return damaged(offsetOf(Stored), describe(Entry) + ": zstd: " + Why,
                 StatusCode::DecompressionFailed);
}

inline Result<Buffer>
ArchiveReader::extract(const ArchiveEntry &Entry, std::string_view Stored,
                       detail::FrameChecksum Checksum) const {
  if (Status S = checkSize(Entry, Stored); !S.ok())
    return S;
  Buffer Out;
  if (Scheme == CompressionScheme::None) {
    if (!Out.resize(Entry.OriginalSize))
      return outOfMemory();
    if (Status S = extractInto(Entry, Stored, Out.data()); !S.ok())
      return S;
    return Out;
  }
  detail::DCtxPtr Context = Contexts.take();
  if (!Context)
    return outOfMemory();
  std::string Why = detail::decompressGrowing(Context.get(), Stored, Out,
                                              Entry.OriginalSize, Checksum);
  Contexts.give(std::move(Context));
  if (!Out.data())
    return outOfMemory();
  if (!Why.empty())
    return damaged(offsetOf(Stored), describe(Entry) + ": zstd: " + Why,
                   StatusCode::DecompressionFailed);
  if (Status S = checkHash(Entry, Out.bytes(), Stored); !S.ok())
    return S;
  return Out;
}

inline Status ArchiveReader::readInto(const ArchiveEntry &Entry, char *Out,
                                      uint64_t Size) const {
  if (Size != Entry.OriginalSize)
    return Status(StatusCode::InvalidArgument,
                  Path + ": " + describe(Entry) + " has " +
                      std::to_string(Entry.OriginalSize) +
                      " bytes, the buffer " + std::to_string(Size) +
                      "; make it as large");
  return tryStored(Entry, [&](std::string_view Stored) {
    return extractInto(Entry, Stored, Out);
  });
}

inline Result<Buffer> ArchiveReader::read(const ArchiveEntry &Entry) const {
  Buffer Out;
  Status S = tryStored(Entry, [&](std::string_view Stored) {
    Result<Buffer> Content = extract(Entry, Stored, checksumOf(Entry));
    if (!Content)
      return Content.status();
    Out = std::move(*Content);
    return Status::success();
  });
  if (!S.ok())
    return S;
  return Out;
}

inline Result<std::string_view>
ArchiveReader::view(const ArchiveEntry &Entry) const {
  if (Scheme != CompressionScheme::None)
    return Status(StatusCode::InvalidArgument,
                  Path + ": " + describe(Entry) +
                      " is compressed; read it into memory");
  Result<std::string_view> Stored = storedRaw(Entry);
  if (!Stored)
    return Stored;
  if (Status S = checkSize(Entry, *Stored); !S.ok())
    return S;
  if (Status S = checkHash(Entry, *Stored, *Stored); !S.ok())
    return S;
  return Stored;
}

inline Result<Buffer>
ArchiveReader::readVerified(const ArchiveEntry &Entry) const {
  Result<std::string_view> Stored = storedByOrdinal(Entry);
  if (!Stored)
    return Stored.status();
  if (Status S = checkHint(Entry, *Stored); !S.ok())
    return S;
  return extract(Entry, *Stored, detail::FrameChecksum::Checked);
}

inline Status ArchiveReader::verifyShared(const ArchiveEntry &Entry,
                                          const ArchiveEntry &Verified) const {
  Result<std::string_view> Stored = storedByOrdinal(Entry);
  if (!Stored)
    return Stored.status();
  if (Status S = checkHint(Entry, *Stored); !S.ok())
    return S;
  std::string Shared = describe(Entry) + " and " + describe(Verified) +
                       " share ordinal " + std::to_string(Entry.Ordinal);
  if (Entry.OriginalSize != Verified.OriginalSize)
    return damaged(TocOffset, Shared + " and differ in 'original_size'");
  if (!Entry.Hash.empty() && Entry.Hash != Verified.Hash)
    return damaged(TocOffset, Shared + " and differ in 'hash'",
                   StatusCode::DecompressionFailed);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Small parts
//===----------------------------------------------------------------------===//

inline bool ArchiveReader::reservedIsZero() const {
  constexpr uint64_t Used = 16; // magic, version, offset
  return Bytes.substr(Used, ArchiveHeaderSize - Used).find_first_not_of('\0') ==
         std::string_view::npos;
}

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
