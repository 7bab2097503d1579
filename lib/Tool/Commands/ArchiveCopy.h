//===- ArchiveCopy.h - entries copied to another archive --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a code object with its data in the table of contents, the source and
// the archive id of its kernel name. Used by Merge.cpp, Prune.cpp and
// StripArchive.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_COMMANDS_ARCHIVECOPY_H
#define KPACK_TOOL_COMMANDS_ARCHIVECOPY_H

#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace kpack::tool {

/// Creates an archive under a temporary name. An interrupt removes it.
/// Leftovers of older processes there are removed now.
llvm::Expected<std::unique_ptr<ArchiveWriter>>
createArchive(const std::string &Path, ArchiveWriterOptions Options);

/// Copies the source and archive id of \p Entry.
void copyNames(const ArchiveReader &Source, const ArchiveEntry &Entry,
               ArchiveWriter &Output);

/// Adds \p Entry of \p Source to \p Output in its stored form, if possible. \p
/// Bytes and \p Stored are the results of readWithStored() for it.
llvm::Error addAsStored(const ArchiveReader &Source, const ArchiveEntry &Entry,
                        const Buffer &Bytes, const Buffer &Stored,
                        ArchiveWriter &Output);

/// Adds \p Entries of \p Source to \p Output, in the order of their ordinals,
/// so that equal input gives equal bytes. Checks the bytes of each against
/// their hash. Errors name the archive and the entry.
llvm::Error copyEntries(const ArchiveReader &Source,
                        std::vector<const ArchiveEntry *> Entries,
                        ArchiveWriter &Output);

} // namespace kpack::tool

#endif // KPACK_TOOL_COMMANDS_ARCHIVECOPY_H
