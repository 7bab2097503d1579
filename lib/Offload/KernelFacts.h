//===- Offload/KernelFacts.h - what kernels take ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of a code object, with what its metadata says of each: registers,
// memory, the size of its code. The metadata is a note of MessagePack that the
// compiler writes and that every runtime reads (AMDGPUUsage, "Code Object
// Metadata"). Siblings for those who run kernels, which need the arguments and
// refuse what they cannot launch: Jit/Executor/Gpu/KernelMetadata.h, and
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

/// A number that is not there was not said by the compiler.
struct KernelFacts {
  /// As the compiler mangled it.
  std::string Name;
  /// Bytes of its instructions, by the symbol table; up to the next function
  /// where that does not say it.
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
  /// Canonical; of the metadata, which knows processors that are newer than
  /// this program. Empty without metadata.
  std::string Target;
  /// In the order of the metadata.
  std::vector<KernelFacts> Kernels;
};

/// Reads the code object \p Bytes. One without metadata (libraries of device
/// code, old compilers) has no kernels here. The error says what is damaged,
/// without an object and without advice.
llvm::Expected<CodeObjectFacts> readKernelFacts(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_KERNELFACTS_H
