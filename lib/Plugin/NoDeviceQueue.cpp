//===- NoDeviceQueue.cpp - marks on kernels that start no kernels ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NoDeviceQueue.h has the reason. Only OpenCL records the types of kernel
// arguments, which tells its kernels from those of HIP. Other signs fail: the
// device libraries, linked into every module, are written in OpenCL.
//
//===----------------------------------------------------------------------===//
#include "NoDeviceQueue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace kpack::plugin {

static bool isCodeObjectVersion4(const Module &M) {
  const auto *Version = mdconst::extract_or_null<ConstantInt>(
      M.getModuleFlag("amdhsa_code_object_version"));
  return Version && Version->getZExtValue() == 400;
}

static bool hasOpenClKernel(const Module &M) {
  return any_of(
      M, [](const Function &F) { return F.hasMetadata("kernel_arg_type"); });
}

bool markNoDeviceQueue(Module &M) {
  if (!isCodeObjectVersion4(M) || hasOpenClKernel(M))
    return false;
  bool Changed = false;
  for (Function &F : M)
    for (const char *Unused :
         {"amdgpu-no-default-queue", "amdgpu-no-completion-action"})
      if (!F.hasFnAttribute(Unused)) {
        F.addFnAttr(Unused);
        Changed = true;
      }
  return Changed;
}

} // namespace kpack::plugin
