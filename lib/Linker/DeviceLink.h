//===- DeviceLink.h - the device link of -fgpu-rdc --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -fgpu-rdc the device code of all TUs is linked into one code object for
// each target. The device link follows the host link, which determines the live
// members of static libraries. The result equals that of `clang --hip-link`.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_DEVICELINK_H
#define KPACK_LIB_LINKER_DEVICELINK_H

#include "InputFiles.h"
#include "KeptFiles.h"
#include "Resolve.h"

namespace kpack::linker {

struct DeviceImageFile {
  std::string Target;
  std::unique_ptr<llvm::MemoryBuffer> Bytes;
};

/// True if device links write files beside their output.
bool keepsDeviceFiles(const LinkOptions &Options);

/// Links the Rdc payloads of \p Inputs for every target that one of them has,
/// sorted by target. If keepsDeviceFiles(), the links write all files to \p
/// Kept.
llvm::Expected<std::vector<DeviceImageFile>>
linkDeviceCode(const InputFiles &Inputs, const LinkedCode &Code,
               const LinkOptions &Options, const KeptFiles *Kept);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_DEVICELINK_H
