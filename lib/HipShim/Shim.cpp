//===- Shim.cpp - registration of host-only binaries ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration only reserves address space and opens no file, because most
// processes never use most of their wrappers. KPACK_HIP_MEMORY=plain fills the
// bundles at once.
//
//===----------------------------------------------------------------------===//
#include "Shim.h"

#include "BusHandler.h"

#include "Runtime/DynamicLinker.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>

using namespace kpack;
using namespace kpack::hipshim;

/// More than the code of all devices of any process.
static constexpr uint64_t MostSize = uint64_t(4) << 30;

/// Returns the size to reserve. If address space is limited (ulimit -v), the
/// program needs most of it, so thousands of wrappers share a part.
static uint64_t rangeSize() {
  struct rlimit Limit;
  if (getrlimit(RLIMIT_AS, &Limit) != 0 || Limit.rlim_cur == RLIM_INFINITY)
    return MostSize;
  uint64_t Share = Limit.rlim_cur / 256;
  return std::max(uint64_t(64) << 20,
                  std::min(MostSize, Share / LazyMemory::pageSize() *
                                         LazyMemory::pageSize()));
}

ShimMode kpack::hipshim::readShimMode() {
  const char *Value = secure_getenv("KPACK_HIP_SHIM");
  if (!Value || !*Value || std::strcmp(Value, "auto") == 0)
    return ShimMode::Auto;
  if (std::strcmp(Value, "on") == 0)
    return ShimMode::On;
  if (std::strcmp(Value, "off") == 0)
    return ShimMode::Off;
  std::fprintf(stderr, "kpack_hip: warning: KPACK_HIP_SHIM: the value is none "
                       "of auto, on, off; taking auto\n");
  return ShimMode::Auto;
}

MemoryMode kpack::hipshim::readMemoryMode() {
  const char *Value = secure_getenv("KPACK_HIP_MEMORY");
  if (!Value || !*Value || std::strcmp(Value, "lazy") == 0)
    return MemoryMode::Lazy;
  if (std::strcmp(Value, "plain") == 0)
    return MemoryMode::Plain;
  std::fprintf(stderr,
               "kpack_hip: warning: KPACK_HIP_MEMORY: the value is none "
               "of lazy, plain; taking lazy\n");
  return MemoryMode::Lazy;
}

bool kpack::hipshim::runtimeKnowsKpack(void **(*Register)(const void *)) {
  ::link_map *Runtime =
      runtime::findObject(reinterpret_cast<const void *>(Register));
  return Runtime &&
         runtime::LoadedHandle(Runtime).find("kpack_load_code_object");
}

Shim::Shim(ShimMode Mode, runtime::Environment Env,
           const SignalFunctions &Signals, MemoryMode Filling)
    : Mode(Mode), Filling(Filling), Signals(Signals), Context(std::move(Env)) {}

void Shim::lock() {
  Memory.lock();
  HandlesLock.lock();
}

void Shim::unlock() {
  HandlesLock.unlock();
  Memory.unlock();
}

/// Decides at a runtime's first wrapper whether we serve it. Takes no lock:
/// this calls the dynamic linker, whose lock is held by a thread that registers
/// while a library is loaded.
Shim::Runtime &Shim::getRuntime(const HipFunctions &Hip) {
  auto IsThis = [&](const Runtime &R) {
    return R.Functions.Register == Hip.Register;
  };
  auto Hash = reinterpret_cast<uintptr_t>(Hip.Register) >> 4;
  if (Runtime *Known = Runtimes.find(Hash, IsThis))
    return *Known;
  auto New = std::make_unique<Runtime>();
  New->Functions = Hip;
  New->IsServed = Mode == ShimMode::On ||
                  (Mode == ShimMode::Auto && !runtimeKnowsKpack(Hip.Register));
  return *Runtimes.insert(Hash, std::move(New), IsThis).first;
}

void **Shim::registerFatBinary(const void *Wrapper, const HipFunctions &Hip) {
  FatBinaryWrapper W;
  std::memcpy(&W, Wrapper, sizeof(W));
  if (W.Magic != MagicHipk || W.Version != 1)
    return remember(Hip.Register(Wrapper), Hip);
  Runtime &R = getRuntime(Hip);
  if (!R.IsServed)
    return remember(Hip.Register(Wrapper), Hip);
  ++Wrappers;
  return remember(registerLazy(W, R), Hip);
}

/// Records the runtime that a handle must be returned to. It is not searched
/// again at that time: another runtime may precede this one by then.
void **Shim::remember(void **Handle, const HipFunctions &Hip) {
  if (!Handle)
    return Handle;
  try {
    std::lock_guard<std::mutex> Guard(HandlesLock);
    Handles[Handle] = Hip.Unregister;
  } catch (const std::bad_alloc &) {
    // unregisterFatBinary() searches the runtime again.
  }
  return Handle;
}

namespace {
/// A bundle together with the wrapper that is registered for it, which must
/// live as long.
struct WrappedBundle final : LazyBundle {
  using LazyBundle::LazyBundle;

  FatBinaryWrapper Replacement{MagicHipf, 1, nullptr, 0, 0};
};
} // namespace

/// Reserves address space that \p Source fills on access. Returns null, after
/// an error message, if there is none.
LazyMemory::Range *Shim::reserve(std::unique_ptr<PageSource> Source,
                                 MemoryMode Mode) {
  LazyMemory::Range *R = Memory.reserve(rangeSize(), std::move(Source));
  if (!R) {
    std::fprintf(stderr, "kpack_hip: error: no address space for device code; "
                         "raise the limit that 'ulimit -v' shows\n");
    return nullptr;
  }
  installFaultHandler(Memory, Signals);
  installBusHandler(Signals);
  if (Mode == MemoryMode::Plain)
    Memory.fillAll(R);
  return R;
}

void **Shim::registerLazy(const FatBinaryWrapper &W, Runtime &Owner) {
  const HipFunctions &Hip = Owner.Functions;
  Owner.Devices.connect(reinterpret_cast<const void *>(Hip.Register));
  auto Source = std::make_unique<WrappedBundle>(Context, Owner.Devices,
                                                W.Binary, W.Index);
  FatBinaryWrapper &Replacement = Source->Replacement;
  LazyMemory::Range *R = reserve(std::move(Source), Filling);
  if (!R)
    return Hip.Register(&W); // the runtime refuses it and reports its own error
  Replacement.Binary = Memory.begin(R);
  void **Handle = Hip.Register(&Replacement);
  if (Handle)
    Memory.setOwner(R, Handle);
  else
    Memory.release(R);
  return Handle;
}

bool Shim::unregisterFatBinary(void **Handle) {
  // Erase the handle first: once the runtime has freed it, another thread may
  // get the same one.
  void (*Unregister)(void **) = nullptr;
  {
    std::lock_guard<std::mutex> Guard(HandlesLock);
    auto Found = Handles.find(Handle);
    if (Found == Handles.end())
      return false;
    Unregister = Found->second;
    Handles.erase(Found);
  }
  LazyMemory::Range *R = Memory.takeOwned(Handle);
  if (Unregister)
    Unregister(Handle);
  if (R)
    Memory.release(R);
  return true;
}

void Shim::printStats() const {
  const ReadCounts &C = Context.Finder.counts();
  std::fprintf(stderr,
               "kpack_hip: stats: wrappers=%llu archives=%llu bytes_read=%llu "
               "code_objects=%llu pages=%llu\n",
               static_cast<unsigned long long>(Wrappers.load()),
               static_cast<unsigned long long>(C.Archives.load()),
               static_cast<unsigned long long>(C.Bytes.load()),
               static_cast<unsigned long long>(C.CodeObjects.load()),
               static_cast<unsigned long long>(Memory.pagesFilled()));
}
