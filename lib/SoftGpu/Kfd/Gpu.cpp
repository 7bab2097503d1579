//===- Gpu.cpp - a Machine with its memory map ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lock is not held while a kernel runs, so that kernels of several queues
// run concurrently. A Machine must not drop decoded code that a kernel may be
// executing. So the running kernels are counted, and ranges to drop wait in
// Stale until the count is zero. The addresses of freed memory are not reused
// meanwhile: BufferTable (Buffers.cpp) also keeps them until no kernel runs.
//
// The Machine is created for the first kernel, so a GPU that is only enumerated
// has none. If creation fails, that kernel fails with the reason, and the next
// one tries again.
//
//===----------------------------------------------------------------------===//
#include "Gpu.h"

using namespace kpack::softgpu;

/// Returns null and sets \p Problem on failure.
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
