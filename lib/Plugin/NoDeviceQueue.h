//===- NoDeviceQueue.h - marks on kernels that start no kernels -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In OpenCL a kernel can start kernels, through a queue that the runtime passes
// in a hidden argument. clang lists these arguments in the metadata of a kernel
// unless it can prove that they are unused, which it cannot at -O0 or beside a
// call such as printf's. Runtimes of HIP 5 take the listing for a use and read
// the queue that HIP never has: a null pointer, a crash at launch.
//
// No HIP function uses them, so this pass marks the functions accordingly. It
// affects code objects of version 4 only: such a runtime does not load later
// ones, which stay as stock clang makes them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_NODEVICEQUEUE_H
#define KPACK_LIB_PLUGIN_NODEVICEQUEUE_H

namespace llvm {
class Module;
}

namespace kpack::plugin {

/// Marks the functions of \p M, a module for amdgcn, if it is a HIP module for
/// a code object of version 4. Returns true if the module changed.
bool markNoDeviceQueue(llvm::Module &M);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_NODEVICEQUEUE_H
