//===- Modules.cpp - code objects that are loaded by their names ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries of kernels open theirs with hipModuleLoad("library/x.co"). Where
// 'kpack pack-tree --databases=pack' has left a reference in that place, the
// runtime gets the address of lazy memory instead of the name: as with wrappers
// it picks what it wants of the bundle there, and only that is read. The memory
// lives as long as the module. All other files are the runtime's business.
// Sibling: Shim.cpp.
//
//===----------------------------------------------------------------------===//
#include "Shim.h"

#include "kpack/Archive/Marker.h"
#include "kpack/Support/Files.h"

#include <climits>
#include <cstdlib>

using namespace kpack;
using namespace kpack::hipshim;

/// What is known of the file \p Path; nothing when it is no reference.
static std::optional<Wanted>
readReference(LazyMemory &Memory, BundleContext &Context, const char *Path) {
  std::string Bytes =
      contentOf(Path, ReferenceMagic.size() + MaxMarkerSize + 1);
  if (!isReference(Bytes))
    return std::nullopt;
  Result<Marker> M = decodeReference(Bytes);
  if (!M) {
    std::lock_guard<LazyMemory> Guard(Memory); // what is shared is under it
    Context.Messages.say(Path, M.status().message());
    return std::nullopt; // refused by the runtime, in its way
  }
  // Search paths start where the file is, whatever link has led to it.
  char Real[PATH_MAX];
  return Wanted{std::move(*M), realpath(Path, Real) ? Real : Path,
                std::nullopt};
}

int Shim::loadModule(void **Module, const char *Path, const HipFunctions &Hip) {
  using LoadFunction = int(void **, const char *);
  auto *Load =
      reinterpret_cast<LoadFunction *>(findHipFunction(Hip, "hipModuleLoad"));
  if (!Load)
    return HipNotInitialized;
  if (!Module || !Path || Mode == ShimMode::Off)
    return Load(Module, Path);
  std::optional<Wanted> W = readReference(Memory, Context, Path);
  return W ? loadReference(Module, std::move(*W), runtimeOf(Hip))
           : Load(Module, Path);
}

int Shim::loadReference(void **Module, Wanted W, Runtime &Owner) {
  using LoadFunction = int(void **, const void *);
  auto *Load = reinterpret_cast<LoadFunction *>(
      findHipFunction(Owner.Functions, "hipModuleLoadData"));
  if (!Load)
    return HipNotInitialized;
  Owner.Devices.connect(
      reinterpret_cast<const void *>(Owner.Functions.Register));
  LazyMemory::Range *R = reserve(
      std::make_unique<LazyBundle>(Context, Owner.Devices, std::move(W)));
  if (!R)
    return HipOutOfMemory;
  int Error = Load(Module, Memory.begin(R));
  if (Error == 0)
    Memory.setOwner(R, *Module);
  else
    Memory.release(R);
  return Error;
}

int Shim::unloadModule(void *Module, const HipFunctions &Hip) {
  using UnloadFunction = int(void *);
  auto *Unload = reinterpret_cast<UnloadFunction *>(
      findHipFunction(Hip, "hipModuleUnload"));
  if (!Unload)
    return HipNotInitialized;
  // Taken first, as a handle is.
  LazyMemory::Range *R = Module ? Memory.takeOwned(Module) : nullptr;
  int Error = Unload(Module);
  if (R && Error == 0)
    Memory.release(R);
  else if (R)
    Memory.setOwner(R, Module);
  return Error;
}
