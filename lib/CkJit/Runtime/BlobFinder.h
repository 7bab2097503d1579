//===- BlobFinder.h - compile request of a called kernel --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slot names a blob. The manifest in the library, or a manifest file, gives
// its source and flags; the settings give the root and the compiler; the GPUs
// give the target. Together they make the compile request for the cache
// (Resolver.h). `ck-jit prebuild` makes the same request.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_RUNTIME_BLOBFINDER_H
#define KPACK_LIB_CKJIT_RUNTIME_BLOBFINDER_H

#include "CkJit/Runtime/BlobRequest.h"
#include "CkJit/Runtime/Settings.h"
#include "Runtime/DeviceList.h"
#include "Support/ForkGuard.h"

#include <mutex>

namespace kpack::ckjit {

/// A blob and the file that lists it; null: the embedded manifest.
struct FoundBlob {
  BlobRecord Record;
  const BlobManifest *File = nullptr;
};

/// Thread-safe.
class BlobFinder {
public:
  /// \p Config must outlive this object.
  explicit BlobFinder(const Settings &Config) : Config(Config) {}

  /// Searches the embedded manifest, then one file: that of CK_JIT_MANIFEST,
  /// or the installed one if that is not set. Errors: InvalidMetadata.
  Result<FoundBlob> find(const ck_jit_slot &Slot);

  /// Errors: FileNotFound without a compiler; PathDiscoveryFailed without a
  /// source; ArchNotFound without a target.
  Result<jit::CompileRequest> request(const ck_jit_manifest &Manifest,
                                      const FoundBlob &Blob);

  /// Returns a shell command that prebuilds this request.
  std::string prebuildCommand(const ck_jit_slot &Slot, const FoundBlob &Blob,
                              const jit::CompileRequest &Wanted) const;

private:
  std::string findManifestFile(const ck_jit_manifest &Manifest) const;
  Result<std::string> target(const std::vector<std::string> &BuiltFor);

  const Settings &Config;
  std::mutex Lock; ///< guards Files
  /// By path; null if it could not be read.
  std::map<std::string, std::unique_ptr<BlobManifest>> Files;
  ForkGuard Guard{Lock};
  runtime::DeviceList Devices;
};

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_RUNTIME_BLOBFINDER_H
