//===- OlderHip.h - names that HIP 5 needs from clang -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers and device libraries of HIP 5 were written for a clang that linked
// two more device libraries and knew two more intrinsics. With today's clang
// they leave names undefined that __syncthreads() and __threadfence(), powf()
// and the like, atomicInc() and atomicDec() use.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_OLDERHIP_H
#define KPACK_LIB_PLUGIN_OLDERHIP_H

namespace llvm {
class Module;
}

namespace kpack::plugin {

/// Defines the names that device module \p M uses and does not define, with
/// internal linkage. Returns true if the module changed.
bool defineForOlderHip(llvm::Module &M);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_OLDERHIP_H
