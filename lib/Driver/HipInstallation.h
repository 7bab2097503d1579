//===- HipInstallation.h - the HIP of this machine --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where HIP's headers and ROCm's device libraries are. clang looks into trees
// of ROCm's own layout; Debian spreads the same files over /usr. What is found
// here and not by clang is given to it (HipDefaults.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_HIPINSTALLATION_H
#define KPACK_LIB_DRIVER_HIPINSTALLATION_H

#include "llvm/Support/VersionTuple.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <string>

namespace kpack::driver {

/// What the user has said about it; empty: nothing.
struct HipQuery {
  std::string RocmPath;   // --rocm-path=, ROCM_PATH
  std::string HipPath;    // --hip-path=, HIP_PATH
  std::string DeviceLibs; // --rocm-device-lib-path=, HIP_DEVICE_LIB_PATH
  std::string Clang;      // the clang++ that will look, links resolved
  unsigned ClangMajor = 0;
};

struct HipInstallation {
  std::string Root;           // holds include/hip; empty: no HIP found
  llvm::VersionTuple Version; // of its headers
  std::string FullVersion;    // as hipcc prints it: 5.2.21153-0
  std::string DeviceLibs;     // folder of ockl.bc; empty: none found
  bool ClangFindsDeviceLibs = false;
  /// The newest code object version that the device libraries have a file for.
  unsigned NewestCodeObject = 0;
  /// clang finds an llvm-spirv; looked for by who runs programs.
  bool HasSpirvTranslator = false;
};

/// Looks where clang looks, in its order, and then where Debian 12, 13 and
/// unstable put the files. What the user has named is never replaced.
HipInstallation findHip(const HipQuery &Query, llvm::vfs::FileSystem &Files);

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_HIPINSTALLATION_H
