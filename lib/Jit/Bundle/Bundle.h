//===- Jit/Bundle/Bundle.h - export and import of cache bundles -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores entries of a cache in one file (BundleFile.h), for other machines.
// Every entry is verified in both directions. Recipes are left out: they name
// files of one machine. The last member holds the number of entries before it,
// so that a bundle truncated between members is noticed. Links no LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_BUNDLE_BUNDLE_H
#define KPACK_JIT_BUNDLE_BUNDLE_H

#include "Jit/Bundle/BundleFile.h"
#include "Jit/Store/Store.h"

#include <set>

namespace kpack::jit {

/// Returns all products of \p Source, in bundle order.
std::vector<Digest> getProducts(const Store &Source);

/// Reads \p Entry's file through its descriptor, since another file may have
/// its name by now. \p Verifier names the command that moves damaged entries
/// away, for messages. Errors: IoError, OutOfMemory.
Result<Buffer> getFile(const StoredEntry &Entry, const std::string &Verifier);

/// Writes the existing entries of \p Ids, in order, and the end of the bundle.
/// Returns their number. Errors: InvalidFormat for a damaged entry; those of
/// the writer.
Result<uint64_t> exportEntries(const Store &Source,
                               const std::vector<Digest> &Ids,
                               const std::string &Verifier,
                               BundleWriter &Writer);

/// Receives messages about members; the import continues after them.
class ImportMessages {
public:
  virtual ~ImportMessages() = default;
  virtual void error(std::string Message) = 0;
  virtual void note(std::string Message) = 0;
  /// Formats a number of bytes for people.
  virtual std::string size(uint64_t Bytes) const = 0;
};

struct ImportOptions {
  std::string Path;     ///< of the bundle, for messages
  std::string Exporter; ///< the command that writes bundles, for messages
  uint64_t MaxSize = uint64_t(1) << 30;
  bool Pin = false;
};

/// One import of a bundle, member by member.
class BundleImport {
public:
  /// \p Reader: null if there is no cache yet. \p Writer: null for a dry run.
  /// All must outlive this object.
  BundleImport(ImportOptions Options, const Store *Reader, Store *Writer,
               ImportMessages &Messages)
      : Options(std::move(Options)), Reader(Reader), Writer(Writer),
        Tell(Messages) {}

  /// Imports all members from \p First on, whose header was already read.
  void run(BundleReader &Reader, BundleReader::Member First);

  uint64_t Imported = 0;
  uint64_t Bytes = 0;
  uint64_t AlreadyThere = 0;
  uint64_t Recipes = 0;

private:
  void error(const BundleReader::Member &M, const std::string &Problem);
  bool take(BundleReader &Reader, const BundleReader::Member &M);
  bool takeTrailer(BundleReader &Reader, const BundleReader::Member &M);
  bool takeEntry(BundleReader &Reader, const BundleReader::Member &M,
                 const Digest &Id);
  bool keep(const DecodedEntry &Entry);
  void finish();

  ImportOptions Options;
  const Store *Reader;
  Store *Writer;
  ImportMessages &Tell;
  std::set<Digest> Seen;
  std::optional<std::string> Trailer;
};

} // namespace kpack::jit

#endif // KPACK_JIT_BUNDLE_BUNDLE_H
