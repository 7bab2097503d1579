//===- TakeDeviceCode.h - extraction of device code from IR -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transformation that both plugins run. In the host module of a HIP compile
// the wrapper that is registered with the runtime becomes
//
//   { i32 "HIPK", i32 1, ptr @__hip_fatbin_<h>, ptr inttoptr (i64 token) }
//
// with an undefined symbol that ld.kpack defines. Code objects that clang had
// embedded (an ordinary compile, not --offload-host-only) move from .hip_fatbin
// to section .kpack.devobj, which no linker copies to its output. Siblings:
// HostObject.h does the same to a finished object, KpackPlugin.cpp and
// ClangKpack.cpp are the entry points.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_TAKEDEVICECODE_H
#define KPACK_LIB_PLUGIN_TAKEDEVICECODE_H

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace kpack::plugin {

/// Transforms every fat wrapper of \p M; returns true if there was one. Skips
/// wrappers that are transformed already, so it may run any number of times. On
/// error the module is unchanged.
llvm::Expected<bool> takeDeviceCode(llvm::Module &M);

/// True for the host module of an RDC compile with clang's new offload driver:
/// its device code is input of clang-linker-wrapper, which makes the fat binary
/// at link time, so the module contains no device code.
bool isLinkerWrapperInput(const llvm::Module &M);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_TAKEDEVICECODE_H
