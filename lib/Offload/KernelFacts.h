//===- Offload/KernelFacts.h - registers and memory of kernels --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the kernels of a code object with the properties in its metadata:
// registers, memory, code size. The metadata is a MessagePack note that the
// compiler writes and every runtime reads (AMDGPUUsage, "Code Object
// Metadata"). Siblings that also read the arguments and refuse kernels that
// they cannot launch: Jit/Executor/Gpu/KernelMetadata.h, and
// lib/SoftGpu/Machine.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_KERNELFACTS_H
#define KPACK_OFFLOAD_KERNELFACTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kpack::offload {

/// A number is nullopt if the metadata lacks it.
struct KernelFacts {
  /// The mangled name.
  std::string Name;
  /// Size of its instructions in bytes, from the symbol table; up to the next
  /// function if the symbol has no size.
  std::optional<uint64_t> CodeSize;
  /// Registers of each kind; accumulators are those of matrix instructions.
  std::optional<uint32_t> Vgprs, Sgprs, Agprs;
  std::optional<uint32_t> VgprSpills, SgprSpills;
  /// Bytes of LDS for a workgroup, of private memory for a work item, of
  /// arguments.
  std::optional<uint32_t> Lds, Private, Kernarg;
  std::optional<uint32_t> WavefrontSize, MaxWorkgroup;
};

struct CodeObjectFacts {
  /// Canonical target id from the metadata, which may name processors that are
  /// newer than this program. Empty without metadata.
  std::string Target;
  /// In the order of the metadata.
  std::vector<KernelFacts> Kernels;
};

/// Reads the code object \p Bytes. Without metadata (libraries of device code,
/// old compilers) the list of kernels is empty. Errors describe the damage,
/// without object and remedy.
llvm::Expected<CodeObjectFacts> readKernelFacts(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_KERNELFACTS_H
