//===- Offload/HipSymbols.h - names clang gives HIP code --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ABI between clang's HIP code generation (clang/lib/CodeGen/CGCUDANV.cpp)
// and the definition of the fat binary: the wrapper that is registered, and the
// symbols whose suffix <h> is the hash of the TU's cuid. <h> has no leading
// zeros: it is a number, not always 16 characters.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_HIPSYMBOLS_H
#define KPACK_OFFLOAD_HIPSYMBOLS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kpack::offload {

/// struct __CudaFatBinaryWrapper, little-endian, 24 bytes: magic, version,
/// pointer to the fat binary or marker, reserved1 (token, then wrapper index).
inline constexpr uint32_t WrapperMagicFat = 0x48495046;   // "HIPF"
inline constexpr uint32_t WrapperMagicKpack = 0x4B504948; // "HIPK"
inline constexpr uint32_t WrapperVersion = 1;
inline constexpr uint64_t WrapperSize = 24;
inline constexpr uint64_t WrapperPointerOffset = 8;
inline constexpr uint64_t WrapperReservedOffset = 16;

/// Returns the offsets of the wrappers in \p Section, the bytes of a
/// .hipFatBinSegment. Wrappers are adjacent, except for zeros after those with
/// a sanitizer's redzone (AddressSanitizer: 64 bytes instead of 24) or with an
/// aligned successor. A wrapper never begins with eight zero bytes. Fails,
/// naming the section, on other content.
llvm::Expected<std::vector<uint64_t>> findWrappers(llvm::StringRef Section);

inline constexpr llvm::StringLiteral WrapperSectionName = ".hipFatBinSegment";
inline constexpr llvm::StringLiteral FatBinSectionName = ".hip_fatbin";
inline constexpr llvm::StringLiteral FatBinPrefix = "__hip_fatbin";
inline constexpr llvm::StringLiteral GpuBinHandlePrefix = "__hip_gpubin_handle";
inline constexpr llvm::StringLiteral CuidPrefix = "__hip_cuid";

/// Defined by the linker at the start of the marker; rewritten fat objects
/// point to it.
inline constexpr llvm::StringLiteral MarkerSymbol = "__rocm_kpack_ref";

/// Parses a token symbol: "__hip_fatbin_3fc15a68e0db35d" with prefix
/// "__hip_fatbin" -> the hash. Returns nullopt unless \p Name is that prefix,
/// '_' and 1 to 16 hex digits.
std::optional<uint64_t> parseTokenSymbol(llvm::StringRef Name,
                                         llvm::StringRef Prefix);

/// The inverse: "__hip_fatbin_" + hex without leading zeros.
std::string tokenSymbol(llvm::StringRef Prefix, uint64_t Token);

/// Returns \p Value as 16 hex digits. Before LLVM 20 utohexstr() prints 0 as
/// one digit whatever the width.
std::string hex16(uint64_t Value);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_HIPSYMBOLS_H
