//===- ArchiveCopy.cpp - entries copied to another archive ----------------===//
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
#include "Tool/ArchiveEntries.h"
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

void tool::copyNames(const ArchiveReader &Source, const ArchiveEntry &Entry,
                     ArchiveWriter &Output) {
  if (!Entry.Source.empty())
    Output.setSource(Entry.Binary, Entry.Source);
  StringRef Name;
  uint64_t Index;
  if (!splitBinaryKey(Entry.Binary, Name, Index))
    return; // an entry of a database, which no marker names
  if (std::string_view Id = Source.archiveId(Name); !Id.empty())
    Output.setArchiveId(Name, Id);
}

Error tool::addAsStored(const ArchiveReader &Source, const ArchiveEntry &Entry,
                        const Buffer &Bytes, const Buffer &Stored,
                        ArchiveWriter &Output) {
  std::string_view Frame = Source.scheme() == CompressionScheme::ZstdPerKernel
                               ? Stored.bytes()
                               : std::string_view();
  return toError(
      Output.addCompressed(Entry.Binary, Entry.Arch, Bytes.bytes(), Frame));
}

static Error copyEntry(const ArchiveReader &Source, const ArchiveEntry &Entry,
                       ArchiveWriter &Output) {
  Buffer Stored;
  Result<Buffer> Bytes = readLimitedWithStored(Source, Entry, Stored);
  if (!Bytes)
    return toError(Bytes.status());
  if (Error E = addAsStored(Source, Entry, *Bytes, Stored, Output))
    return E;
  copyNames(Source, Entry, Output);
  return Error::success();
}

Error tool::copyEntries(const ArchiveReader &Source,
                        std::vector<const ArchiveEntry *> Entries,
                        ArchiveWriter &Output) {
  llvm::sort(Entries, [](const ArchiveEntry *A, const ArchiveEntry *B) {
    return std::tie(A->Ordinal, A->Binary, A->Arch) <
           std::tie(B->Ordinal, B->Binary, B->Arch);
  });
  for (const ArchiveEntry *Entry : Entries)
    if (Error E = copyEntry(Source, *Entry, Output))
      return E;
  return Error::success();
}
