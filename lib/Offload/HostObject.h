//===- HostObject.h - device code added to a host object --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the object of `clang --offload-host-only -c` into a kpack object: the
// wrapper gets magic HIPK and the TU's token, and the device code is added as
// section .kpack.devobj. ELF gets one section more; all others keep their
// bytes. Bitcode (host LTO) gets a bitcode wrapper header before the module and
// the payload after it; the IR is not edited, KpackPlugin has set magic and
// token in it. Sibling: LinkerInput.h reads such objects, and fat ones.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_HOSTOBJECT_H
#define KPACK_OFFLOAD_HOSTOBJECT_H

#include "Offload/DevicePayload.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace kpack::offload {

/// Returns the finished object. Leaves out device code of a non-RDC TU without
/// a wrapper (no kernels, no device variables), to which no code refers. Fails
/// on files that are not objects, a wrapper whose pointer is not
/// __hip_fatbin_<h> (-fuse-cuid=none), and bitcode whose wrapper the plugin has
/// not marked.
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
