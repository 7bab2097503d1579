//===- Gpu.cpp - one emulated GPU below ROCr ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lock is not held while a kernel runs, so that kernels of several queues
// run at once. Instead the running ones are counted, because a Machine must not
// forget code that a kernel may be executing: ranges that are to be forgotten
// wait in Stale until the count is zero. Freed memory cannot be used again
// under the same address meanwhile, since BufferTable (Buffers.cpp) also keeps
// it back until no kernel runs.
//
// The Machine is made for the first kernel, so a GPU that is only listed has
// none. If it cannot be made, that kernel fails with the reason, and the next
// one tries again.
//
//===----------------------------------------------------------------------===//
#include "Gpu.h"

using namespace kpack::softgpu;

/// Null: \p Problem says why not.
Machine *Gpu::machine(std::string &Problem) {
  if (TheMachine)
    return TheMachine.get();
  auto Made = Machine::create(
      llvm::StringRef(Processor.Name.data(), Processor.Name.size()), Memory,
      Options);
  if (!Made) {
    Problem = llvm::toString(Made.takeError());
    return nullptr;
  }
  TheMachine = std::move(*Made);
  return TheMachine.get();
}

DispatchResult Gpu::dispatch(const DispatchRequest &Request) {
  Machine *M = nullptr;
  DispatchResult Result;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    std::string Problem;
    M = machine(Problem);
    if (!M) {
      Result.Failure.emplace();
      Result.Failure->Detail = std::move(Problem);
      return Result;
    }
    ++Running;
  }
  Result = M->dispatch(Request);
  endDispatch();
  return Result;
}

void Gpu::endDispatch() {
  std::lock_guard<std::mutex> Guard(Lock);
  if (--Running)
    return;
  for (auto [Begin, End] : Stale)
    TheMachine->invalidateCode(Begin, End);
  Stale.clear();
}

void Gpu::forgetCode(uint64_t Begin, uint64_t End) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (!TheMachine)
    return;
  if (Running)
    Stale.push_back({Begin, End});
  else
    TheMachine->invalidateCode(Begin, End);
}
