//===- DriverFiles.h - folder with the emulated driver's files --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's files in /sys (SoftGpu/Kfd/Sysfs.h), in a folder of this run. A
// variable passes its path to the program.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_DRIVERFILES_H
#define KPACK_LIB_SOFTGPU_RUN_DRIVERFILES_H

#include "SoftGpu/Kfd/Processors.h"
#include "kpack/Support/UniqueFd.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

namespace kpack::run {

/// Removes the files in its destructor.
class DriverFiles {
public:
  DriverFiles() = default;
  DriverFiles(const DriverFiles &) = delete;
  DriverFiles &operator=(const DriverFiles &) = delete;
  ~DriverFiles();

  /// Writes the files of a machine with \p Gpus. Fails if it cannot.
  llvm::Error make(llvm::ArrayRef<const softgpu::GpuProcessor *> Gpus);
  llvm::StringRef folder() const { return Folder; }

private:
  llvm::Error makeIn(const std::string &Start,
                     llvm::ArrayRef<const softgpu::GpuProcessor *> Gpus);

  llvm::SmallString<128> Folder;
  UniqueFd Lock; ///< marks the folder as used
};

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_DRIVERFILES_H
