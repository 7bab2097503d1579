//===- SoftGpu/Kfd/Sysfs.h - what the driver shows in /sys ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ROCm reads from files below /sys which GPUs there are and what they have.
// kpack-run writes them to a folder of its own, and the library that it
// preloads redirects paths there (lib/SoftGpu/Kfd/Preload/Redirect.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_SYSFS_H
#define KPACK_SOFTGPU_KFD_SYSFS_H

#include "SoftGpu/Kfd/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kpack::softgpu {

/// Writes the files for a machine with these GPUs, as nodes 1, 2, ..., below
/// \p Folder, which exists.
/// Errors: a file or a folder that cannot be made.
llvm::Error writeSysfs(llvm::StringRef Folder,
                       llvm::ArrayRef<const GpuProcessor *> Gpus);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_SYSFS_H
