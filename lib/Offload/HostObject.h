//===- Offload/HostObject.h - finish a host-only object ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the object of `clang --offload-host-only -c` into a kpack object: the
// wrapper gets magic HIPK and the TU's token, and the device code is added as
// section .kpack.devobj. ELF: one section more, all others byte for byte as
// they were. Bitcode (host LTO): a bitcode wrapper header goes in front and the
// payload after the module; the IR is not edited, KpackPlugin has set magic and
// token in it.
// Sibling: LinkerInput.h reads such objects, and those that are still fat.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_HOSTOBJECT_H
#define KPACK_OFFLOAD_HOSTOBJECT_H

#include "Offload/DevicePayload.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace kpack::offload {

/// The finished object. Device code of a non-RDC TU without a wrapper (no
/// kernels, no device variables) is left out: nobody could ask for it.
/// Errors: not an object; a wrapper whose pointer is not __hip_fatbin_<h>
/// (-fuse-cuid=none); bitcode whose wrapper was not marked by the plugin.
llvm::Expected<std::string> finishHostObject(llvm::MemoryBufferRef Object,
                                             llvm::ArrayRef<DeviceImage> Images,
                                             PayloadKind Kind);

/// Adds section \p Name (flags SHF_EXCLUDE, alignment 8) to a 64-bit
/// little-endian ELF relocatable file.
llvm::Expected<std::string> addExcludedSection(llvm::MemoryBufferRef Object,
                                               llvm::StringRef Name,
                                               llvm::StringRef Contents);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_HOSTOBJECT_H
