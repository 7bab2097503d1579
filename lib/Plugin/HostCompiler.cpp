//===- HostCompiler.cpp - version check of the loading compiler -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls LLVM's C API, whose functions never change their signature. The
// reference is weak: a statically linked compiler may not contain it.
//
//===----------------------------------------------------------------------===//
#include "HostCompiler.h"

#include "llvm/Config/llvm-config.h"

#include <cstdio>

extern "C" [[gnu::weak]] void LLVMGetVersion(unsigned *Major, unsigned *Minor,
                                             unsigned *Patch);

namespace kpack::plugin {

bool hostCompilerFits(const char *Library) {
  if (!LLVMGetVersion)
    return true;
  unsigned Major = 0;
  LLVMGetVersion(&Major, nullptr, nullptr);
  if (Major == LLVM_VERSION_MAJOR)
    return true;
  std::fprintf(stderr,
               "error: %s: made for LLVM %d, loaded by LLVM %u; use the plugin "
               "of a kpack built with -DKPACK_LLVM_VERSION=%u\n",
               Library, LLVM_VERSION_MAJOR, Major, Major);
  return false;
}

} // namespace kpack::plugin
