//===- StripArchive.cpp - kpack strip on an archive -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object without debug information stays in its stored form, and others
// are compressed no worse than before. If entries share a code object, it is
// stripped once. Sibling: Strip.cpp.
//
//===----------------------------------------------------------------------===//
#include "Archive/LimitedRead.h"
#include "Offload/DeviceDebug.h"
#include "Outputs/MadeFolders.h"
#include "Outputs/SearchPath.h"
#include "Tool/Commands/ArchiveCopy.h"
#include "Tool/Commands/Strip.h"
#include "Tool/Commands/WholeFile.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <optional>
#include <tuple>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {

using WriterPtr = std::unique_ptr<ArchiveWriter>;
using Bytes = std::unique_ptr<MemoryBuffer>;

/// Strips one archive.
class ArchiveStripper {
public:
  ArchiveStripper(const ArchiveReader &Source, const StripPlan &Plan)
      : From(Source), IsSplit(Plan.IsSplit),
        Output(Plan.outputFor(Source.path())) {}

  /// Writes the archive, unless it has no debug information.
  Expected<Stripped> run();

private:
  Expected<WriterPtr> createWriter(const std::string &Path) const;
  Error add(const ArchiveEntry &Entry, Stripped &Done);
  Error addSame(const ArchiveEntry &Entry);
  Error createDebugWriter();
  Error chooseLevel();
  Error commit(Stripped &Done);

  const ArchiveReader &From;
  const bool IsSplit;
  const std::string Output;
  const std::shared_ptr<kpack::detail::CompressionPool> Pool =
      makeCompressionPool(std::make_shared<WorkerThreads>());
  MadeFolders Folders;
  WriterPtr To, DebugTo;
  /// Level for newly compressed code objects; unset until there is one.
  std::optional<int> Level;
  /// The last entry that was read; later ones with its ordinal share the
  /// result.
  const ArchiveEntry *Read = nullptr;
  bool IsBare = false, HasDebug = false;
};

} // namespace

static StringRef asText(const Buffer &B) { return StringRef(B.bytes()); }

Expected<WriterPtr>
ArchiveStripper::createWriter(const std::string &Path) const {
  ArchiveWriterOptions Options;
  Options.Pool = Pool;
  Options.GroupName = From.groupName();
  Options.ArchFamily = From.archFamily();
  Options.Scheme = From.scheme();
  Options.ReadBy = getReaders(From);
  Options.IsShared = From.hasIdsByName();
  Options.Level = Level.value_or(Options.Level);
  Expected<WriterPtr> Writer = createArchive(Path, Options);
  if (!Writer)
    return Writer.takeError();
  for (std::string_view Arch : From.architectures())
    (*Writer)->addArchitecture(Arch);
  return std::move(*Writer);
}

/// Estimates the level from an entry that is representative and cheap to test:
/// the largest of at most 1 MiB, or else the smallest.
Error ArchiveStripper::chooseLevel() {
  if (Level || From.scheme() != CompressionScheme::ZstdPerKernel)
    return Error::success();
  constexpr uint64_t Enough = uint64_t(1) << 20;
  auto Rank = [](const ArchiveEntry &Entry) {
    bool IsLarge = Entry.OriginalSize > Enough;
    return std::pair(IsLarge, IsLarge ? Entry.OriginalSize
                                      : Enough - Entry.OriginalSize);
  };
  const ArchiveEntry &Sample =
      *llvm::min_element(From.entries(), [&](const auto &A, const auto &B) {
        return Rank(A) < Rank(B);
      });
  Buffer Stored;
  Result<Buffer> Bytes = readLimitedWithStored(From, Sample, Stored);
  if (!Bytes)
    return toError(Bytes.status());
  Level = levelLike(Bytes->bytes(), Stored.size());
  To->setLevel(*Level);
  return Error::success();
}

/// Reads the code object and strips it. Releases memory before the writer
/// allocates more.
Error ArchiveStripper::add(const ArchiveEntry &Entry, Stripped &Done) {
  Buffer Stored;
  Result<Buffer> Full = readLimitedWithStored(From, Entry, Stored);
  if (!Full)
    return toError(Full.status());
  Read = &Entry;
  std::string Name = From.path() + ": " + Entry.describe();
  Bytes Bare, Debug;
  if (Error E = offload::withoutDeviceDebug(asText(*Full)).moveInto(Bare))
    return objectError(Name, std::move(E));
  IsBare = Bare != nullptr;
  copyNames(From, Entry, *To);
  if (!Bare) {
    HasDebug = false;
    Done.noteDamage(Name, asText(*Full));
    return addAsStored(From, Entry, *Full, Stored, *To);
  }
  Stored = Buffer();
  if (IsSplit)
    if (Error E = offload::onlyDeviceDebug(asText(*Full)).moveInto(Debug))
      return objectError(Name, std::move(E));
  *Full = Buffer();
  if (Error E = chooseLevel())
    return E;
  if (Error E = toError(To->add(Entry.Binary, Entry.Arch,
                                std::string_view(Bare->getBuffer()))))
    return E;
  Bare.reset();
  HasDebug = Debug != nullptr;
  if (!Debug)
    return Error::success();
  if (Error E = createDebugWriter())
    return E;
  copyNames(From, Entry, *DebugTo);
  return toError(DebugTo->add(Entry.Binary, Entry.Arch,
                              std::string_view(Debug->getBuffer())));
}

/// Adds an entry that shares its ordinal with the last one that was read.
Error ArchiveStripper::addSame(const ArchiveEntry &Entry) {
  copyNames(From, Entry, *To);
  if (Error E = toError(
          To->addSame(Entry.Binary, Entry.Arch, Read->Binary, Read->Arch)))
    return E;
  if (!HasDebug)
    return Error::success();
  copyNames(From, Entry, *DebugTo);
  return toError(
      DebugTo->addSame(Entry.Binary, Entry.Arch, Read->Binary, Read->Arch));
}

Error ArchiveStripper::createDebugWriter() {
  if (DebugTo)
    return Error::success();
  if (!From.deviceDebug().empty())
    return objectError(From.path(), "a part of its debug information is in '" +
                                        StringRef(From.deviceDebug()) +
                                        "' already; strip the rest with "
                                        "--device-debug=strip");
  // Next to the archive itself, if Output is a link to it.
  std::string Path = debugArchivePath(To->finalPath());
  if (Error E = Folders.makeFor(Path))
    return E;
  if (Error E = createWriter(Path).moveInto(DebugTo))
    return E;
  DebugTo->setDeviceDebug(DebugInItself);
  return Error::success();
}

Error ArchiveStripper::commit(Stripped &Done) {
  To->setDeviceDebug(From.deviceDebug());
  if (DebugTo) {
    To->setDeviceDebug(debugArchivePath(sys::path::filename(To->finalPath())));
    if (Error E = toError(To->finish()))
      return E;
    // Commit it first, so that debug information is never lost.
    if (Error E = toError(DebugTo->commit()))
      return E;
    Done.DebugPath = debugArchivePath(To->finalPath());
  }
  if (Error E = toError(To->commit()))
    return E;
  Done.SizeAfter = To->fileSize();
  return Error::success();
}

Expected<Stripped> ArchiveStripper::run() {
  Stripped Done{From.path(), From.entries().size(), 0, From.fileSize(), 0};
  if (From.deviceDebug() == DebugInItself)
    return Done; // all of it is debug information
  if (Error E = createWriter(Output).moveInto(To))
    return std::move(E);
  std::vector<const ArchiveEntry *> Entries;
  for (const ArchiveEntry &Entry : From.entries())
    Entries.push_back(&Entry);
  llvm::sort(Entries, [](const ArchiveEntry *A, const ArchiveEntry *B) {
    return std::tie(A->Ordinal, A->Binary, A->Arch) <
           std::tie(B->Ordinal, B->Binary, B->Arch);
  });
  for (const ArchiveEntry *Entry : Entries) {
    bool IsShared = Read && Read->Ordinal == Entry->Ordinal;
    if (Error E = IsShared ? addSame(*Entry) : add(*Entry, Done))
      return std::move(E);
    Done.Changed += IsBare;
  }
  if (Done.Changed)
    if (Error E = commit(Done))
      return std::move(E);
  return Done;
}

Expected<Stripped> tool::stripArchive(const std::string &Path,
                                      const StripPlan &Plan) {
  Result<std::unique_ptr<const ArchiveReader>> Archive =
      ArchiveReader::open(Path);
  if (!Archive)
    return toError(Archive.status());
  return ArchiveStripper(**Archive, Plan).run();
}
