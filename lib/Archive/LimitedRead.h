//===- LimitedRead.h - size-limited reads of untrusted archives -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ArchiveReader's functions for tools, which read archives of any origin
// without executing their code: an entry that unpacks to more than
// Support/UnpackLimit.h allows is an error. Loaders read the entries that they
// will run, and call ArchiveReader directly.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_LIMITEDREAD_H
#define KPACK_ARCHIVE_LIMITEDREAD_H

#include "Support/UnpackLimit.h"
#include "kpack/Archive/ArchiveReader.h"

namespace kpack {

/// Fails if \p Entry is too large to be decompressed unasked.
inline Status checkUnpacked(const ArchiveReader &Archive,
                            const ArchiveEntry &Entry,
                            uint64_t Always = UnpackedAlways) {
  if (Archive.scheme() == CompressionScheme::None)
    return Status::success();
  Result<uint64_t> Stored = Archive.storedSize(Entry);
  if (!Stored)
    return Stored.status();
  std::string Why = whyNotUnpacked(*Stored, Entry.OriginalSize, Always);
  if (Why.empty())
    return Status::success();
  return Status(StatusCode::OutOfMemory,
                Archive.path() + ": " + Entry.describe() + ": " + Why);
}

inline Result<Buffer> readLimited(const ArchiveReader &Archive,
                                  const ArchiveEntry &Entry) {
  if (Status S = checkUnpacked(Archive, Entry); !S.ok())
    return S;
  return Archive.read(Entry);
}

inline Result<Buffer> readLimitedWithStored(const ArchiveReader &Archive,
                                            const ArchiveEntry &Entry,
                                            Buffer &Stored) {
  if (Status S = checkUnpacked(Archive, Entry); !S.ok())
    return S;
  return Archive.readWithStored(Entry, Stored);
}

inline Result<Buffer> readLimitedAndVerify(const ArchiveReader &Archive,
                                           const ArchiveEntry &Entry,
                                           uint64_t Always) {
  if (Status S = checkUnpacked(Archive, Entry, Always); !S.ok())
    return S;
  return Archive.readVerified(Entry);
}

} // namespace kpack

#endif // KPACK_ARCHIVE_LIMITEDREAD_H
