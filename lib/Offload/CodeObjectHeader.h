//===- CodeObjectHeader.h - ELF headers of AMDGPU code objects --*- C++ -*-===//
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
// Reads the header and the tables of a code object, for tools that have no
// other description of it. The bytes are hostile. KernelFacts.h reads the
// properties of its kernels.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_CODEOBJECTHEADER_H
#define KPACK_OFFLOAD_CODEOBJECTHEADER_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kpack::offload {

/// Returns the processor for a value of EF_AMDGPU_MACH, "gfx90a"; empty for an
/// unknown value.
llvm::StringRef processorOfMach(unsigned Mach);

/// Returns the setting of a feature in e_flags: '+', '-', or ' ' if the code
/// runs with both. Only for code object version 4 and later; earlier ones have
/// other bits.
char xnackOfFlags(unsigned Flags);
char srameccOfFlags(unsigned Flags);

/// True if \p Bytes begin with the header of a 64-bit little-endian ELF file
/// for AMDGPU.
bool isCodeObject(llvm::StringRef Bytes);

/// Returns the target id in the header of a code object, "gfx90a:xnack+"; empty
/// for a processor newer than this program.
std::string targetOfCodeObject(llvm::StringRef Bytes);

/// Returns the version of the code object format, 2 to 6, from the ABI version
/// in the header; 0 if unknown.
unsigned codeObjectVersion(llvm::StringRef Bytes);

/// Returns the size of the code object at the start of \p Bytes: up to the end
/// of the last table, section or segment. Returns nullopt if one of them ends
/// past \p Bytes.
std::optional<uint64_t> codeObjectSize(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_CODEOBJECTHEADER_H
