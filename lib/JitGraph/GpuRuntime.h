//===- GpuRuntime.h - who executes graphs on a GPU --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a graph needs of a GPU's runtime besides loading kernels, which
// libkpack_jit does: memory, streams, events, launches, and graphs whose nodes
// are added one by one. Never a capture: HIP 5.2 captures no
// hipModuleLaunchKernel, runs it at once and says nothing. One interface over
// HIP (HipRuntime.cpp) and CUDA's driver (CudaRuntime.cpp), neither of which is
// linked with.
//
// Numbers that are returned are the runtime's errors; 0 is success.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_GPURUNTIME_H
#define KPACK_LIB_JITGRAPH_GPURUNTIME_H

#include "kpack/Support/Status.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace kpack::jit {

/// A kernel of a graph of the runtime. All stays where it is as long as that:
/// whether the runtime has copied it depends on its version.
struct GpuNode {
  void *Function = nullptr;
  std::array<uint32_t, 3> Grid{};
  std::array<uint32_t, 3> Block{};
  std::vector<uint64_t> Arguments;

  // Of the runtime.
  void *Handle = nullptr;
  size_t Bytes = 0;
  void *Extra[5] = {};
};

class GpuRuntime {
public:
  virtual ~GpuRuntime() = default;

  /// Success, or Device: "<What>: hipErrorOutOfMemory".
  virtual Status check(int Code, const char *What) const = 0;
  /// Has the thread use \p Device until leave(), which gets \p Before.
  virtual int enter(int Device, void *&Before) const = 0;
  virtual void leave(void *Before) const = 0;
  virtual int currentDevice(int &Device) const = 0;
  /// What kernels are compiled for. Errors: Device.
  virtual Result<std::string> target(int Device) const = 0;
  /// Whether kernels can read what the program has there.
  virtual bool canRead(const void *Data) const = 0;

  /// Null: there is not as much.
  virtual void *allocate(size_t Bytes) const = 0;
  virtual void free(void *Memory) const = 0;
  /// Memory that the device sees, too, at the same address.
  virtual void *allocateShared(size_t Bytes) const = 0;
  virtual void freeShared(void *Memory) const = 0;
  virtual int clear(void *Memory, size_t Bytes) const = 0;
  virtual int toDevice(void *To, const void *From, size_t Bytes) const = 0;
  virtual int toHost(void *To, const void *From, size_t Bytes) const = 0;
  /// \p From is shared memory.
  virtual int toDeviceOn(void *Stream, void *To, const void *From,
                         size_t Bytes) const = 0;

  virtual int createStream(void *&Stream) const = 0;
  virtual void destroyStream(void *Stream) const = 0;
  virtual int waitForStream(void *Stream) const = 0;
  virtual int createEvent(void *&Event) const = 0;
  virtual void destroyEvent(void *Event) const = 0;
  virtual int record(void *Event, void *Stream) const = 0;
  /// What is put on \p Stream from now on runs behind \p Event.
  virtual int streamWaits(void *Stream, void *Event) const = 0;
  virtual int waitForEvent(void *Event) const = 0;
  /// No error while it is not done.
  virtual int isDone(void *Event, bool &Done) const = 0;

  virtual int launch(void *Function, const std::array<uint32_t, 3> &Grid,
                     const std::array<uint32_t, 3> &Block,
                     std::span<uint64_t> Arguments, void *Stream) const = 0;
  virtual int createGraph(void *&Graph) const = 0;
  virtual void destroyGraph(void *Graph) const = 0;
  /// \p Before: null, or the node that it runs behind.
  virtual int addNode(void *Graph, const GpuNode *Before,
                      GpuNode &Node) const = 0;
  virtual int instantiate(void *&Exec, void *Graph) const = 0;
  virtual void destroyExec(void *Exec) const = 0;
  /// The node of \p Exec that \p Node was added as is what that says now.
  virtual int setNode(void *Exec, GpuNode &Node) const = 0;
  virtual int launchGraph(void *Exec, void *Stream) const = 0;
};

/// Errors: Device, there is none in this process, and none can be loaded.
Result<std::shared_ptr<const GpuRuntime>> findHip();
Result<std::shared_ptr<const GpuRuntime>> findCuda();

/// Where everything happens.
struct GpuPlace {
  std::shared_ptr<const GpuRuntime> F;
  int Device = 0;
};

/// The calling thread's device while this lives.
class OnDevice {
public:
  explicit OnDevice(const GpuPlace &Place) : F(*Place.F) {
    Failure = F.check(F.enter(Place.Device, Before), "device");
  }
  ~OnDevice() {
    if (Failure.ok())
      F.leave(Before);
  }
  OnDevice(const OnDevice &) = delete;

  /// Not success: it is the one that it was.
  const Status &status() const { return Failure; }

private:
  const GpuRuntime &F;
  void *Before = nullptr;
  Status Failure;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_GPURUNTIME_H
