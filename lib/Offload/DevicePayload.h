//===- DevicePayload.h - device code in an object's section -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between compile and link a TU's device code rides in its one object file, in
// section .kpack.devobj (SHF_EXCLUDE: every linker drops it from the output).
// The container is LLVM's OffloadBinary, version 1, one a target, back to back
// (docs/format/devobj.md); llvm-offload-binary reads it. Strings of each:
//
//   "triple"      "amdgcn-amd-amdhsa"
//   "arch"        target id, "gfx90a:xnack+"
//   "kpack.token" 16 hex digits; absent for an RDC TU without a wrapper
//
// Image kind IMG_Object with flag bit 0 clear: a linked code object. RDC input
// of a later device link: flag bit 0 set, IMG_Bitcode or IMG_Object.
//
// The *token* is the 64-bit hash <h> of __hip_fatbin_<h>. The TU's wrapper
// carries it in reserved1, so the linked output has the tokens of the live TUs
// in their order.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_DEVICEPAYLOAD_H
#define KPACK_OFFLOAD_DEVICEPAYLOAD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kpack::offload {

inline constexpr llvm::StringLiteral PayloadSectionName = ".kpack.devobj";
inline constexpr llvm::StringLiteral DeviceTriple = "amdgcn-amd-amdhsa";

/// Linked code objects, or input of a later device link (-fgpu-rdc).
enum class PayloadKind { Image, Rdc };

/// One target's device code. Bytes are not owned: they point into the buffer
/// that was read, or to memory that the caller keeps alive while writing.
struct DeviceImage {
  std::string Target;
  llvm::StringRef Bytes;
};

/// The device code of one TU.
struct DevicePayload {
  std::optional<uint64_t> Token;
  PayloadKind Kind = PayloadKind::Image;
  std::vector<DeviceImage> Images;
};

/// The section's bytes; size is a multiple of 8.
std::string writePayload(const DevicePayload &Payload);

/// Reads a section that may hold several payloads (ld -r concatenates, with
/// zero padding to 8). Every length is checked. \p Object names the file in
/// messages.
llvm::Expected<std::vector<DevicePayload>> readPayloads(llvm::StringRef Section,
                                                        llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_DEVICEPAYLOAD_H
