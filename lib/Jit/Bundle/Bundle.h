//===- Jit/Bundle/Bundle.h - entries to a bundle and back -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries of a cache in one file (BundleFile.h), for other machines. Every
// entry is verified on its way, in both directions. Recipes stay: they name
// files of one machine. The last member says how many there are before it, so
// that a bundle that was cut off between members is noticed. No LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_BUNDLE_BUNDLE_H
#define KPACK_JIT_BUNDLE_BUNDLE_H

#include "Jit/Bundle/BundleFile.h"
#include "Jit/Store/Store.h"

#include <set>

namespace kpack::jit {

/// All products of \p From, in the order in which a bundle has them.
std::vector<Digest> productsOf(const Store &From);

/// The bytes of \p Entry's file, through its descriptor: its name may lead to
/// another one by now. \p Verifier is what moves away damaged ones, for
/// messages. Errors: IoError, OutOfMemory.
Result<Buffer> fileOf(const StoredEntry &Entry, const std::string &Verifier);

/// Writes those of \p Ids that are there, in their order, and the end of the
/// bundle; how many they were. Errors: InvalidFormat for a damaged entry, the
/// writer's.
Result<uint64_t> exportEntries(const Store &From,
                               const std::vector<Digest> &Ids,
                               const std::string &Verifier, BundleWriter &To);

/// Who is told what is wrong with members; an import goes on after that.
class ImportMessages {
public:
  virtual ~ImportMessages() = default;
  virtual void error(std::string Message) = 0;
  virtual void note(std::string Message) = 0;
  /// A number of bytes for people.
  virtual std::string size(uint64_t Bytes) const = 0;
};

struct ImportOptions {
  std::string Path;     ///< of the bundle, for messages
  std::string Exporter; ///< what writes bundles, for messages
  uint64_t MaxSize = uint64_t(1) << 30;
  bool Pin = false;
};

/// One import: what is in the bundle, member by member.
class BundleImport {
public:
  /// \p Reader: null where no cache is there yet. \p Writer: null for a dry
  /// run. All outlive this object.
  BundleImport(ImportOptions Options, const Store *Reader, Store *Writer,
               ImportMessages &Messages)
      : Options(std::move(Options)), Reader(Reader), Writer(Writer),
        Tell(Messages) {}

  /// Everything from \p First on, which was read already.
  void run(BundleReader &From, BundleReader::Member First);

  uint64_t Imported = 0;
  uint64_t Bytes = 0;
  uint64_t AlreadyThere = 0;
  uint64_t Recipes = 0;

private:
  void error(const BundleReader::Member &M, const std::string &What);
  bool take(BundleReader &From, const BundleReader::Member &M);
  bool takeTrailer(BundleReader &From, const BundleReader::Member &M);
  bool takeEntry(BundleReader &From, const BundleReader::Member &M,
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
