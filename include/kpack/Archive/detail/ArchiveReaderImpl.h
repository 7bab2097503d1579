//===- ArchiveReaderImpl.h - functions of ArchiveReader.h -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies of ArchiveReader.h, which includes this file unless
// KPACK_ARCHIVE_LIBRARY is defined; then lib/Archive/ArchiveReader.cpp compiles
// them. TocParser.h reads the table of contents, ZstdFrames.h decompresses.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_ARCHIVEREADERIMPL_H
#define KPACK_ARCHIVE_DETAIL_ARCHIVEREADERIMPL_H

#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/detail/ArchiveFile.h"
#include "kpack/Archive/detail/ContentHash.h"
#include "kpack/Archive/detail/Inline.h"
#include "kpack/Archive/detail/TocParser.h"
#include "kpack/Archive/detail/ZstdFrames.h"
#include "kpack/Support/LittleEndian.h"

#include <algorithm>
#include <new>
#include <utility>

namespace kpack {

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

KPACK_ARCHIVE_INLINE ArchiveReader::ArchiveReader(FilePtr File,
                                                  std::string Path)
    : File(std::move(File)), Path(std::move(Path)),
      Decoders(new detail::DecoderPool) {}

KPACK_ARCHIVE_INLINE ArchiveReader::~ArchiveReader() = default;

KPACK_ARCHIVE_INLINE ArchiveReader::OpenResult
ArchiveReader::open(const std::string &Path, FileCheck Check) {
  Result<FilePtr> File = detail::ArchiveFile::open(Path, Check);
  if (!File)
    return File.status();
  return create(std::move(*File), Path);
}

KPACK_ARCHIVE_INLINE ArchiveReader::OpenResult
ArchiveReader::fromMemory(std::string_view Bytes, std::string Name) {
  FilePtr File = detail::ArchiveFile::over(Bytes, Name);
  return create(std::move(File), std::move(Name));
}

KPACK_ARCHIVE_INLINE ArchiveReader::OpenResult
ArchiveReader::create(FilePtr File, std::string Path) {
  std::unique_ptr<ArchiveReader> Reader(
      new ArchiveReader(std::move(File), std::move(Path)));
  if (Status S = Reader->parse(); !S.ok())
    return S;
  return std::unique_ptr<const ArchiveReader>(std::move(Reader));
}

KPACK_ARCHIVE_INLINE Status ArchiveReader::parse() {
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

KPACK_ARCHIVE_INLINE Status ArchiveReader::parseHeader() {
  std::string_view Bytes(Header.data(),
                         std::min(File->size(), ArchiveHeaderSize));
  if (Status S = File->read(0, Header.data(), Bytes.size()); !S.ok())
    return S;
  // Magic and version first: another version may have a shorter header.
  if (Bytes.substr(0, ArchiveMagic.size()) != ArchiveMagic)
    return Status(StatusCode::InvalidFormat,
                  Path +
                      ": offset 0: not a kpack archive (no \"KPAK\"); give a "
                      "file that a kpack linker or tool wrote");
  uint64_t Version = readLittleEndian(Header.data() + 4, sizeof(uint32_t));
  if (Bytes.size() >= 8 && Version != ArchiveVersion)
    return Status(StatusCode::UnsupportedVersion,
                  Path + ": offset 4: container version " +
                      std::to_string(Version) +
                      " is not supported; update kpack");
  if (Bytes.size() < ArchiveHeaderSize)
    return damaged(0, "the file has " + std::to_string(Bytes.size()) +
                          " bytes, a kpack header alone has " +
                          std::to_string(ArchiveHeaderSize));
  TocOffset = readLittleEndian(Header.data() + 8);
  if (TocOffset < ArchiveHeaderSize || TocOffset >= File->size())
    return damaged(8, "the table of contents at " + std::to_string(TocOffset) +
                          " is not inside the file of " +
                          std::to_string(File->size()) + " bytes");
  return Status::success();
}

/// Reads the table in one step, unless it is large; then its beginning must
/// parse first, because a file can have holes that take no room on the disk.
KPACK_ARCHIVE_INLINE Status ArchiveReader::parseToc() {
  constexpr uint64_t FirstStep = uint64_t(64) << 20;
  constexpr uint64_t Most = uint64_t(1) << 30;
  for (uint64_t Step = FirstStep, Have = 0;; Step *= 4) {
    uint64_t Size = std::min(tocSize(), Step);
    if (!TocBytes.resize(Size))
      return outOfMemory();
    if (Status S =
            File->read(TocOffset + Have, TocBytes.data() + Have, Size - Have);
        !S.ok())
      return S;
    Have = Size;
    Toc = detail::Toc();
    detail::TocParser Parser(TocBytes.bytes(), Toc);
    bool IsParsed = Parser.parse();
    if (Parser.isCutOff() && Size != tocSize() && Size < Most)
      continue;
    TocEnd = TocOffset + Parser.offset();
    if (!IsParsed || !Parser.finish())
      return damaged(TocEnd, "table of contents: " + Parser.reason(),
                     StatusCode::MsgpackParseFailed);
    return Status::success();
  }
}

KPACK_ARCHIVE_INLINE Status ArchiveReader::parseScheme() {
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
// Lookup
//===----------------------------------------------------------------------===//

KPACK_ARCHIVE_INLINE const ArchiveEntry *
ArchiveReader::find(std::string_view Binary, std::string_view Arch) const {
  ArchiveEntry Key;
  Key.Binary = Binary;
  Key.Arch = Arch;
  auto It = std::lower_bound(Toc.Entries.begin(), Toc.Entries.end(), Key,
                             detail::entryLess);
  if (It == Toc.Entries.end() || It->Binary != Binary || It->Arch != Arch)
    return nullptr;
  return &*It;
}

KPACK_ARCHIVE_INLINE std::string_view
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
// Location of an entry's bytes
//===----------------------------------------------------------------------===//

/// Returns the location of the bytes. A hint is used only with a hash, which
/// shows whether it is right.
KPACK_ARCHIVE_INLINE Result<detail::Extent>
ArchiveReader::stored(const ArchiveEntry &Entry) const {
  if (triesHint(Entry))
    return detail::Extent{Entry.Offset, Entry.StoredSize};
  return storedByOrdinal(Entry);
}

KPACK_ARCHIVE_INLINE Result<detail::Extent>
ArchiveReader::storedByOrdinal(const ArchiveEntry &Entry) const {
  return Scheme == CompressionScheme::None ? storedRaw(Entry)
                                           : storedFrame(Entry);
}

/// Calls \p Use with the stored bytes; it returns whether they are the entry's.
/// If a hint leads to others, calls it again with those that the ordinal names.
template <typename Function>
Status ArchiveReader::tryStored(const ArchiveEntry &Entry,
                                const Function &Use) const {
  Result<detail::Extent> First = stored(Entry);
  if (!First)
    return First.status();
  bool WasLost = File->knowsLost(); // then reads go by name already
  Status S = Use(*First);
  // A hash verifies the bytes; without one, check the descriptor.
  if (!WasLost && (!S.ok() || Entry.Hash.empty()) && File->lostDescriptor())
    S = Use(*First);
  if (S.ok() || S.code() == StatusCode::OutOfMemory || !triesHint(Entry))
    return S;
  Result<detail::Extent> Named = storedByOrdinal(Entry);
  if (!Named || (Named->Offset == First->Offset && Named->Size == First->Size))
    return S;
  return Use(*Named);
}

KPACK_ARCHIVE_INLINE Result<detail::Extent>
ArchiveReader::storedRaw(const ArchiveEntry &Entry) const {
  if (Entry.Ordinal >= Toc.Blobs.size())
    return damaged(TocOffset, Entry.describe() + " names blob " +
                                  std::to_string(Entry.Ordinal) + " of " +
                                  std::to_string(Toc.Blobs.size()));
  detail::Extent Blob = Toc.Blobs[Entry.Ordinal];
  if (Blob.Offset < ArchiveHeaderSize || Blob.Offset > TocOffset ||
      Blob.Size > TocOffset - Blob.Offset)
    return damaged(TocOffset, Entry.describe() + " has its " +
                                  std::to_string(Blob.Size) + " bytes at " +
                                  std::to_string(Blob.Offset) +
                                  ", not between header and table of contents");
  if (Status S = checkHint(Entry, Blob); !S.ok())
    return S;
  return Blob;
}

KPACK_ARCHIVE_INLINE Result<detail::Extent>
ArchiveReader::storedFrame(const ArchiveEntry &Entry) const {
  std::call_once(Index.Once,
                 [this] { Index.Failure = walkFrames(Index.Frames); });
  if (Index.Failure.code() == StatusCode::IoError) { // the error may be gone by
                                                     // now
    std::vector<detail::Extent> Frames;
    if (Status S = walkFrames(Frames); !S.ok())
      return S;
    if (Entry.Ordinal < Frames.size())
      return Frames[Entry.Ordinal];
  }
  if (!Index.Failure.ok())
    return Index.Failure;
  if (Entry.Ordinal >= Index.Frames.size())
    return damaged(ZstdBlob.Offset, Entry.describe() + " names kernel " +
                                        std::to_string(Entry.Ordinal) + " of " +
                                        std::to_string(Index.Frames.size()));
  return Index.Frames[Entry.Ordinal];
}

/// True if `offset` and `stored_size` can replace the walk: they lie inside the
/// blob, and a hash can check the bytes.
KPACK_ARCHIVE_INLINE bool
ArchiveReader::triesHint(const ArchiveEntry &Entry) const {
  if (Scheme != CompressionScheme::ZstdPerKernel || Entry.Hash.empty() ||
      !Entry.HasHint)
    return false;
  uint64_t First = ZstdBlob.Offset + 2 * sizeof(uint32_t);
  uint64_t End = ZstdBlob.Offset + ZstdBlob.Size;
  return Entry.Offset >= First && Entry.Offset <= End &&
         Entry.StoredSize <= End - Entry.Offset &&
         Entry.StoredSize <= UINT32_MAX; // the limit of the length field
}

/// Checks that a hint, if present, names the same bytes as the ordinal.
KPACK_ARCHIVE_INLINE Status ArchiveReader::checkHint(
    const ArchiveEntry &Entry, detail::Extent Stored) const {
  if (!Entry.HasHint ||
      (Entry.Offset == Stored.Offset && Entry.StoredSize == Stored.Size))
    return Status::success();
  return damaged(TocOffset, Entry.describe() +
                                ": 'offset' and 'stored_size' "
                                "say " +
                                std::to_string(Entry.StoredSize) +
                                " bytes at " + std::to_string(Entry.Offset) +
                                ", its ordinal " + std::to_string(Stored.Size) +
                                " bytes at " + std::to_string(Stored.Offset));
}

/// Reads ahead, for blobs of many small frames.
KPACK_ARCHIVE_INLINE Status
ArchiveReader::walkFrames(std::vector<detail::Extent> &Frames) const {
  uint64_t Offset = ZstdBlob.Offset;
  uint64_t End = ZstdBlob.Offset + ZstdBlob.Size;
  std::array<char, 4096> Window;
  uint64_t Begin = 0, Filled = 0;
  (void)File->lostDescriptor(); // remembers a lost descriptor
  auto LoadAt = [&](uint64_t Position, uint32_t &Value) {
    if (Position < Begin || Position + sizeof(Value) > Begin + Filled) {
      Begin = Position;
      Filled = std::min<uint64_t>(Window.size(), End - Position);
      if (Status S = File->read(Begin, Window.data(), Filled); !S.ok())
        return S;
    }
    Value = static_cast<uint32_t>(
        readLittleEndian(Window.data() + (Position - Begin), sizeof(Value)));
    return Status::success();
  };
  uint32_t Count = 0;
  if (Status S = LoadAt(Offset, Count); !S.ok())
    return S;
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
    uint32_t Length = 0;
    if (Status S = LoadAt(Offset, Length); !S.ok())
      return S;
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

KPACK_ARCHIVE_INLINE Result<uint64_t>
ArchiveReader::storedSize(const ArchiveEntry &Entry) const {
  Result<detail::Extent> Stored = stored(Entry);
  if (Stored && triesHint(Entry)) {
    char Length[LengthSize];
    if (!File->read(Stored->Offset - LengthSize, Length, LengthSize).ok() ||
        readLittleEndian(Length, LengthSize) != Stored->Size)
      Stored = storedByOrdinal(Entry);
  }
  if (!Stored)
    return Stored.status();
  return Stored->Size;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

KPACK_ARCHIVE_INLINE Status ArchiveReader::checkRaw(
    const ArchiveEntry &Entry, detail::Extent Stored) const {
  if (Stored.Size == Entry.OriginalSize)
    return Status::success();
  return damaged(Stored.Offset,
                 Entry.describe() + ": the table of contents says " +
                     std::to_string(Entry.OriginalSize) +
                     " bytes, the blob has " + std::to_string(Stored.Size));
}

/// Checks that a frame of that length begins at \p Stored, before much is
/// allocated for it: the holes of a file take no room on the disk.
KPACK_ARCHIVE_INLINE Status ArchiveReader::checkBeginning(
    const ArchiveEntry &Entry, detail::Extent Stored) const {
  if (Stored.Size <= detail::TrustedSize)
    return Status::success();
  char Start[LengthSize + sizeof(uint32_t)];
  if (Status S = File->read(Stored.Offset - LengthSize, Start, sizeof(Start));
      !S.ok())
    return S;
  uint64_t Magic = readLittleEndian(Start + LengthSize, sizeof(uint32_t));
  if (readLittleEndian(Start, LengthSize) == Stored.Size &&
      (Magic == ZSTD_MAGICNUMBER ||
       (Magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START))
    return Status::success();
  return damaged(Stored.Offset - LengthSize,
                 Entry.describe() + ": no frame of " +
                     std::to_string(Stored.Size) + " bytes begins here");
}

/// True if the header of the first frame in the file promises all of the entry,
/// and the allocation for it is no more than read() would make: a large promise
/// needs blocks.
KPACK_ARCHIVE_INLINE Result<bool>
ArchiveReader::promisesAll(const ArchiveEntry &Entry,
                           detail::Extent Stored) const {
  constexpr uint64_t LongestHeader = 18;
  char Start[LengthSize + LongestHeader];
  uint64_t Size = std::min(Stored.Size, LongestHeader);
  if (Status S =
          File->read(Stored.Offset - LengthSize, Start, LengthSize + Size);
      !S.ok())
    return S;
  return readLittleEndian(Start, LengthSize) == Stored.Size &&
         ZSTD_getFrameContentSize(Start + LengthSize, Size) ==
             Entry.OriginalSize &&
         Entry.OriginalSize <= detail::mostContent(Stored.Size) &&
         Entry.OriginalSize <=
             std::max(detail::TrustedSize, detail::TrustedRatio * Stored.Size);
}

/// Returns the frame, after its length, if it can have the size in the table of
/// contents.
KPACK_ARCHIVE_INLINE Result<std::string_view>
ArchiveReader::fetchFrame(const ArchiveEntry &Entry, detail::Extent Stored,
                          detail::Decoder &Scratch) const {
  uint64_t Begin = Stored.Offset - LengthSize;
  uint64_t Size = Stored.Size + LengthSize;
  std::string_view Frame;
  if (const std::string_view *Memory = File->memory()) {
    Frame = Memory->substr(Begin, Size);
  } else {
    if (Status S = checkBeginning(Entry, Stored); !S.ok())
      return S;
    if (Size > Scratch.Stored.size() && !Scratch.Stored.resize(Size))
      return outOfMemory();
    if (Status S = File->read(Begin, Scratch.Stored.data(), Size); !S.ok())
      return S;
    Frame = Scratch.Stored.bytes().substr(0, Size);
  }
  if (readLittleEndian(Frame.data(), LengthSize) != Stored.Size)
    return damaged(Begin, Entry.describe() +
                              ": the length in front of its frame "
                              "is not " +
                              std::to_string(Stored.Size));
  Frame.remove_prefix(LengthSize);
  std::string Why = detail::implausibleSize(Frame, Entry.OriginalSize);
  if (!Why.empty())
    return damaged(Stored.Offset, Entry.describe() + ": " + Why);
  return Frame;
}

KPACK_ARCHIVE_INLINE Status
ArchiveReader::checkHash(const ArchiveEntry &Entry, std::string_view Content,
                         detail::Extent Stored) const {
  if (Entry.Hash.empty())
    return Status::success();
  detail::ContentHash Hash = detail::contentHash(Content);
  if (Entry.Hash == std::string_view(Hash.data(), Hash.size()))
    return Status::success();
  return damaged(Stored.Offset,
                 Entry.describe() + ": the bytes do not match their hash",
                 StatusCode::DecompressionFailed);
}

KPACK_ARCHIVE_INLINE Status
ArchiveReader::checkEntry(const ArchiveEntry &Entry) const {
  return tryStored(Entry, [&](detail::Extent Stored) {
    if (Scheme == CompressionScheme::None)
      return checkRaw(Entry, Stored);
    if (!File->memory()) {
      Result<bool> Promised = promisesAll(Entry, Stored);
      if (!Promised)
        return Promised.status();
      if (*Promised)
        return Status::success();
    }
    detail::Decoder D = Decoders->take();
    Status S = fetchFrame(Entry, Stored, D).status();
    Decoders->give(std::move(D));
    return S;
  });
}

/// The hash detects more than the frame's checksum, in less time.
KPACK_ARCHIVE_INLINE detail::FrameChecksum
ArchiveReader::checksumOf(const ArchiveEntry &Entry) const {
  return Entry.Hash.empty() ? detail::FrameChecksum::Checked
                            : detail::FrameChecksum::Skipped;
}

KPACK_ARCHIVE_INLINE Status ArchiveReader::copyRaw(const ArchiveEntry &Entry,
                                                   detail::Extent Stored,
                                                   char *Out) const {
  if (Status S = File->read(Stored.Offset, Out, Stored.Size); !S.ok())
    return S;
  return checkHash(Entry, std::string_view(Out, Stored.Size), Stored);
}

KPACK_ARCHIVE_INLINE Status ArchiveReader::extractInto(
    const ArchiveEntry &Entry, detail::Extent Stored, char *Out) const {
  if (Scheme == CompressionScheme::None) {
    Status S = checkRaw(Entry, Stored);
    return S.ok() ? copyRaw(Entry, Stored, Out) : S;
  }
  detail::Decoder D = Decoders->take();
  if (!D)
    return outOfMemory();
  Result<std::string_view> Frame = fetchFrame(Entry, Stored, D);
  std::string Why;
  if (Frame)
    Why = detail::decompress(D.Context.get(), *Frame, Out, Entry.OriginalSize,
                             checksumOf(Entry));
  Decoders->give(std::move(D));
  if (!Frame)
    return Frame.status();
  if (Why.empty())
    return checkHash(Entry, std::string_view(Out, Entry.OriginalSize), Stored);
  return damaged(Stored.Offset, Entry.describe() + ": zstd: " + Why,
                 StatusCode::DecompressionFailed);
}

KPACK_ARCHIVE_INLINE Result<Buffer>
ArchiveReader::extract(const ArchiveEntry &Entry, detail::Extent Stored,
                       detail::FrameChecksum Checksum) const {
  Buffer Out;
  if (Scheme == CompressionScheme::None) {
    if (Status S = checkRaw(Entry, Stored); !S.ok())
      return S;
    if (!Out.resize(Entry.OriginalSize))
      return outOfMemory();
    if (Status S = copyRaw(Entry, Stored, Out.data()); !S.ok())
      return S;
    return Out;
  }
  detail::Decoder D = Decoders->take();
  if (!D)
    return outOfMemory();
  Result<std::string_view> Frame = fetchFrame(Entry, Stored, D);
  std::string Why;
  if (Frame)
    Why = detail::decompressGrowing(D.Context.get(), *Frame, Out,
                                    Entry.OriginalSize, Checksum);
  Decoders->give(std::move(D));
  if (!Frame)
    return Frame.status();
  if (!Out.data())
    return outOfMemory();
  if (!Why.empty())
    return damaged(Stored.Offset, Entry.describe() + ": zstd: " + Why,
                   StatusCode::DecompressionFailed);
  if (Status S = checkHash(Entry, Out.bytes(), Stored); !S.ok())
    return S;
  return Out;
}

KPACK_ARCHIVE_INLINE Status
ArchiveReader::readInto(const ArchiveEntry &Entry, char *Out, uint64_t Size,
                        uint64_t *StoredBytes) const {
  if (Size != Entry.OriginalSize)
    return Status(StatusCode::InvalidArgument,
                  Path + ": " + Entry.describe() + " has " +
                      std::to_string(Entry.OriginalSize) +
                      " bytes, the buffer " + std::to_string(Size) +
                      "; make it as large");
  return tryStored(Entry, [&](detail::Extent Stored) {
    if (StoredBytes)
      *StoredBytes = Stored.Size;
    return extractInto(Entry, Stored, Out);
  });
}

KPACK_ARCHIVE_INLINE Result<Buffer>
ArchiveReader::read(const ArchiveEntry &Entry) const {
  Buffer Out;
  Status S = tryStored(Entry, [&](detail::Extent Stored) {
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

KPACK_ARCHIVE_INLINE Result<Buffer>
ArchiveReader::readWithStored(const ArchiveEntry &Entry, Buffer &Stored) const {
  Buffer Out;
  Status S = tryStored(Entry, [&](detail::Extent Range) {
    Result<Buffer> Content =
        extract(Entry, Range, detail::FrameChecksum::Checked);
    if (!Content)
      return Content.status();
    Out = std::move(*Content);
    if (!Stored.resize(Range.Size))
      return outOfMemory();
    return File->read(Range.Offset, Stored.data(), Range.Size);
  });
  if (!S.ok())
    return S;
  return Out;
}

KPACK_ARCHIVE_INLINE Result<std::string_view>
ArchiveReader::view(const ArchiveEntry &Entry) const {
  if (Scheme != CompressionScheme::None)
    return Status(StatusCode::InvalidArgument,
                  Path + ": " + Entry.describe() +
                      " is compressed; read it into memory");
  Result<detail::Extent> Stored = storedRaw(Entry);
  if (!Stored)
    return Stored.status();
  if (Status S = checkRaw(Entry, *Stored); !S.ok())
    return S;
  Result<std::string_view> Mapped = File->map();
  if (!Mapped)
    return Mapped;
  std::string_view Bytes = Mapped->substr(Stored->Offset, Stored->Size);
  if (Status S = checkHash(Entry, Bytes, *Stored); !S.ok())
    return S;
  return Bytes;
}

KPACK_ARCHIVE_INLINE Result<Buffer>
ArchiveReader::readVerified(const ArchiveEntry &Entry) const {
  Result<detail::Extent> Stored = storedByOrdinal(Entry);
  if (!Stored)
    return Stored.status();
  if (Status S = checkHint(Entry, *Stored); !S.ok())
    return S;
  return extract(Entry, *Stored, detail::FrameChecksum::Checked);
}

KPACK_ARCHIVE_INLINE Status ArchiveReader::verifyShared(
    const ArchiveEntry &Entry, const ArchiveEntry &Verified) const {
  Result<detail::Extent> Stored = storedByOrdinal(Entry);
  if (!Stored)
    return Stored.status();
  if (Status S = checkHint(Entry, *Stored); !S.ok())
    return S;
  std::string Shared = Entry.describe() + " and " + Verified.describe() +
                       " share ordinal " + std::to_string(Entry.Ordinal);
  if (Entry.OriginalSize != Verified.OriginalSize)
    return damaged(TocOffset, Shared + " and differ in 'original_size'");
  if (!Entry.Hash.empty() && Entry.Hash != Verified.Hash)
    return damaged(TocOffset, Shared + " and differ in 'hash'",
                   StatusCode::DecompressionFailed);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Small functions
//===----------------------------------------------------------------------===//

KPACK_ARCHIVE_INLINE uint64_t ArchiveReader::fileSize() const {
  return File->size();
}

KPACK_ARCHIVE_INLINE int ArchiveReader::descriptor() const {
  return File->descriptor();
}

KPACK_ARCHIVE_INLINE uint64_t ArchiveReader::tocSize() const {
  return File->size() - TocOffset;
}

KPACK_ARCHIVE_INLINE bool ArchiveReader::reservedIsZero() const {
  constexpr uint64_t Used = 16; // magic, version, offset
  return std::all_of(Header.begin() + Used, Header.end(),
                     [](char C) { return C == '\0'; });
}

KPACK_ARCHIVE_INLINE Status ArchiveReader::damaged(uint64_t Offset,
                                                   std::string Message,
                                                   StatusCode Code) const {
  return Status(Code, Path + ": offset " + std::to_string(Offset) + ": " +
                          std::move(Message) +
                          "; the file is damaged, build or install it again");
}

KPACK_ARCHIVE_INLINE Status ArchiveReader::outOfMemory() const {
  return Status(StatusCode::OutOfMemory,
                Path + ": out of memory; close other programs or raise the "
                       "limit (ulimit -v)");
}

} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_ARCHIVEREADERIMPL_H
