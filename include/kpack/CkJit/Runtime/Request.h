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
// Siblings: Manifest/Manifest.h (where blobs are from),
// kpack/Jit/Executor/SourceCache.h (what is done with a request). No LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_REQUEST_H
#define KPACK_CKJIT_RUNTIME_REQUEST_H

#include "kpack/CkJit/Manifest/Manifest.h"
#include "kpack/Jit/Service/Compile.h"

namespace kpack::ckjit {

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

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_REQUEST_H
