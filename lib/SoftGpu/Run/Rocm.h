//===- Rocm.h - which ROCm a program gets, and its GPUs ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generations of ROCm differ in the GPUs that they know, and show a program
// none at all if one of those that there are is unknown to them. Their
// libraries say what they are: the HIP library by the version in its file's
// name, the HSA runtime by the names of GPUs in its registry. RocmTree.h starts
// programs with another one than the installed.
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

/// Where libraries are below \p Root, in the order of the dynamic linker's own
/// search, and those that its configuration there names (/etc/ld.so.conf).
std::vector<std::string> libraryFolders(llvm::StringRef Root);

/// The file of \p Name in the first of \p Folders that has one; its name may go
/// on with a version, of which the highest counts. Empty: there is none.
std::string findLibrary(llvm::ArrayRef<std::string> Folders,
                        llvm::StringRef Name);

class Rocm {
public:
  /// The one whose libraries are in \p Folders; none: no HSA runtime is there.
  static std::optional<Rocm> find(llvm::ArrayRef<std::string> Folders);
  /// The one that a program of this system gets, unless it has its own.
  static std::optional<Rocm> installed();

  /// "ROCm 5.2 (/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1.5.0)".
  std::string name() const;
  /// The same with all libraries, and on a second line the GPUs that it knows.
  std::string describe() const;
  /// Of HIP; 0: not known.
  unsigned majorVersion() const;

  /// Whether both of its libraries, as far as they are there, know \p P. True
  /// where they cannot be asked.
  bool knows(const softgpu::GpuProcessor &P) const;
  /// Of \p Gpus those that it does not know, "gfx942, gfx1201"; empty: none.
  std::string unknown(llvm::ArrayRef<const softgpu::GpuProcessor *> Gpus) const;

private:
  using Known = std::vector<bool>; ///< for each of GpuProcessors

  static Known readKnown(llvm::StringRef Library);

  std::string Hsa;     ///< path, without links
  std::string Hip;     ///< the same; empty: there is none
  std::string Version; ///< "5.2"; empty: not known
  Known OfHsa, OfHip;
};

} // namespace kpack::run

#endif // KPACK_LIB_SOFTGPU_RUN_ROCM_H
