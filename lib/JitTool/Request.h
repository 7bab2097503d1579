//===- Request.h - the compile that a command line means --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A blob of a manifest or a source with flags, as libckjit would ask for it now
// (kpack/CkJit/Runtime/Request.h): same compiler, same target, same order of
// choices.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_REQUEST_H
#define KPACK_LIB_JITTOOL_REQUEST_H

#include "Command.h"

#include "kpack/CkJit/Runtime/Request.h"
#include "kpack/Runtime/Devices.h"

namespace kpack::ckjit {

/// The GPUs of this machine, each kind once: starts the HSA runtime if there
/// is one and stops it again.
std::vector<runtime::Device> devicesOfThisMachine();

/// Where relative sources of the manifest file are.
std::string rootOf(const Invocation &I, const BlobManifest &Manifest,
                   const std::string &ManifestPath);

/// Errors: FileNotFound.
Result<std::string> compilerOf(const Invocation &I,
                               const std::string &OfManifest = {});

/// The compile of \p Blob, with a target. \p Manifest is null for a source that
/// the command line names.
Result<jit::CompileRequest> requestOf(const Invocation &I,
                                      const BlobRecord &Blob,
                                      const BlobManifest *Manifest,
                                      const std::string &Root);

} // namespace kpack::ckjit

#endif // KPACK_LIB_JITTOOL_REQUEST_H
