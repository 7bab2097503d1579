//===- Gpu.cpp - one emulated GPU below ROCr ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Gpu.h.
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
