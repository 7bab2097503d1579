//===- Shim.h - registration of host-only binaries --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registration of fat binaries in libkpack_hip.so. A wrapper with magic
// HIPK is replaced by one with magic HIPF whose bundle is lazy memory
// (LazyMemory.h) of a LazyBundle, which the runtime cannot tell from a real
// one. All other calls pass to the runtime unchanged.
//
//   __hipRegisterFatBinary -> Shim -> LazyMemory <- FaultHandler <- SIGSEGV
//                                         |
//                                      LazyBundle -> CodeFinder -> archives
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_SHIM_H
#define KPACK_LIB_HIPSHIM_SHIM_H

#include "FaultHandler.h"
#include "HipFunctions.h"
#include "LazyBundle.h"
#include "LazyMemory.h"

#include "Runtime/DeviceList.h"
#include "Runtime/GrowOnlyTable.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace kpack::hipshim {

/// The wrapper that a compiler emits for each translation unit
/// (__CudaFatBinaryWrapper).
struct FatBinaryWrapper {
  uint32_t Magic;
  uint32_t Version;
  const void *Binary; // HIPF: a bundle; HIPK: the marker
  uint32_t Index;     // HIPK: which of the binary's code objects
  uint32_t Unused;
};
inline constexpr uint32_t MagicHipf = 0x48495046;
inline constexpr uint32_t MagicHipk = 0x4B504948;

/// Values of hipError_t.
inline constexpr int HipOutOfMemory = 2, HipNotInitialized = 3,
                     HipInvalidImage = 200, HipNoBinaryForGpu = 209,
                     HipInvalidKernelFile = 218, HipNotSupported = 801,
                     HipUnknown = 999;

/// KPACK_HIP_SHIM: whether the runtime or the shim serves HIPK wrappers.
enum class ShimMode {
  Auto, // the runtime if it supports them, else the shim
  On,
  Off,
};
ShimMode readShimMode();

/// KPACK_HIP_MEMORY: when bundles are filled.
enum class MemoryMode {
  Lazy,  // when they are touched
  Plain, // at once
};
MemoryMode readMemoryMode();

/// True if the library of \p Register, or one that it is linked with, can load
/// code objects from kpack archives.
bool runtimeKnowsKpack(void **(*Register)(const void *));

/// All members may be called from any number of threads at once.
class Shim {
public:
  Shim(ShimMode Mode, runtime::Environment Env, const SignalFunctions &Signals,
       MemoryMode Filling = MemoryMode::Lazy);

  /// Registers \p Wrapper with the runtime \p Hip.
  void **registerFatBinary(const void *Wrapper, const HipFunctions &Hip);
  /// Unregisters \p Handle with the runtime that returned it. Returns false if
  /// the handle was not registered here.
  bool unregisterFatBinary(void **Handle);

  /// Calls the runtime's function that loads an image from memory; it writes
  /// the handle to the place that the shim's caller gave.
  using LoadImage = std::function<int(const void *Image)>;

  /// Implements hipModuleLoadData() and the like on the runtime \p Hip. An
  /// image that is a reference (kpack/Archive/Marker.h) is loaded from
  /// archives.
  int loadImage(void **Handle, const void *Image, const HipFunctions &Hip,
                const LoadImage &Load);
  /// Implements hipModuleLoad() and the like; \p LoadFile loads files that are
  /// not references.
  int loadFile(void **Handle, const char *Path, const HipFunctions &Hip,
               const LoadImage &Load, const std::function<int()> &LoadFile);
  /// Unloads a module of loadImage() or loadFile().
  int unload(void *Handle, const std::function<int(void *)> &Unload);

  /// Call around fork().
  void lock();
  void unlock();

  /// Writes "kpack_hip: stats: ..." to stderr.
  void printStats() const;

  LazyMemory &memory() { return Memory; }

private:
  /// A runtime with which HIPK wrappers are registered.
  struct Runtime {
    HipFunctions Functions;
    bool IsServed = false; // by us
    runtime::DeviceList Devices;
  };

  Runtime &getRuntime(const HipFunctions &Hip);
  void **registerLazy(const FatBinaryWrapper &W, Runtime &Owner);
  int loadReference(void **Handle, Wanted W, Runtime &Owner,
                    const LoadImage &Load);
  std::optional<Wanted> findReference(const char *Path);
  std::optional<Wanted> referenceAt(const void *Image);
  void say(const std::string &Object, const std::string &Message);
  int loadFrom(void **Handle, const Wanted &W, Runtime &Owner,
               const LoadImage &Load, MemoryMode Mode, bool &IsUnread);
  LazyMemory::Range *reserve(std::unique_ptr<PageSource> Source,
                             MemoryMode Mode);
  void **remember(void **Handle, const HipFunctions &Hip);

  const ShimMode Mode;
  const MemoryMode Filling;
  const SignalFunctions Signals;
  BundleContext Context;
  LazyMemory Memory;
  runtime::GrowOnlyTable<Runtime> Runtimes;
  std::mutex HandlesLock;
  std::unordered_map<void **, void (*)(void **)> Handles; // by handle
  std::atomic<uint64_t> Wrappers{0};
};

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_SHIM_H
