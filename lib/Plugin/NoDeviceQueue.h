//===- NoDeviceQueue.h - HIP kernels start no kernels -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In OpenCL a kernel can start kernels, for which the runtime hands it a queue
// in a hidden argument. clang lists these arguments in the metadata of a kernel
// unless it can prove that nothing uses them, which it cannot at -O0 or beside
// a call such as printf's. Runtimes of HIP 5 take the listing for the use and
// look for a queue that HIP never has: a null pointer, a crash at launch.
//
// No HIP function uses them, so this tells the compiler. Only for code objects
// of version 4: later ones are not loaded by such a runtime, and stay as stock
// clang makes them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_NODEVICEQUEUE_H
#define KPACK_LIB_PLUGIN_NODEVICEQUEUE_H

namespace llvm {
class Module;
}

namespace kpack::plugin {

/// Marks the functions of \p M, a module for amdgcn, if it is one of HIP and
/// for a code object of version 4. True when it was changed.
bool markNoDeviceQueue(llvm::Module &M);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_NODEVICEQUEUE_H
