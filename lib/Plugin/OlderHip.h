//===- OlderHip.h - what HIP 5 asks of clang --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers and device libraries of HIP 5 were written for a clang that linked
// two more of the device libraries and knew two more intrinsics. For that of
// today they leave names undefined: of __syncthreads() and __threadfence(), of
// powf() and its like, of atomicInc() and atomicDec().
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_OLDERHIP_H
#define KPACK_LIB_PLUGIN_OLDERHIP_H

namespace llvm {
class Module;
}

namespace kpack::plugin {

/// Defines those of the names that device module \p M uses and nobody defines,
/// for itself alone. True when the module was changed.
bool defineForOlderHip(llvm::Module &M);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_OLDERHIP_H
