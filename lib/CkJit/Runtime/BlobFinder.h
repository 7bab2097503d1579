//===- BlobFinder.h - from a slot to what is compiled -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot names a blob. Which source and flags that is says the manifest within
// the library or one that is a file; where the sources are and which compiler,
// the settings; which target, the GPUs. All of them together are a compile
// request, which the cache is asked with (Resolver.h), or `ck-jit prebuild`
// beforehand.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_BLOBFINDER_H
#define KPACK_LIB_CKJIT_RUNTIME_BLOBFINDER_H

#include "CkJit/Runtime/Request.h"
#include "CkJit/Runtime/Settings.h"
#include "Runtime/Devices.h"
#include "Support/ForkGuard.h"

#include <mutex>

namespace kpack::ckjit {

/// A blob, and the file it is from; null: the embedded manifest.
struct FoundBlob {
  BlobRecord Record;
  const BlobManifest *File = nullptr;
};

/// Thread-safe.
class BlobFinder {
public:
  /// \p Config outlives this object.
  explicit BlobFinder(const Settings &Config) : Config(Config) {}

  /// In the embedded manifest, else in the file that the environment names,
  /// else in the installed one. Errors: InvalidMetadata.
  Result<FoundBlob> find(const ck_jit_slot &Slot);

  /// Errors: FileNotFound, no compiler; PathDiscoveryFailed, no source;
  /// ArchNotFound, no target.
  Result<jit::CompileRequest> request(const ck_jit_manifest &Manifest,
                                      const FoundBlob &Blob);

  /// A line for a shell that makes the request of this process.
  std::string prebuildCommand(const ck_jit_slot &Slot, const FoundBlob &Blob,
                              const jit::CompileRequest &Wanted) const;

private:
  std::string manifestFileOf(const ck_jit_manifest &Manifest) const;
  Result<std::string> target(const std::vector<std::string> &BuiltFor);

  const Settings &Config;
  std::mutex Lock; ///< of Files
  /// By path; null: could not be read.
  std::map<std::string, std::unique_ptr<BlobManifest>> Files;
  ForkGuard Guard{Lock};
  runtime::DeviceList Devices;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_BLOBFINDER_H
