//===- HipInstallation.h - search for HIP and device libraries --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds HIP's headers and ROCm's device libraries. clang searches trees with
// ROCm's layout; Debian spreads the same files over /usr. Files that only this
// search finds are passed to clang as options (HipDefaults.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_HIPINSTALLATION_H
#define KPACK_LIB_DRIVER_HIPINSTALLATION_H

#include "llvm/Support/VersionTuple.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>

namespace kpack::driver {

/// The user's settings; empty strings if not set.
struct HipQuery {
  std::string RocmPath;   // --rocm-path=, ROCM_PATH
  std::string HipPath;    // --hip-path=, HIP_PATH
  std::string DeviceLibs; // --rocm-device-lib-path=, HIP_DEVICE_LIB_PATH
  std::string Clang;      // the clang++ that will search, links resolved
  unsigned ClangMajor = 0;
};

struct HipInstallation {
  std::string Root;           // holds include/hip; empty: no HIP found
  llvm::VersionTuple Version; // of its headers
  std::string FullVersion;    // as hipcc prints it: 5.2.21153-0
  std::string DeviceLibs;     // directory of ockl.bc; empty: none found
  bool ClangFindsDeviceLibs = false;
  /// The newest code object version that the device libraries have a file for.
  unsigned NewestCodeObject = 0;
  /// True if clang finds an llvm-spirv; set by the caller, which runs programs.
  bool HasSpirvTranslator = false;
};

/// Searches clang's directories in its order, and then those of Debian 12, 13
/// and unstable. Never replaces a path that the user has set.
HipInstallation findHip(const HipQuery &Query, llvm::vfs::FileSystem &Files);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_HIPINSTALLATION_H
