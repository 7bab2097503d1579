//===- GpuRuntime/GpuRuntime.h - the runtime of GPUs ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP's runtime (HipRuntime.cpp) and CUDA's driver (CudaRuntime.cpp) in this
// process. Functions that both have are called as members; what they do in ways
// of their own is a virtual function here. Messages are their users' matter.
//
// Numbers that are returned are the runtime's errors; 0 is success.
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
  void *Stream = nullptr; ///< null: the runtime's default one
  /// The arguments as they lie in the kernel's own block of them.
  void *Packed = nullptr;
  size_t PackedBytes = 0;
  /// Their addresses, in their order; null: not known.
  void **Each = nullptr;
};

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

/// What hipGraphAddKernelNode() or cuGraphAddKernelNode() takes.
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

/// What a runtime knows of an address.
struct AddressFacts {
  enum {
    Unknown, ///< the runtime cannot say, or all memory will do
    Foreign, ///< the device cannot reach it
    Reachable,
  } Reach = Unknown;
  /// The allocation that it lies in; no bytes: not known.
  uintptr_t Start = 0;
  size_t Bytes = 0;
};

/// Thread-safe, but for initialize().
class GpuRuntime : public GpuFunctions {
public:
  explicit GpuRuntime(const GpuFunctions &Functions)
      : GpuFunctions(Functions) {}
  virtual ~GpuRuntime() = default;
  GpuRuntime(const GpuRuntime &) = delete;

  /// Called once, before all that follows, for \p Users, bits of GpuUsers.
  virtual int initialize(unsigned Users) = 0;
  /// As hipErrorOutOfMemory; the number where there is no name.
  virtual std::string errorName(int Code) const = 0;

  /// Has the thread use \p Device until leave(), which gets \p Before. Use
  /// OnDevice.
  virtual int enter(int Device, void *&Before) const = 0;
  virtual void leave(void *Before) const = 0;
  virtual int currentDevice(int &Device) const = 0;
  /// What kernels for \p Device are compiled for: "gfx90a:sramecc+:xnack-",
  /// "sm_90". Empty if the runtime has none, or has no function that tells.
  virtual int target(int Device, std::string &Target) const = 0;
  /// What \p Device, which need not be the current one, can make of \p Address.
  virtual AddressFacts factsOf(int Device, const void *Address) const = 0;

  // What follows is done on the current device.

  /// Whether kernels can read what the program has there.
  virtual bool canRead(const void *Data) const = 0;
  /// \p Image lives as long as the module, and ends with a zero. \p Log is what
  /// the runtime has to say of it.
  virtual int load(void *&Module, const char *Image,
                   std::string &Log) const = 0;
  /// Where the stream is captured and Each is known, the kernel becomes a node
  /// of the graph.
  virtual int launch(const GpuLaunch &Launch) const = 0;

  /// Memory that the device sees, too, at the same address.
  virtual int allocateShared(void *&Memory, size_t Bytes) const = 0;
  virtual int clear(void *Memory, size_t Bytes) const = 0;
  virtual int toDevice(void *To, const void *From, size_t Bytes) const = 0;
  virtual int toHost(void *To, const void *From, size_t Bytes) const = 0;
  /// \p From is shared memory.
  virtual int toDeviceOn(void *Stream, void *To, const void *From,
                         size_t Bytes) const = 0;

  virtual int createStream(void *&Stream) const = 0;
  int createEvent(void *&Event) const;
  /// No error while it is not done.
  int isDone(void *Event, bool &Done) const;

  /// \p Before: null, or the node that it runs after.
  int addNode(void *Graph, const GpuNode *Before, GpuNode &Node) const;
  virtual int instantiate(void *&Exec, void *Graph) const = 0;
  /// Updates the node of \p Exec that \p Node was added as.
  int setNode(void *Exec, GpuNode &Node) const;

protected:
  /// \p Node has its Bytes and Extra.
  virtual GpuNodeParameters parametersOf(GpuNode &Node) const = 0;
  /// Makes \p Extra say where a block of arguments is: pointer, size, end.
  static void fill(void *(&Extra)[5], void *Packed, size_t &Bytes, void *End);
  int launchPacked(const GpuLaunch &Launch, void *End) const;
  /// Adds the allocation to \p Known.
  int addRange(const void *Address, AddressFacts &Known) const;
};

/// The library that the program sees, one that is mapped, or one that is found
/// by its name, in this order. Null: there is none. It may lack any function
/// (firstMissing()).
std::unique_ptr<GpuRuntime> findHip();
std::unique_ptr<GpuRuntime> findCuda();

/// Has HIP's functions found by libraries that are loaded from now on, if the
/// process has loaded HIP. False: they are not to be seen.
bool exposeHip();

/// The calling thread's device while this lives.
class OnDevice {
public:
  OnDevice(const GpuRuntime &Gpu, int Device)
      : Gpu(Gpu), Failure(Gpu.enter(Device, Before)) {}
  ~OnDevice() {
    if (Failure == 0)
      Gpu.leave(Before);
  }
  OnDevice(const OnDevice &) = delete;

  /// Not 0: the device is the one that it was.
  int failure() const { return Failure; }

private:
  const GpuRuntime &Gpu;
  void *Before = nullptr;
  const int Failure;
};

} // namespace kpack

#endif // KPACK_GPURUNTIME_GPURUNTIME_H
