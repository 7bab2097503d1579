//===- Offload/CodeObject.h - AMDGPU ELF files ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object is an ELF file whose header names the processor and the target
// features it was compiled for:
//
//   e_flags 0x0000033f  is  gfx90a:xnack+   (0x3f: gfx90a, 0x300: xnack on)
//
// Here is what the header and the tables of such a file say, for those who find
// one that nothing else describes. The bytes are hostile. What its kernels take
// is in KernelFacts.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_CODEOBJECT_H
#define KPACK_OFFLOAD_CODEOBJECT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kpack::offload {

/// Processor that stands for a value of EF_AMDGPU_MACH, "gfx90a"; empty when
/// the value is not known.
llvm::StringRef processorOfMach(unsigned Mach);

/// A feature as e_flags has it: '+', '-', or ' ' where code runs with both.
/// Of code object version 4 and later; others have other bits.
char xnackOfFlags(unsigned Flags);
char srameccOfFlags(unsigned Flags);

/// Whether \p Bytes begin with the header of a 64-bit little-endian ELF file
/// for AMDGPU.
bool isCodeObject(llvm::StringRef Bytes);

/// The target id in the header of a code object, "gfx90a:xnack+"; empty for a
/// processor that is newer than this program.
std::string targetOfCodeObject(llvm::StringRef Bytes);

/// The version of the code object format, 2 to 6, as the ABI in the header says
/// it; 0: unknown.
unsigned codeObjectVersion(llvm::StringRef Bytes);

/// How many of \p Bytes the code object at their start takes: up to the end of
/// the last table, section or segment. Nothing when one lies outside.
std::optional<uint64_t> codeObjectSize(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_CODEOBJECT_H
