//===- Manifest/Manifest.h - list of a library's kernel sources -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One format for all records of a library's sources: the lines of a build,
// their stored copy, the section of the library and the installed
// ck_jit_manifest.json. JSON objects with "source", "argv" and "cwd", in an
// array, in an object's "blobs", or one a line;
// docs/reference/ck-jit-runtime.md, "Manifests as files". ManifestEntry is the
// written form, BlobRecord its meaning for a compile of the blob.
//
// See also Runtime.h (the tables in a library, which need no parser) and
// Runtime/Request.h (from a blob to a compile).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_MANIFEST_MANIFEST_H
#define KPACK_CKJIT_MANIFEST_MANIFEST_H

#include "kpack/Support/Status.h"

#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace kpack::ckjit {

/// A source of a build; JSON member names in brackets.
struct ManifestEntry {
  std::string Source;    ///< as given
  std::string Output;    ///< as given, or the compiler's default
  std::string Directory; ///< ["cwd"], base of both
  bool IsDispatcher = false;
  std::string ApiKind;  ///< "fwd", "bwd", "batch_prefill"; empty if unknown
  std::string Module;   ///< parent of the folder of blobs, or empty
  std::string Compiler; ///< absolute
  std::vector<std::string> Words; ///< ["argv"] without the compiler
  bool HasWords = false;          ///< of a parsed entry: "argv" was present
  /// The symbols that dispatchers reference, as far as known.
  std::vector<std::string> Symbols;

  /// Returns one line without newline. \p Argv is JSON and replaces the words.
  std::string toJson(std::string_view Argv = {}) const;
};

/// Properties of all blobs.
struct ManifestHeader {
  std::string Name;     ///< of the cache's folder, or empty
  std::string Root;     ///< as written, or empty
  std::string Compiler; ///< or empty
  /// nullopt if not given.
  std::optional<std::vector<std::string>> LinkFlags;
};

/// The content of a file. "{root}" in texts of entries is the root.
struct Manifest : ManifestHeader {
  std::vector<ManifestEntry> Entries;

  /// \p Path and \p Advice are for the message. Errors: InvalidFormat with the
  /// offset.
  static Result<Manifest> parse(std::string_view Text, const std::string &Path,
                                std::string_view Advice = "write it anew");

  /// Returns an object with "blobs". Thousands of blobs have equal words: with
  /// \p SharesWords each distinct list is written once.
  std::string toJson(bool SharesWords) const;
};

/// A blob for a compile. "{root}" in these texts is the root.
struct BlobRecord {
  std::string Stem;      ///< file name of the source without its extension
  std::string Source;    ///< absolute, or relative to the root
  std::string Directory; ///< likewise; empty: the source's folder
  std::vector<std::string> Flags; ///< of the build, without the compiler
  /// The symbols that dispatchers reference, if the manifest has them: for
  /// people, not part of a request.
  std::vector<std::string> Symbols;
};

BlobRecord getBlob(ManifestEntry Entry);

/// The blobs of a manifest by name. Skips entries without a source.
class BlobManifest : public ManifestHeader {
public:
  /// Errors: FileNotFound, IoError; InvalidFormat with the offset.
  static Result<BlobManifest> read(const std::string &Path);
  /// \p Path is for messages.
  static Result<BlobManifest> parse(std::string_view Text,
                                    const std::string &Path);

  /// Returns null if there is none; of several with one stem the first.
  const BlobRecord *find(const std::string &Stem) const;
  const std::vector<BlobRecord> &blobs() const { return Blobs; }

private:
  std::vector<BlobRecord> Blobs;
  std::map<std::string, size_t> Places; ///< by stem
};

/// Replaces every occurrence of the folder \p Old in \p Text by \p New: with
/// /src/ck and "{root}", "-I/src/ck/include" becomes "-I{root}/include", and
/// /src/ck2 stays.
std::string withFolder(std::string Text, std::string_view Old,
                       std::string_view New);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_MANIFEST_MANIFEST_H
