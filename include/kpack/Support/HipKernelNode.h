//===- kpack/Support/HipKernelNode.h - a launch in a HIP graph --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What hipGraphAddKernelNode() takes, declared by hand, since nothing is built
// with ROCm's headers; the same from HIP 5 to HIP 7. Users: graphs of our own
// (lib/JitGraph), launches that somebody captures (lib/Jit/Executor).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_HIPKERNELNODE_H
#define KPACK_SUPPORT_HIPKERNELNODE_H

#include <cstdint>

namespace kpack {

struct HipKernelNode {
  uint32_t Block[3];
  void **Extra;
  void *Function;
  uint32_t Grid[3];
  void **Arguments;
  uint32_t DynamicShared;
};

} // namespace kpack

#endif // KPACK_SUPPORT_HIPKERNELNODE_H
