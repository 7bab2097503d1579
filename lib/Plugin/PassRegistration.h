//===- PassRegistration.h - the kpack pass in a pipeline --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts takeDeviceCode(), or for device code markNoDeviceQueue(), in front of
// whatever a compiler does with a module. Both plugins use this; where they
// differ is how they get hold of a PassBuilder.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_PLUGIN_PASSREGISTRATION_H
#define KPACK_LIB_PLUGIN_PASSREGISTRATION_H

namespace llvm {
class Module;
class PassBuilder;
} // namespace llvm

namespace kpack::plugin {

/// Runs the transformation that the module calls for and reports what it says
/// through the module's LLVMContext, once for each module. True when the module
/// was changed.
bool runOnModule(llvm::Module &M);

/// Makes runOnModule() run before the first pass over a module, and gives it
/// the name "kpack" for -passes=.
void registerPass(llvm::PassBuilder &PB);

} // namespace kpack::plugin

#endif // KPACK_LIB_PLUGIN_PASSREGISTRATION_H
