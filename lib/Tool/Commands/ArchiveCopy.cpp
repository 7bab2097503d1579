//===- ArchiveCopy.cpp - copies of code objects ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object is decompressed, because the writer finds duplicates by content
// and must not copy a damaged one. The frame is copied verbatim, so its
// compression level is kept. Sibling: ArchiveCopy.h.
//
//===----------------------------------------------------------------------===//
#include "Tool/Commands/ArchiveCopy.h"
#include "Archive/LimitedRead.h"
#include "Support/HeldInterrupts.h"
#include "Tool/CodeObject.h"
#include "ToolSupport/Errors.h"
#include "kpack/Support/OutputPlace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Signals.h"

#include <tuple>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

Expected<std::unique_ptr<ArchiveWriter>>
tool::createArchive(const std::string &Path, ArchiveWriterOptions Options) {
  // The temporary file's name is known only after its creation.
  HeldInterrupts Held;
  Result<std::unique_ptr<ArchiveWriter>> Writer =
      ArchiveWriter::create(Path, std::move(Options));
  if (!Writer)
    return toError(Writer.status());
  // Never unregistered: after the rename no file has that name.
  sys::RemoveFileOnSignal((*Writer)->temporaryPath());
  removeLeftovers((*Writer)->finalPath());
  return std::move(*Writer);
}

void tool::copyNames(const ArchiveReader &From, const ArchiveEntry &Entry,
                     ArchiveWriter &To) {
  if (!Entry.Source.empty())
    To.setSource(Entry.Binary, Entry.Source);
  StringRef Name;
  uint64_t Index;
  if (!splitBinaryKey(Entry.Binary, Name, Index))
    return; // an entry of a database, which no marker names
  if (std::string_view Id = From.archiveId(Name); !Id.empty())
    To.setArchiveId(Name, Id);
}

Error tool::addAsStored(const ArchiveReader &From, const ArchiveEntry &Entry,
                        const Buffer &Bytes, const Buffer &Stored,
                        ArchiveWriter &To) {
  std::string_view Frame = From.scheme() == CompressionScheme::ZstdPerKernel
                               ? Stored.bytes()
                               : std::string_view();
  return toError(
      To.addCompressed(Entry.Binary, Entry.Arch, Bytes.bytes(), Frame));
}

static Error copyEntry(const ArchiveReader &From, const ArchiveEntry &Entry,
                       ArchiveWriter &To) {
  Buffer Stored;
  Result<Buffer> Bytes = readLimitedWithStored(From, Entry, Stored);
  if (!Bytes)
    return toError(Bytes.status());
  if (Error E = addAsStored(From, Entry, *Bytes, Stored, To))
    return E;
  copyNames(From, Entry, To);
  return Error::success();
}

Error tool::copyEntries(const ArchiveReader &From,
                        std::vector<const ArchiveEntry *> Entries,
                        ArchiveWriter &To) {
  llvm::sort(Entries, [](const ArchiveEntry *A, const ArchiveEntry *B) {
    return std::tie(A->Ordinal, A->Binary, A->Arch) <
           std::tie(B->Ordinal, B->Binary, B->Arch);
  });
  for (const ArchiveEntry *Entry : Entries)
    if (Error E = copyEntry(From, *Entry, To))
      return E;
  return Error::success();
}
