//===- DeviceLink.h - the device link of -fgpu-rdc --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -fgpu-rdc the device code of all TUs is linked into one code object a
// target. It is done here, after the host link, which has said which members of
// static libraries are alive. The result is the one of `clang --hip-link`.
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

/// Whether device links write more than their output.
bool keepsDeviceFiles(const LinkOptions &Options);

/// Links the Rdc payloads of \p Inputs for every target that one of them has,
/// sorted by target. If keepsDeviceFiles(), all that the links write goes to
/// \p Kept.
llvm::Expected<std::vector<DeviceImageFile>>
linkDeviceCode(const InputFiles &Inputs, const LinkedCode &Code,
               const LinkOptions &Options, const KeptFiles *Kept);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_DEVICELINK_H
