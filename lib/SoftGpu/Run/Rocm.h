//===- Rocm.h - the program's ROCm and its GPUs -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generations of ROCm differ in the GPUs that they know, and show a program
// no GPU at all if one of them is unknown. The libraries tell them apart: the
// HIP library by the version in its file name, the HSA runtime by the names of
// GPUs in its registry. RocmTree.h starts programs with a ROCm that is not
// installed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_RUN_ROCM_H
#define KPACK_LIB_SOFTGPU_RUN_ROCM_H

#include "SoftGpu/Kfd/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace kpack::run {

/// Returns the folders of libraries below \p Root, in the order of the dynamic
/// linker's search, and those of its configuration there (/etc/ld.so.conf).
std::vector<std::string> libraryFolders(llvm::StringRef Root);

/// Finds the file \p Name, perhaps with a version after it, in the first of
/// \p Folders that has one; the highest version wins. Empty if there is none.
std::string findLibrary(llvm::ArrayRef<std::string> Folders,
                        llvm::StringRef Name);

class Rocm {
public:
  /// Returns the ROCm with its libraries in \p Folders, if there is an HSA
  /// runtime.
  static std::optional<Rocm> find(llvm::ArrayRef<std::string> Folders);
  /// Returns the ROCm that programs of this system get unless they bring
  /// another.
  static std::optional<Rocm> installed();

  /// "ROCm 5.2 (/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1.5.0)".
  std::string name() const;
  /// Returns the name with all libraries, and the known GPUs on a second line.
  std::string describe() const;
  /// Returns the version of HIP, or 0 if unknown.
  unsigned majorVersion() const;

  /// True if both of its libraries, as far as they exist, know \p P, or they
  /// cannot be read.
  bool knows(const softgpu::GpuProcessor &P) const;
  /// Returns the unknown ones of \p Gpus, "gfx942, gfx1201"; may be empty.
  std::string unknown(llvm::ArrayRef<const softgpu::GpuProcessor *> Gpus) const;

private:
  using Known = std::vector<bool>; ///< for each of GpuProcessors

  static Known readKnown(llvm::StringRef Library);

  std::string Hsa;     ///< path, with links resolved
  std::string Hip;     ///< the same; empty if there is none
  std::string Version; ///< "5.2"; empty if unknown
  Known OfHsa, OfHip;
};

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_ROCM_H
