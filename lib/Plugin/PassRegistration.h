//===- PassRegistration.h - registration of the kpack pass ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs takeDeviceCode(), or for device code markNoDeviceQueue(), before all
// other passes over a module. Both plugins use this; they differ in how they
// obtain a PassBuilder.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_PASSREGISTRATION_H
#define KPACK_LIB_PLUGIN_PASSREGISTRATION_H

namespace llvm {
class Module;
class PassBuilder;
} // namespace llvm

namespace kpack::plugin {

/// Runs the transformation for the module's target, once for each module, and
/// reports diagnostics through its LLVMContext. Returns true if the module
/// changed.
bool runOnModule(llvm::Module &M);

/// Makes runOnModule() run before the first pass over a module, and gives it
/// the name "kpack" for -passes=.
void registerPass(llvm::PassBuilder &PB);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_PASSREGISTRATION_H
