//===- Jit/Executor/Gpu/KernelMetadata.h - what kernels take ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What device code says of its kernels: where arguments lie, how large a
// workgroup may be, how much shared memory is taken. A code object has it in a
// note (AMDGPUUsage, "Code Object V4 Metadata"), PTX in the heads of its
// entries. Arguments that the runtime adds ("hidden") are not among them.
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
  std::string Name; ///< of the source; empty: not said
  uint32_t Offset = 0, Size = 0;
  bool IsPointer = false;
};

struct KernelMetadata {
  std::string Symbol; ///< what the runtime's module is asked for
  std::vector<KernelArgument> Arguments;
  uint32_t ArgumentBytes = 0; ///< up to the end of the last one
  /// Work items of a workgroup at most; 0: not said.
  uint32_t MaxBlock = 0;
  /// The one size that a workgroup may have; zeros: any.
  std::array<uint32_t, 3> RequiredBlock{};
  uint32_t SharedBytes = 0; ///< of a workgroup, without those of the launch

  // Of code objects; 0 where they do not say it.
  uint32_t PrivateBytes = 0; ///< of a work item, in memory
  uint32_t WaveSize = 0;     ///< work items
  uint32_t Vgprs = 0;        ///< that a wave takes, with Agprs of the same file
  uint32_t Agprs = 0;
  uint32_t VgprSpills = 0; ///< registers that went to memory
  uint32_t SgprSpills = 0; ///< that went to lanes of VGPRs, not to memory
};

struct ImageMetadata {
  std::string Target; ///< "gfx90a:xnack-", "sm_90"
  std::vector<KernelMetadata> Kernels;
  /// A function of PTX that is called and is somewhere else; empty: none.
  std::string Missing;

  /// Null: there is none.
  const KernelMetadata *find(std::string_view Symbol) const;
};

/// Of an AMDGPU code object. Errors: InvalidFormat, with the reason; nothing of
/// \p Image is trusted.
Result<ImageMetadata> readCodeObjectMetadata(std::string_view Image);

/// Of PTX text. Errors: InvalidFormat.
Result<ImageMetadata> readPtxMetadata(std::string_view Image);

/// Of either, told apart by their first bytes.
Result<ImageMetadata> readImageMetadata(std::string_view Image);

/// Whether the arguments of \p Kernel can be those of a function of the type
/// that clang spells \p Type: as many, and each of its size where the type's
/// name says that. A type that is no function's fits all.
bool fitsType(const KernelMetadata &Kernel, std::string_view Type);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_GPU_KERNELMETADATA_H
