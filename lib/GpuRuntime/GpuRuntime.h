//===- GpuRuntime.h - the process's HIP or CUDA runtime ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP's runtime (HipRuntime.cpp) or CUDA's driver (CudaRuntime.cpp) in this
// process. Functions that both have are members; functions that differ are
// virtual here. Users write the messages.
//
// Returned numbers are the runtime's error codes; 0 is success.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_GPURUNTIME_GPURUNTIME_H
#define KPACK_GPURUNTIME_GPURUNTIME_H

#include "GpuRuntime/GpuFunctions.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kpack {

struct GpuLaunch {
  void *Function = nullptr;
  std::array<uint32_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
  uint32_t DynamicShared = 0;
  void *Stream = nullptr; ///< null: the runtime's default stream
  /// The arguments as packed in the kernel's argument block.
  void *Packed = nullptr;
  size_t PackedBytes = 0;
  /// Their addresses, in order; null if unknown.
  void **Each = nullptr;
};

/// A kernel of a graph of the runtime. It must not move while the graph exists:
/// only some versions of the runtime copy it.
struct GpuNode {
  void *Function = nullptr;
  std::array<uint32_t, 3> Grid{};
  std::array<uint32_t, 3> Block{};
  std::vector<uint64_t> Arguments;

  // For the runtime.
  void *Handle = nullptr;
  size_t Bytes = 0;
  void *Extra[5] = {};
};

/// The parameters of hipGraphAddKernelNode() and cuGraphAddKernelNode().
union GpuNodeParameters {
  struct {
    uint32_t Block[3];
    void **Extra;
    void *Function;
    uint32_t Grid[3];
    void **Arguments;
    uint32_t DynamicShared;
  } Hip;
  struct {
    void *Function;
    unsigned Grid[3], Block[3], DynamicShared;
    void **Arguments, **Extra;
  } Cuda;
};

/// The runtime's data about an address.
struct AddressFacts {
  enum {
    Unknown, ///< unknown to the runtime, or all memory is usable
    Foreign, ///< the device cannot reach it
    Reachable,
  } Reach = Unknown;
  /// The enclosing allocation; Bytes is 0 if unknown.
  uintptr_t Start = 0;
  size_t Bytes = 0;
};

/// Thread-safe, except initialize().
class GpuRuntime : public GpuFunctions {
public:
  explicit GpuRuntime(const GpuFunctions &Functions)
      : GpuFunctions(Functions) {}
  virtual ~GpuRuntime() = default;
  GpuRuntime(const GpuRuntime &) = delete;

  /// Call it once, before all other functions, for \p Users, bits of GpuUsers.
  virtual int initialize(unsigned Users) = 0;
  /// Returns a name such as hipErrorOutOfMemory, or the number if there is
  /// none.
  virtual std::string errorName(int Code) const = 0;

  /// Makes \p Device the thread's device until leave(), which takes \p Before.
  /// Use OnDevice.
  virtual int enter(int Device, void *&Before) const = 0;
  virtual void leave(void *Before) const = 0;
  virtual int currentDevice(int &Device) const = 0;
  /// Returns the target of kernels for \p Device: "gfx90a:sramecc+:xnack-",
  /// "sm_90". Empty if the runtime does not report it.
  virtual int target(int Device, std::string &Target) const = 0;
  /// Returns the use that \p Device, current or not, can make of \p Address.
  virtual AddressFacts factsOf(int Device, const void *Address) const = 0;

  // The following functions use the current device.

  /// Returns true if kernels can read the program's memory there.
  virtual bool canRead(const void *Data) const = 0;
  /// \p Image must outlive the module and end with a zero. \p Log receives the
  /// runtime's messages.
  virtual int load(void *&Module, const char *Image,
                   std::string &Log) const = 0;
  /// On a stream that is captured, with Each set, adds the kernel to the graph.
  virtual int launch(const GpuLaunch &Launch) const = 0;

  /// Allocates host memory that the device can access at the same address.
  virtual int allocateShared(void *&Memory, size_t Bytes) const = 0;
  virtual int clear(void *Memory, size_t Bytes) const = 0;
  virtual int toDevice(void *Target, const void *Source,
                       size_t Bytes) const = 0;
  virtual int toHost(void *Target, const void *Source, size_t Bytes) const = 0;
  /// \p Source must be shared memory.
  virtual int toDeviceOn(void *Stream, void *Target, const void *Source,
                         size_t Bytes) const = 0;

  virtual int createStream(void *&Stream) const = 0;
  int createEvent(void *&Event) const;
  /// Returns no error if the event is pending.
  int isDone(void *Event, bool &Done) const;

  /// Adds a node to run after \p Before, or at the start for null.
  int addNode(void *Graph, const GpuNode *Before, GpuNode &Node) const;
  virtual int instantiate(void *&Exec, void *Graph) const = 0;
  /// Updates the node of \p Exec that addNode() added as \p Node.
  int setNode(void *Exec, GpuNode &Node) const;

protected:
  /// \p Node has Bytes and Extra set.
  virtual GpuNodeParameters getParameters(GpuNode &Node) const = 0;
  /// Makes \p Extra describe a block of arguments: pointer, size, end.
  static void fill(void *(&Extra)[5], void *Packed, size_t &Bytes, void *End);
  int launchPacked(const GpuLaunch &Launch, void *End) const;
  /// Adds the enclosing allocation to \p Known.
  int addRange(const void *Address, AddressFacts &Known) const;
};

/// Find the library that the program uses, else one that is mapped, else one
/// that can be opened by name. Null if there is none. Functions may be missing
/// (firstMissing()).
std::unique_ptr<GpuRuntime> findHip();
std::unique_ptr<GpuRuntime> findCuda();

/// Makes HIP's functions visible to libraries that are loaded later, if the
/// process has loaded HIP. Returns false if they are not visible.
bool exposeHip();

/// Sets the calling thread's device during its lifetime.
class OnDevice {
public:
  OnDevice(const GpuRuntime &Gpu, int Device)
      : Gpu(Gpu), Failure(Gpu.enter(Device, Before)) {}
  ~OnDevice() {
    if (Failure == 0)
      Gpu.leave(Before);
  }
  OnDevice(const OnDevice &) = delete;

  /// Not 0 if the device is unchanged.
  int failure() const { return Failure; }

private:
  const GpuRuntime &Gpu;
  void *Before = nullptr;
  const int Failure;
};

} // namespace kpack

#endif // KPACK_GPURUNTIME_GPURUNTIME_H
