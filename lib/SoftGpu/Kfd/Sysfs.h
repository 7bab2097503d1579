//===- SoftGpu/Kfd/Sysfs.h - the driver's files in /sys ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ROCm finds GPUs and their properties in files below /sys. kpack-run writes
// them to a private folder, and its preloaded library redirects paths there
// (lib/SoftGpu/Kfd/Preload/Redirect.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_KFD_SYSFS_H
#define KPACK_SOFTGPU_KFD_SYSFS_H

#include "SoftGpu/Kfd/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kpack::softgpu {

/// Writes the files of a machine with these GPUs, as nodes 1, 2, ..., below the
/// existing folder \p Folder. Fails if it cannot make a file or folder.
llvm::Error writeSysfs(llvm::StringRef Folder,
                       llvm::ArrayRef<const GpuProcessor *> Gpus);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_KFD_SYSFS_H
