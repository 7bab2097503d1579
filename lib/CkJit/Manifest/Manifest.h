//===- CkJit/Manifest/Manifest.h - blobs of a library -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One form for all that is written about a library's sources: the lines that a
// build records, the copy that is kept of them, the section of the library and
// the installed ck_jit_manifest.json. JSON objects with "source", "argv" and
// "cwd", in an array, in an object's "blobs", or one a line;
// docs/reference/ck-jit-runtime.md, "Manifests as files". ManifestEntry is what
// is written, BlobRecord what that means to those who compile the blob.
//
// Siblings: Runtime.h (the tables in a library, which nobody has to parse),
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

/// One source as a build compiles it; members of the object in brackets.
struct ManifestEntry {
  std::string Source;    ///< as it was given
  std::string Output;    ///< likewise, or what compilers choose
  std::string Directory; ///< ["cwd"] that both are relative to
  bool IsDispatcher = false;
  std::string ApiKind;  ///< "fwd", "bwd", "batch_prefill"; empty: not known
  std::string Module;   ///< the folder that has the folder of blobs, or empty
  std::string Compiler; ///< absolute
  std::vector<std::string> Words; ///< ["argv"] without the compiler
  bool HasWords = false;          ///< of one that was read: it has "argv"
  /// What a dispatcher asks of it, as far as that is known.
  std::vector<std::string> Symbols;

  /// On one line, without its end. \p Argv is JSON, and instead of the words.
  std::string toJson(std::string_view Argv = {}) const;
};

/// What holds for all blobs.
struct ManifestHeader {
  std::string Name;     ///< of the cache's folder; empty: not said
  std::string Root;     ///< as it is written; empty: not said
  std::string Compiler; ///< empty: not said
  /// Nothing: not said.
  std::optional<std::vector<std::string>> LinkFlags;
};

/// All that a file says. "{root}" in texts of entries is the root.
struct Manifest : ManifestHeader {
  std::vector<ManifestEntry> Entries;

  /// \p Path and \p Advice are for the message. Errors: InvalidFormat, with the
  /// offset.
  static Result<Manifest> parse(std::string_view Text, const std::string &Path,
                                std::string_view Advice = "write it anew");

  /// An object with "blobs". Words are the same for thousands of them: with
  /// \p SharesWords each distinct list is written once.
  std::string toJson(bool SharesWords) const;
};

/// One blob, for who compiles it. "{root}" in these texts is the root.
struct BlobRecord {
  std::string Stem;      ///< file name of the source without its extension
  std::string Source;    ///< absolute, or relative to the root
  std::string Directory; ///< likewise; empty: the source's folder
  std::vector<std::string> Flags; ///< of the build, without the compiler
  /// What a dispatcher asks of it, as far as the manifest says: for people, no
  /// part of a request.
  std::vector<std::string> Symbols;
};

BlobRecord blobOf(ManifestEntry Entry);

/// The blobs of a manifest by their names. Entries without a source are none.
class BlobManifest : public ManifestHeader {
public:
  /// Errors: FileNotFound, IoError; InvalidFormat with the offset.
  static Result<BlobManifest> read(const std::string &Path);
  /// \p Path is for messages.
  static Result<BlobManifest> parse(std::string_view Text,
                                    const std::string &Path);

  /// Null if there is none; of several with one stem the first.
  const BlobRecord *find(const std::string &Stem) const;
  const std::vector<BlobRecord> &blobs() const { return Blobs; }

private:
  std::vector<BlobRecord> Blobs;
  std::map<std::string, size_t> Places; ///< by stem
};

/// Every mention of the folder \p From in \p Text becomes \p To: with /src/ck
/// and "{root}", "-I/src/ck/include" becomes "-I{root}/include", and /src/ck2
/// stays.
std::string withFolder(std::string Text, std::string_view From,
                       std::string_view To);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_MANIFEST_MANIFEST_H
