//===- ArchiveWriter.cpp - writer of .kpack archives ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes header, blobs and table of contents, in this order; the header and the
// number of kernels are filled in at the end. A kernel with the size and hash
// of a stored one is compared byte by byte before it shares the ordinal: a
// forged collision must not give a program another program's code. Siblings:
// CompressionPool.cpp compresses, TocWriter.cpp serialises.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/ArchiveWriter.h"
#include "CompressionPool.h"
#include "TocWriter.h"
#include "kpack/Support/LittleEndian.h"
#include "kpack/Support/OutputFile.h"

#include <algorithm>
#include <optional>
#include <zstd.h>

using namespace kpack;
using namespace kpack::detail;

namespace {

constexpr char MemoryHint[] = "; close other programs, or use fewer threads";
constexpr char SplitHint[] =
    "readers refuse that: write one archive for each target, with @GFXARCH@ in "
    "its name";

std::string header(uint64_t TocOffset) {
  std::string Bytes(ArchiveMagic);
  appendLittleEndian(Bytes, ArchiveVersion, sizeof(uint32_t));
  appendLittleEndian(Bytes, TocOffset, sizeof(uint64_t));
  Bytes.resize(ArchiveHeaderSize);
  return Bytes;
}

/// A code object to add.
struct Kernel {
  std::string_view Bytes;
  /// The compressed form of Bytes in another archive, or empty.
  std::string_view Frame = {};
  /// The buffer of Bytes if the writer may take it; else null.
  Buffer *Owned = nullptr;
  /// Owner of Bytes; null if they must be copied.
  std::shared_ptr<const void> Owner = nullptr;
};

} // namespace

struct ArchiveWriter::Impl final : KernelWriter {
  Impl(std::unique_ptr<OutputFile> File, const ArchiveWriterOptions &Options)
      : File(std::move(File)),
        Pool(Options.Pool ? Options.Pool
                          : makeCompressionPool(std::make_shared<WorkerThreads>(
                                Options.Threads))),
        Level(Options.Level), MaxKernels(Options.MaxCompressedKernels),
        MaxSize(Options.MaxCompressedSize) {
    Toc.GroupName = Options.GroupName;
    Toc.ArchFamily = Options.ArchFamily;
    Toc.Scheme = Options.Scheme;
    Toc.IsShared = Options.IsShared;
  }

  ~Impl() { Pool->drop(*this); }

  Status begin();
  Status add(std::string_view Binary, std::string_view Arch, Kernel K);
  Status addSame(std::string_view Binary, std::string_view Arch,
                 std::string_view Other, std::string_view OtherArch);
  Status checkKey(std::string_view Binary, std::string_view Arch) const;
  void name(std::string_view Binary, std::string_view Arch, uint64_t Ordinal);
  Status finish();
  Result<uint64_t> store(Kernel &K);
  Status compress(uint64_t Ordinal, Kernel &K);
  Result<std::optional<uint64_t>> findEqual(const ContentHash &Hash,
                                            std::string_view Bytes);
  Result<bool> isEqual(uint64_t Ordinal, std::string_view Bytes);
  Status writeRaw(uint64_t Ordinal, std::string_view Bytes);
  void write(const CompressionJob &Job) override;
  Status writeRecord(const CompressionJob &Job);
  Status fail(StatusCode Code, std::string Message) const;
  Status noMemory(size_t Size) const {
    return fail(StatusCode::OutOfMemory, "no memory for " +
                                             std::to_string(Size) + " bytes" +
                                             MemoryHint);
  }

  bool zstd() const { return Toc.Scheme == CompressionScheme::ZstdPerKernel; }

  std::unique_ptr<OutputFile> File;
  const std::shared_ptr<CompressionPool> Pool;
  int Level;
  const uint64_t MaxKernels;
  const uint64_t MaxSize;
  TocContents Toc;
  /// Ordinals by hash; several only if hashes collide.
  std::multimap<ContentHash, uint64_t> ByHash;
  bool Finished = false;
  /// The first error; it is final.
  Status Failure;
};

Status ArchiveWriter::Impl::fail(StatusCode Code, std::string Message) const {
  return Status(Code, File->path() + ": " + std::move(Message));
}

/// Writes placeholders that finish() overwrites.
Status ArchiveWriter::Impl::begin() {
  std::string Start(ArchiveHeaderSize, '\0');
  if (zstd())
    appendLittleEndian(Start, 0, sizeof(uint32_t));
  return File->append(Start);
}

/// Checks that a code object can be added under this key.
Status ArchiveWriter::Impl::checkKey(std::string_view Binary,
                                     std::string_view Arch) const {
  if (Binary.empty() || Arch.empty())
    return fail(StatusCode::InvalidArgument,
                "a code object needs a binary and an architecture; name both");
  auto Found = Toc.Binaries.find(Binary);
  if (Found != Toc.Binaries.end() && Found->second.count(Arch))
    return fail(StatusCode::InvalidArgument,
                "'" + std::string(Binary) + "' has two code objects for '" +
                    std::string(Arch) + "'; give each a key of its own");
  return Status::success();
}

void ArchiveWriter::Impl::name(std::string_view Binary, std::string_view Arch,
                               uint64_t Ordinal) {
  Toc.Binaries[std::string(Binary)].emplace(Arch, Ordinal);
  Toc.Architectures.emplace(Arch);
  if (Toc.ArchFamily.empty())
    Toc.ArchFamily = Arch;
}

Status ArchiveWriter::Impl::add(std::string_view Binary, std::string_view Arch,
                                Kernel K) {
  if (Status S = checkKey(Binary, Arch); !S.ok())
    return S;
  Result<uint64_t> Ordinal = store(K);
  if (!Ordinal)
    return Ordinal.status();
  name(Binary, Arch, *Ordinal);
  return Status::success();
}

Status ArchiveWriter::Impl::addSame(std::string_view Binary,
                                    std::string_view Arch,
                                    std::string_view Other,
                                    std::string_view OtherArch) {
  if (Status S = checkKey(Binary, Arch); !S.ok())
    return S;
  auto Found = Toc.Binaries.find(Other);
  if (Found != Toc.Binaries.end())
    if (auto Entry = Found->second.find(OtherArch);
        Entry != Found->second.end()) {
      name(Binary, Arch, Entry->second);
      return Status::success();
    }
  return fail(StatusCode::InvalidArgument,
              "'" + std::string(Other) + "' has no code object for '" +
                  std::string(OtherArch) + "'; add it first");
}

/// True if \p Frame is a single complete frame that states its size, \p Size,
/// and has a checksum.
static bool isOurForm(std::string_view Frame, size_t Size) {
  constexpr size_t DescriptorOffset = 4;
  constexpr char ChecksumFlag = 1 << 2;
  return Frame.size() > DescriptorOffset && Frame.size() <= UINT32_MAX &&
         (Frame[DescriptorOffset] & ChecksumFlag) &&
         ZSTD_getFrameContentSize(Frame.data(), Frame.size()) == Size &&
         ZSTD_findFrameCompressedSize(Frame.data(), Frame.size()) ==
             Frame.size();
}

/// Returns false if memory is short.
static bool makeRecord(std::string_view Frame, Buffer &Record) {
  std::string Length;
  appendLittleEndian(Length, Frame.size(), sizeof(uint32_t));
  if (!Record.resize(Length.size() + Frame.size()))
    return false;
  std::copy(Length.begin(), Length.end(), Record.data());
  std::copy(Frame.begin(), Frame.end(), Record.data() + Length.size());
  return true;
}

/// Returns the ordinal of \p K; its bytes are in the file already or submitted
/// for writing.
Result<uint64_t> ArchiveWriter::Impl::store(Kernel &K) {
  ContentHash Hash = contentHash(K.Bytes);
  Result<std::optional<uint64_t>> Equal = findEqual(Hash, K.Bytes);
  if (!Equal)
    return Equal.status();
  if (*Equal)
    return **Equal;

  uint64_t Ordinal = Toc.Blobs.size();
  if (zstd() && Ordinal == MaxKernels)
    return fail(StatusCode::InvalidArgument, "more than " +
                                                 std::to_string(MaxKernels) +
                                                 " code objects; " + SplitHint);
  StoredBlob Blob;
  Blob.OriginalSize = K.Bytes.size();
  Blob.Hash = Hash;
  Toc.Blobs.push_back(Blob);
  ByHash.emplace(Hash, Ordinal);
  if (Status S = zstd() ? compress(Ordinal, K) : writeRaw(Ordinal, K.Bytes);
      !S.ok())
    return S;
  return Ordinal;
}

Status ArchiveWriter::Impl::compress(uint64_t Ordinal, Kernel &K) {
  CompressionJob Job;
  Job.Writer = this;
  Job.Ordinal = Ordinal;
  Job.Level = Level;
  if (isOurForm(K.Frame, K.Bytes.size()) && !makeRecord(K.Frame, Job.Record))
    return noMemory(K.Frame.size());
  if (K.Owned) {
    Job.Content = std::move(*K.Owned);
  } else if (K.Owner) {
    Job.Kept = K.Bytes;
    Job.Owner = std::move(K.Owner);
  } else {
    if (!Job.Content.resize(K.Bytes.size()))
      return noMemory(K.Bytes.size());
    std::copy(K.Bytes.begin(), K.Bytes.end(), Job.Content.data());
  }
  Pool->submit(std::move(Job));
  while (Pool->writeOne(/*Wait=*/false))
    ;
  // Wait now and not before the next kernel: the caller may need as much memory
  // to make that one.
  while (Pool->full())
    Pool->writeOne(/*Wait=*/true);
  return Failure;
}

Result<std::optional<uint64_t>>
ArchiveWriter::Impl::findEqual(const ContentHash &Hash,
                               std::string_view Bytes) {
  auto [Begin, End] = ByHash.equal_range(Hash);
  for (auto It = Begin; It != End; ++It) {
    if (Toc.Blobs[It->second].OriginalSize != Bytes.size())
      continue;
    Result<bool> Equal = isEqual(It->second, Bytes);
    if (!Equal)
      return Equal.status();
    if (*Equal)
      return std::optional<uint64_t>(It->second);
  }
  return std::optional<uint64_t>();
}

/// True if blob \p Ordinal, which has the size of \p Bytes, has the same
/// content.
Result<bool> ArchiveWriter::Impl::isEqual(uint64_t Ordinal,
                                          std::string_view Bytes) {
  if (const CompressionJob *Job = Pool->find(*this, Ordinal))
    return Job->bytes() == Bytes;

  const StoredBlob &Blob = Toc.Blobs[Ordinal];
  Buffer Stored;
  if (!Stored.resize(Blob.StoredSize))
    return noMemory(Bytes.size());
  if (Status S = File->readBack(Blob.Offset, Stored.data(), Blob.StoredSize);
      !S.ok())
    return S;
  if (!zstd())
    return Stored.bytes() == Bytes;
  Buffer Content;
  if (!Content.resize(Bytes.size()))
    return noMemory(Bytes.size());
  size_t Got = ZSTD_decompress(Content.data(), Content.size(), Stored.data(),
                               Stored.size());
  if (ZSTD_isError(Got) || Got != Content.size())
    return fail(StatusCode::IoError,
                "the temporary file was changed by somebody else; try again");
  return Content.bytes() == Bytes;
}

Status ArchiveWriter::Impl::writeRaw(uint64_t Ordinal, std::string_view Bytes) {
  Toc.Blobs[Ordinal].Offset = File->size();
  Toc.Blobs[Ordinal].StoredSize = Bytes.size();
  return File->append(Bytes);
}

Status ArchiveWriter::Impl::writeRecord(const CompressionJob &Job) {
  if (!Job.Error.empty())
    return fail(StatusCode::OutOfMemory, Job.Error + MemoryHint);
  std::string_view Record = Job.Record.bytes();
  if (File->size() - ArchiveHeaderSize + Record.size() > MaxSize)
    return fail(StatusCode::InvalidArgument,
                "more than " + std::to_string(MaxSize) +
                    " bytes of compressed code; " + SplitHint);
  StoredBlob &Blob = Toc.Blobs[Job.Ordinal];
  Blob.Offset = File->size() + sizeof(uint32_t);
  Blob.StoredSize = Record.size() - sizeof(uint32_t);
  return File->append(Record);
}

void ArchiveWriter::Impl::write(const CompressionJob &Job) {
  if (Failure.ok())
    Failure = writeRecord(Job);
}

Status ArchiveWriter::Impl::finish() {
  while (Pool->holds(*this))
    Pool->writeOne(/*Wait=*/true);
  if (!Failure.ok())
    return Failure;
  uint64_t TocOffset = File->size();
  Toc.ZstdSize = TocOffset - ArchiveHeaderSize;
  if (Status S = File->append(serializeToc(Toc)); !S.ok())
    return S;
  std::string Start = header(TocOffset);
  if (zstd())
    appendLittleEndian(Start, Toc.Blobs.size(), sizeof(uint32_t));
  if (Status S = File->overwrite(0, Start); !S.ok())
    return S;
  return File->close();
}

std::shared_ptr<CompressionPool>
kpack::makeCompressionPool(std::shared_ptr<WorkerThreads> Workers) {
  return std::make_shared<CompressionPool>(std::move(Workers));
}

Result<std::unique_ptr<ArchiveWriter>>
ArchiveWriter::create(std::string Path, ArchiveWriterOptions Options) {
  if (Options.Scheme == CompressionScheme::ZstdPerKernel &&
      (Options.Level < 1 || Options.Level > ZSTD_maxCLevel()))
    return Status(StatusCode::InvalidArgument,
                  Path + ": zstd level " + std::to_string(Options.Level) +
                      " does not exist; use 1 to " +
                      std::to_string(ZSTD_maxCLevel()));
  Result<std::unique_ptr<OutputFile>> File =
      OutputFile::create(std::move(Path), Options.ReadBy);
  if (!File)
    return File.status();
  auto P = std::make_unique<Impl>(std::move(*File), Options);
  if (Status S = P->begin(); !S.ok())
    return S;
  return std::unique_ptr<ArchiveWriter>(new ArchiveWriter(std::move(P)));
}

ArchiveWriter::ArchiveWriter(std::unique_ptr<Impl> P) : P(std::move(P)) {}
ArchiveWriter::~ArchiveWriter() = default;

Status ArchiveWriter::add(std::string_view Binary, std::string_view Arch,
                          std::string_view Bytes) {
  return addCompressed(Binary, Arch, Bytes, /*Frame=*/{});
}

Status ArchiveWriter::add(std::string_view Binary, std::string_view Arch,
                          Buffer Bytes) {
  if (P->Failure.ok())
    P->Failure = P->add(Binary, Arch, {Bytes.bytes(), {}, &Bytes});
  return P->Failure;
}

Status ArchiveWriter::add(std::string_view Binary, std::string_view Arch,
                          std::string_view Bytes,
                          std::shared_ptr<const void> Owner) {
  if (P->Failure.ok())
    P->Failure = P->add(Binary, Arch, {Bytes, {}, nullptr, std::move(Owner)});
  return P->Failure;
}

Status ArchiveWriter::addCompressed(std::string_view Binary,
                                    std::string_view Arch,
                                    std::string_view Bytes,
                                    std::string_view Frame) {
  if (P->Failure.ok())
    P->Failure = P->add(Binary, Arch, {Bytes, Frame});
  return P->Failure;
}

Status ArchiveWriter::addSame(std::string_view Binary, std::string_view Arch,
                              std::string_view Other,
                              std::string_view OtherArch) {
  if (P->Failure.ok())
    P->Failure = P->addSame(Binary, Arch, Other, OtherArch);
  return P->Failure;
}

void ArchiveWriter::addArchitecture(std::string_view Arch) {
  P->Toc.Architectures.emplace(Arch);
}

void ArchiveWriter::setSource(std::string_view Binary, std::string_view Name) {
  P->Toc.Sources.insert_or_assign(std::string(Binary), std::string(Name));
}

void ArchiveWriter::setArchiveId(std::string_view KernelName,
                                 std::string_view Id) {
  P->Toc.ArchiveIds.insert_or_assign(std::string(KernelName), std::string(Id));
}

void ArchiveWriter::limitTo(const Readers &Who) { P->File->limitTo(Who); }

void ArchiveWriter::setLevel(int Level) { P->Level = Level; }

void ArchiveWriter::setDeviceDebug(std::string_view Path) {
  P->Toc.DeviceDebug = Path;
}

Status ArchiveWriter::finish() {
  if (P->Failure.ok() && !P->Finished) {
    P->Failure = P->finish();
    P->Finished = true;
  }
  return P->Failure;
}

Status ArchiveWriter::commit() {
  if (Status S = finish(); !S.ok())
    return S;
  P->Failure = P->File->commit();
  return P->Failure;
}

const std::string &ArchiveWriter::finalPath() const {
  return P->File->finalPath();
}

const std::string &ArchiveWriter::heldPath() const {
  return P->File->heldPath();
}

const std::string &ArchiveWriter::temporaryPath() const {
  return P->File->temporaryPath();
}

uint64_t ArchiveWriter::fileSize() const { return P->File->size(); }
