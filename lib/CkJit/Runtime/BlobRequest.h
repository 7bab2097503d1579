//===- BlobRequest.h - compile request of a manifest entry ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the cache's request from a manifest's entry. A program finds a prebuilt
// entry only if both make the same request, so libckjit and every tool make it
// here. Read makeRequest() first.
//
// See also Manifest/Manifest.h (the source of blobs) and
// Jit/Executor/Cache/SourceCache.h (the use of requests). Links no LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_BLOBREQUEST_H
#define KPACK_CKJIT_RUNTIME_BLOBREQUEST_H

#include "CkJit/Manifest/Manifest.h"
#include "Jit/Service/Compile.h"

namespace kpack::ckjit {

/// The common data of a manifest's blobs.
struct RequestContext {
  std::string Root;                   ///< absolute
  std::string Compiler;               ///< absolute: see jit::findCompiler()
  std::vector<std::string> LinkFlags; ///< of the manifest
};

struct BlobRequest {
  /// Complete for C++. For HIP, Target is empty: see jit::chooseTarget().
  jit::CompileRequest Compile;
  /// The targets of the build, for jit::chooseTarget().
  std::vector<std::string> BuiltFor;
};

/// Returns the request for \p Blob. It lists no symbols: the shared object then
/// exports every function that the source emits, and one entry serves all
/// callers. Errors: FileNotFound if the source cannot be read.
Result<BlobRequest> makeRequest(const BlobRecord &Blob,
                                const RequestContext &Context);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_BLOBREQUEST_H
