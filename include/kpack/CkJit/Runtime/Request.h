//===- kpack/CkJit/Runtime/Request.h - a blob as a compile ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a manifest's entry to the request that the cache is asked with. What is
// compiled beforehand is only found by a program if both make the same request:
// libckjit and every tool do it here. Read requestOf() first.
//
// Siblings: Runtime.h (the manifest within a library),
// kpack/Jit/Executor/SourceCache.h (what is done with a request). No LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_REQUEST_H
#define KPACK_CKJIT_RUNTIME_REQUEST_H

#include "kpack/Jit/Service/Compile.h"

#include <map>
#include <optional>

namespace kpack::ckjit {

/// One blob of a manifest. "{root}" in these texts is the manifest's root.
struct BlobRecord {
  std::string Stem;      ///< file name of the source without its extension
  std::string Source;    ///< absolute, or relative to the root
  std::string Directory; ///< likewise; empty: the source's folder
  std::vector<std::string> Flags; ///< of the build, without the compiler
  /// What a dispatcher asks of it, as far as the manifest says: for people, no
  /// part of a request.
  std::vector<std::string> Symbols;
};

/// The manifest as a build writes it, as it is installed
/// (ck_jit_manifest.json) and as a library holds it: JSON objects with
/// "source", "argv" and "cwd", in an array, in an object's "blobs", or one a
/// line. docs/reference/ck-jit-runtime.md, "Manifests as files".
class BlobManifest {
public:
  /// Errors: FileNotFound, IoError; InvalidFormat with the offset.
  static Result<BlobManifest> read(const std::string &Path);
  /// \p Path is for messages.
  static Result<BlobManifest> parse(std::string_view Text,
                                    const std::string &Path);

  /// Null if there is none; of several with one stem the first.
  const BlobRecord *find(const std::string &Stem) const;
  const std::vector<BlobRecord> &blobs() const { return Blobs; }

  std::string Name;     ///< of the cache's folder; empty: not said
  std::string Root;     ///< as it is written; empty: not said
  std::string Compiler; ///< empty: not said
  /// Nothing: not said.
  std::optional<std::vector<std::string>> LinkFlags;

private:
  class Parser;
  std::vector<BlobRecord> Blobs;
  std::map<std::string, size_t> Places; ///< by stem
};

/// What holds for all blobs of a manifest.
struct RequestContext {
  std::string Root;                   ///< absolute
  std::string Compiler;               ///< absolute: see findCompiler()
  std::vector<std::string> LinkFlags; ///< of the manifest
};

struct BlobRequest {
  /// Complete for C++. For HIP, Target is missing: see chooseTarget().
  jit::CompileRequest Compile;
  /// The build's own targets, for chooseTarget().
  std::vector<std::string> BuiltFor;
};

/// The request for \p Blob. It lists no symbols: the shared object then exports
/// every function that the source emits, and one entry serves all who ask.
/// Errors: FileNotFound when the source cannot be read.
Result<BlobRequest> requestOf(const BlobRecord &Blob,
                              const RequestContext &Context);

/// Which of the build's targets serves the GPU \p Device, a target id, by HIP's
/// rules: of the same processor, or generic for it; features that both mention
/// are equal. The one that says most is taken. A build that names none takes
/// the device's. Errors: ArchNotFound when none fits, or several equally well.
Result<std::string> chooseTarget(const std::vector<std::string> &BuiltFor,
                                 const std::string &Device);

/// The absolute path of a clang++: \p Wanted if that is one; else \p Wanted
/// (empty: of $ROCM_PATH and /opt/rocm, then "clang++") in the folders of
/// \p SearchPath. Errors: FileNotFound.
Result<std::string> findCompiler(const std::string &Wanted,
                                 const std::string &RocmPath,
                                 const std::string &SearchPath);

/// \p Word as a shell has to be given it.
std::string shellQuoted(const std::string &Word);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_REQUEST_H
