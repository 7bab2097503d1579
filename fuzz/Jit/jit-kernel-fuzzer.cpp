//===- jit-kernel-fuzzer.cpp - fuzzer of the readers of kernel metadata ---===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What code objects and PTX say of their kernels: a launch packs arguments by
// it, so none may lie over another or outside of the block.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Gpu/KernelMetadata.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  // A copy of exactly this size, so that a read behind its end is seen.
  std::vector<char> Copy(Data, Data + Size);
  std::string_view Bytes(Copy.data(), Copy.size());
  for (auto *Read : {readCodeObjectMetadata, readPtxMetadata}) {
    Result<ImageMetadata> Image = Read(Bytes);
    if (!Image)
      continue;
    check(!Image->Target.empty());
    for (const KernelMetadata &Kernel : Image->Kernels) {
      uint64_t End = 0;
      for (const KernelArgument &A : Kernel.Arguments) {
        check(A.Offset >= End);
        End = uint64_t(A.Offset) + A.Size;
      }
      check(End == Kernel.ArgumentBytes && End <= 1 << 20);
      (void)fitsType(Kernel, Bytes);
      (void)fitsType(Kernel, Kernel.Symbol);
    }
  }
  return 0;
}
