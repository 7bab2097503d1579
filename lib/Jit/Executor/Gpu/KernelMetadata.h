//===- Gpu/KernelMetadata.h - argument layout of GPU kernels ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description of kernels in device code: offsets of arguments, limits of
// the workgroup, size of shared memory. A code object has it in a note
// (AMDGPUUsage, "Code Object V4 Metadata"), PTX in the heads of its entries.
// Arguments that the runtime adds ("hidden") are left out.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_GPU_KERNELMETADATA_H
#define KPACK_JIT_EXECUTOR_GPU_KERNELMETADATA_H

#include "kpack/Support/Status.h"

#include <array>
#include <string_view>
#include <vector>

namespace kpack::jit {

struct KernelArgument {
  std::string Name; ///< in the source; empty if not recorded
  uint32_t Offset = 0, Size = 0;
  bool IsPointer = false;
};

struct KernelMetadata {
  std::string Symbol; ///< the name for the runtime's module
  std::vector<KernelArgument> Arguments;
  uint32_t ArgumentBytes = 0; ///< up to the end of the last one
  /// Maximum number of work items of a workgroup; 0: not recorded.
  uint32_t MaxBlock = 0;
  /// The required size of a workgroup; zeros: any.
  std::array<uint32_t, 3> RequiredBlock{};
  uint32_t SharedBytes = 0; ///< of a workgroup, without those of the launch

  // For code objects; 0 if not recorded.
  uint32_t PrivateBytes = 0; ///< of a work item, in memory
  uint32_t WaveSize = 0;     ///< work items
  uint32_t Vgprs = 0;        ///< of a wave, with Agprs of the same file
  uint32_t Agprs = 0;
  uint32_t VgprSpills = 0; ///< registers spilled to memory
  uint32_t SgprSpills = 0; ///< spilled to lanes of VGPRs, not to memory
};

struct ImageMetadata {
  std::string Target; ///< "gfx90a:xnack-", "sm_90"
  std::vector<KernelMetadata> Kernels;
  /// An undefined function that the PTX calls, or empty.
  std::string Missing;

  /// Returns null if there is none.
  const KernelMetadata *find(std::string_view Symbol) const;
};

/// Reads the metadata of an AMDGPU code object, which may be hostile. Errors:
/// InvalidFormat with the reason.
Result<ImageMetadata> readCodeObjectMetadata(std::string_view Image);

/// Reads the metadata of PTX text. Errors: InvalidFormat.
Result<ImageMetadata> readPtxMetadata(std::string_view Image);

/// Reads either; the first bytes distinguish them.
Result<ImageMetadata> readImageMetadata(std::string_view Image);

/// Returns true if \p Kernel can be a function of type \p Type in clang's
/// spelling: the number of arguments is equal, and so is each size that the
/// type's name determines. Types other than functions fit any kernel.
bool fitsType(const KernelMetadata &Kernel, std::string_view Type);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_GPU_KERNELMETADATA_H
