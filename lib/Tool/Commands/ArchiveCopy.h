//===- ArchiveCopy.h - code objects from archive to archive -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands beside a code object in the table of contents and belongs to it,
// its source and the archive id of its kernel name, goes with it. Users:
// Merge.cpp, Prune.cpp and Strip.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_COMMANDS_ARCHIVECOPY_H
#define KPACK_TOOL_COMMANDS_ARCHIVECOPY_H

#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace kpack::tool {

/// Creates an archive without its name yet. An interrupt removes what there is
/// of it, and what an older process has left there is removed now.
llvm::Expected<std::unique_ptr<ArchiveWriter>>
createArchive(const std::string &Path, ArchiveWriterOptions Options);

/// Copies what belongs to \p Entry beside its bytes: source and archive id.
void copyNames(const ArchiveReader &From, const ArchiveEntry &Entry,
               ArchiveWriter &To);

/// Adds \p Entry of \p From to \p To in the form that it has there, if that can
/// be: \p Bytes and \p Stored are what readWithStored() has given of it.
llvm::Error addAsStored(const ArchiveReader &From, const ArchiveEntry &Entry,
                        const Buffer &Bytes, const Buffer &Stored,
                        ArchiveWriter &To);

/// Adds \p Entries of \p From to \p To, in the order of their ordinals, so that
/// equal input gives equal bytes. The bytes of each are compared with their
/// hash on the way. Errors name the archive and the entry.
llvm::Error copyEntries(const ArchiveReader &From,
                        std::vector<const ArchiveEntry *> Entries,
                        ArchiveWriter &To);

} // namespace kpack::tool

#endif // KPACK_TOOL_COMMANDS_ARCHIVECOPY_H
