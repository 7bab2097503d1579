//===- PendingArchives.cpp - archives, all or none ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All files are complete before commitAll() makes the first rename. An
// archive's temporary name is known only once the file exists, so interrupts
// are held in between.
//
// Another command may use the same paths: a directory that it has just made is
// reused, and the owner of an archive is checked before writing and again right
// before the rename.
//
//===----------------------------------------------------------------------===//
#include "Outputs/PendingArchives.h"

#include "Outputs/ArchiveOwner.h"
#include "Outputs/SearchPath.h"
#include "Support/SafePath.h"
#include "ToolSupport/Errors.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace kpack {

static ArchiveSet withPool(ArchiveSet Set) {
  if (!Set.Writer.Pool)
    Set.Writer.Pool = makeCompressionPool(
        std::make_shared<WorkerThreads>(Set.Writer.Threads));
  return Set;
}

PendingArchives::PendingArchives(ArchiveSet Set)
    : Set(withPool(std::move(Set))), KernelName(this->Set.KernelName) {}

static bool hasPlaceholder(const ArchiveSet &Set) {
  return outputTemplate(Set.Path).hasPlaceholder();
}

std::string PendingArchives::pathFor(StringRef Target) const {
  return outputTemplate(Set.Path).pathFor(
      targetFileName(std::string_view(Target)));
}

Expected<ArchiveWriter *> PendingArchives::writerFor(const std::string &Path,
                                                     StringRef Target) {
  if (auto It = Writers.find(Path); It != Writers.end())
    return It->second.get();

  if (sys::fs::is_directory(Path))
    return objectError(Path, "is a directory; --kpack= names a file");
  // An interrupt must not come between creation and registration.
  HeldInterrupts Held;
  if (Error E = Folders.makeFor(Path))
    return std::move(E);
  ArchiveWriterOptions WriterOptions = Set.Writer;
  WriterOptions.ReadBy = ReadBy;
  if (hasPlaceholder(Set))
    WriterOptions.ArchFamily = Target;
  if (Error E = checkOwner(Path, KernelName))
    return std::move(E);
  removeLeftovers(Path);
  bool IsOwnDirectory = Folders.has(sys::path::parent_path(Path));
  Result<std::unique_ptr<ArchiveWriter>> New =
      ArchiveWriter::create(Path, std::move(WriterOptions));
  if (!New)
    return toError(New.status());
  Temporaries.push_back(std::make_unique<TemporaryName>(
      (*New)->temporaryPath(),
      IsOwnDirectory ? TemporaryName::Holds::DirectoryToo
                     : TemporaryName::Holds::Files,
      sys::path::parent_path(Path)));
  return Writers.emplace(Path, std::move(*New)).first->second.get();
}

void PendingArchives::limitTo(const Readers &Who) {
  if (!ReadBy)
    ReadBy = Who;
  else
    ReadBy->limitTo(Who);
  for (const auto &[Path, Writer] : Writers)
    Writer->limitTo(*ReadBy);
}

std::string PendingArchives::getKey(uint32_t Index) const {
  return IsDatabase ? KernelName : KernelName + "#" + utostr(Index);
}

/// Records the TU of a code object in the archive.
void PendingArchives::noteSource(ArchiveWriter &Writer,
                                 const CodeObject &Object) const {
  if (!Object.Source.empty())
    Writer.setSource(getKey(Object.Index), Object.Source);
}

Error PendingArchives::addTo(const std::string &Path,
                             const CodeObject &Object) {
  Expected<ArchiveWriter *> Writer = writerFor(Path, Object.Target);
  if (!Writer)
    return Writer.takeError();
  if (Error E = toError((*Writer)->add(
          getKey(Object.Index), Object.Target,
          std::string_view(Object.Bytes.data(), Object.Bytes.size()),
          Object.Owner)))
    return E;
  noteSource(**Writer, Object);
  HasBinary.insert(*Writer);
  return Error::success();
}

/// Adds a code object that equals the one with the key \p First.
Error PendingArchives::addLike(const std::string &Path,
                               const CodeObject &Object,
                               const std::string &First) {
  Expected<ArchiveWriter *> Writer = writerFor(Path, Object.Target);
  if (!Writer)
    return Writer.takeError();
  if (Error E = toError(
          (*Writer)->addSame(getKey(Object.Index), Object.Target, First)))
    return E;
  noteSource(**Writer, Object);
  HasBinary.insert(*Writer);
  return Error::success();
}

static void keepIn(CodeObject &Object, std::shared_ptr<MemoryBuffer> Bytes) {
  Object.Bytes = Bytes->getBuffer();
  Object.Owner = std::move(Bytes);
}

/// Strips debug information from \p Object, and adds it to the debug archive if
/// requested.
Error PendingArchives::addStripped(const std::string &Path,
                                   const CodeObject &Object) {
  Expected<std::unique_ptr<MemoryBuffer>> Bare =
      offload::withoutDeviceDebug(Object.Bytes);
  if (!Bare)
    return Bare.takeError();
  if (!*Bare)
    return addTo(Path, Object);
  ++StrippedCount;
  CodeObject Part = Object;
  keepIn(Part, std::move(*Bare));
  if (Error E = addTo(Path, Part))
    return E;
  if (Set.Debug == offload::DeviceDebug::Strip)
    return Error::success();
  Expected<std::unique_ptr<MemoryBuffer>> Debug =
      offload::onlyDeviceDebug(Object.Bytes);
  if (!Debug)
    return Debug.takeError();
  keepIn(Part, std::move(*Debug));
  std::string DebugPath = debugArchivePath(Path);
  Writers[Path]->setDeviceDebug(debugArchivePath(sys::path::filename(Path)));
  if (Error E = addTo(DebugPath, Part))
    return E;
  Writers[DebugPath]->setDeviceDebug(DebugInItself);
  return Error::success();
}

static std::string hashOf(StringRef Bytes) {
  auto Hash = BLAKE3::hash<>(arrayRefFromStringRef(Bytes));
  return std::string(Hash.begin(), Hash.end());
}

Error PendingArchives::add(const CodeObject &Object) {
  // The target is read from an object file and becomes part of a file name.
  if (!isCodeTarget(Object.Target))
    return objectError("device code for '" + Object.Target + "'",
                       "not the target id of a GPU, no loader asks for it; "
                       "compile with --offload-arch=gfx...");
  std::string Path = pathFor(Object.Target);
  if (Set.Debug == offload::DeviceDebug::Keep ||
      offload::deviceDebugSize(Object.Bytes) == 0)
    return Object.SameAs ? addLike(Path, Object, getKey(*Object.SameAs))
                         : addTo(Path, Object);
  auto [First, IsNew] = Stripped.try_emplace(
      {Path, Object.Target, hashOf(Object.Bytes)}, getKey(Object.Index));
  if (IsNew) {
    if (Error E = addStripped(Path, Object))
      return objectError("device code of '" + getKey(Object.Index) + "' for '" +
                             Object.Target + "'",
                         std::move(E));
    return Error::success();
  }
  if (Error E = addLike(Path, Object, First->second))
    return E;
  if (Set.Debug == offload::DeviceDebug::Strip)
    return Error::success();
  return addLike(debugArchivePath(Path), Object, First->second);
}

void PendingArchives::endBinary(StringRef Id) {
  for (ArchiveWriter *Writer : HasBinary)
    Writer->setArchiveId(KernelName, Id);
  HasBinary.clear();
}

Error PendingArchives::finish(StringRef Id) {
  endBinary(Id);
  return finish();
}

Error PendingArchives::finish() {
  // A build rule may depend on a path without placeholder, so it is written
  // even without code objects.
  if (!hasPlaceholder(Set)) {
    Expected<ArchiveWriter *> Writer = writerFor(Set.Path, "");
    if (!Writer)
      return Writer.takeError();
  }
  for (const auto &[Path, Writer] : Writers)
    if (Error E = toError(Writer->finish()))
      return E;
  return Error::success();
}

std::vector<std::string> PendingArchives::paths() const {
  std::vector<std::string> Paths;
  for (const auto &[Path, Writer] : Writers)
    Paths.push_back(Path);
  return Paths;
}

Error PendingArchives::commit(Replacements &Old) {
  for (const auto &[Path, Writer] : Writers) {
    // Another link may have put its archive there meanwhile.
    if (Error E = checkOwner(Path, KernelName))
      return E;
    if (std::error_code EC = Old.save(Writer->heldPath()))
      return fileError(Path, "cannot rename to this name", EC);
    if (Error E = toError(Writer->commit()))
      return E;
  }
  return removeOutdated(Old);
}

/// Another command may have replaced or removed the file meanwhile.
Error PendingArchives::removeOutdated(Replacements &Old) const {
  for (const std::string &Path : Outdated) {
    if (!sys::fs::exists(Path))
      continue;
    if (!hasOnly(Path, KernelName, OutdatedId))
      return objectError(Path, "was to be removed with the older build, and "
                               "another command has changed it meanwhile; try "
                               "it again when nobody writes to it");
    std::error_code EC = Old.save(Path);
    if (!EC && !removeFileAt(Path) && errno != ENOENT)
      EC = errnoAsErrorCode();
    if (EC)
      return fileError(Path, "cannot remove", EC);
  }
  return Error::success();
}

Error commitAll(PendingArchives &Archives, ArrayRef<PendingFile *> Files) {
  // Delay interrupts until all files are renamed, when they are too late, or,
  // on a failure, until Old has restored the old ones.
  HeldInterrupts Held;
  Replacements Old;
  if (Error E = Archives.commit(Old))
    return E;
  for (PendingFile *File : Files)
    if (File)
      if (Error E = File->commit(Old))
        return E;
  Old.forget();
  ignoreInterrupts();
  return Error::success();
}

} // namespace kpack
