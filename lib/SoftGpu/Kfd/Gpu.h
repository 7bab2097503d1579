//===- Gpu.h - one emulated GPU below ROCr ----------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Machine with the memory that is mapped to it, and what keeps code that was
// decoded in step with memory that changes.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_GPU_H
#define KPACK_LIB_SOFTGPU_KFD_GPU_H

#include "Hardware.h"
#include "SoftGpu/Machine/Machine.h"
#include <mutex>

namespace kpack::softgpu {

/// All members are thread-safe.
class Gpu {
public:
  Gpu(uint32_t Node, const GpuProcessor &Processor, MachineOptions Options)
      : Node(Node), Processor(Processor), Options(std::move(Options)) {}
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  uint32_t node() const { return Node; }
  /// The number that requests to the driver know it by.
  uint32_t id() const { return hardware::FirstGpuId + Node - 1; }
  const GpuProcessor &processor() const { return Processor; }
  MemoryMap &memory() { return Memory; }

  /// Runs a kernel; several at once are possible.
  DispatchResult dispatch(const DispatchRequest &Request);

  /// The code in [Begin, End) is gone or has changed. While a kernel runs, it
  /// is forgotten when the last one has ended.
  void forgetCode(uint64_t Begin, uint64_t End);

private:
  Machine *machine(std::string &Problem);
  void endDispatch();

  const uint32_t Node;
  const GpuProcessor &Processor;
  const MachineOptions Options;
  MemoryMap Memory;

  std::mutex Lock;                     ///< of all below
  std::unique_ptr<Machine> TheMachine; ///< made for the first kernel
  unsigned Running = 0;
  std::vector<std::pair<uint64_t, uint64_t>> Stale; ///< code to be forgotten
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_GPU_H
