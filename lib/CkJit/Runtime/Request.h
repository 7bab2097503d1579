//===- CkJit/Runtime/Request.h - a blob as a compile ------------*- C++ -*-===//
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
// Jit/Executor/Cache/SourceCache.h (what is done with a request). No LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_REQUEST_H
#define KPACK_CKJIT_RUNTIME_REQUEST_H

#include "CkJit/Manifest/Manifest.h"
#include "Jit/Service/Compile.h"

namespace kpack::ckjit {

/// What holds for all blobs of a manifest.
struct RequestContext {
  std::string Root;                   ///< absolute
  std::string Compiler;               ///< absolute: see jit::findCompiler()
  std::vector<std::string> LinkFlags; ///< of the manifest
};

struct BlobRequest {
  /// Complete for C++. For HIP, Target is missing: see
  /// jit::chooseTarget().
  jit::CompileRequest Compile;
  /// The build's own targets, for jit::chooseTarget().
  std::vector<std::string> BuiltFor;
};

/// The request for \p Blob. It lists no symbols: the shared object then exports
/// every function that the source emits, and one entry serves all who ask.
/// Errors: FileNotFound when the source cannot be read.
Result<BlobRequest> requestOf(const BlobRecord &Blob,
                              const RequestContext &Context);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_REQUEST_H
