//===- Gpu.h - a Machine with its memory map --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Machine with its memory map. Keeps decoded code in step with changes of
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_GPU_H
#define KPACK_LIB_SOFTGPU_KFD_GPU_H

#include "Hardware.h"
#include "SoftGpu/Machine/Machine.h"
#include <mutex>

namespace kpack::softgpu {

/// A GPU of the emulated node: a Machine and the memory that it sees. Queues
/// run kernels on it by dispatch(). All members are thread-safe.
class Gpu {
public:
  Gpu(uint32_t Node, const GpuProcessor &Processor, MachineOptions Options)
      : Node(Node), Processor(Processor), Options(std::move(Options)) {}
  Gpu(const Gpu &) = delete;
  Gpu &operator=(const Gpu &) = delete;

  uint32_t node() const { return Node; }
  /// The id of this GPU in requests to the driver.
  uint32_t id() const { return hardware::FirstGpuId + Node - 1; }
  const GpuProcessor &processor() const { return Processor; }
  MemoryMap &memory() { return Memory; }

  /// Runs a kernel; several threads may call this at once.
  DispatchResult dispatch(const DispatchRequest &Request);

  /// Drops decoded code in [Begin, End), which is gone or has changed. While
  /// kernels run, that is deferred to the end of the last one.
  void forgetCode(uint64_t Begin, uint64_t End);

private:
  Machine *machine(std::string &Problem);
  void endDispatch();

  const uint32_t Node;
  const GpuProcessor &Processor;
  const MachineOptions Options;
  MemoryMap Memory;

  std::mutex Lock;                     ///< guards all members below
  std::unique_ptr<Machine> TheMachine; ///< created for the first kernel
  unsigned Running = 0;
  std::vector<std::pair<uint64_t, uint64_t>> Stale; ///< decoded code to drop
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_GPU_H
