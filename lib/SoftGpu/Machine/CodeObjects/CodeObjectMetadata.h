//===- CodeObjectMetadata.h - parser of code object metadata ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NT_AMDGPU_METADATA (LLVM's AMDGPUUsage, "Code Object Metadata", versions 4 to
// 6): a MessagePack map with the target and each kernel's arguments and sizes.
// CodeObject.cpp finds the note and turns symbols into addresses.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_CODEOBJECTS_CODEOBJECTMETADATA_H
#define KPACK_LIB_SOFTGPU_MACHINE_CODEOBJECTS_CODEOBJECTMETADATA_H

#include "SoftGpu/Machine/CodeObjects/CodeObject.h"

namespace kpack::softgpu {

struct CodeObjectMetadata {
  struct Entry {
    std::string Symbol; ///< of the descriptor, "name.kd"
    Kernel Contents;    ///< without the descriptor's address
  };
  std::string Target; ///< target id without triple: "gfx90a:xnack-"
  std::vector<Entry> Kernels;

  /// Parses an untrusted \p Note. Fails if it is not MessagePack or has another
  /// layout.
  static llvm::Expected<CodeObjectMetadata> parse(llvm::StringRef Note);
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_CODEOBJECTS_CODEOBJECTMETADATA_H
