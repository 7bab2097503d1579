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
//
// Others read the file themselves and call hipModuleLoadData(). A reference
// says where its archives are from the folder of its file. That is known where
// the file is mapped, and not of a copy in memory: no search depends on the
// current folder, or on a file that happens to have the same content. Siblings:
// Shim.cpp, InterposeModules.cpp.
//
//===----------------------------------------------------------------------===//
#include "Shim.h"

#include "Runtime/BinaryPath.h"
#include "Runtime/ReadableMemory.h"
#include "Support/Files.h"
#include "kpack/Archive/Marker.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <memory>

using namespace kpack;
using namespace kpack::hipshim;

void Shim::say(const std::string &Object, const std::string &What) {
  std::lock_guard<LazyMemory> Guard(Memory); // what is shared is under it
  Context.Messages.say(Object, What);
}

/// What is known of the file \p Path; nothing when it is no reference.
std::optional<Wanted> Shim::referenceOf(const char *Path) {
  std::string Bytes =
      contentOf(Path, ReferenceMagic.size() + MaxMarkerSize + 1);
  if (!isReference(Bytes))
    return std::nullopt;
  Result<Marker> M = decodeReference(Bytes);
  if (!M) {
    say(Path, M.status().message());
    return std::nullopt; // refused by the runtime, in its way
  }
  // Search paths start where the file is, whatever link has led to it.
  char Real[PATH_MAX];
  return Wanted{std::move(*M), realpath(Path, Real) ? Real : Path,
                std::nullopt};
}

/// Whether the archives can be found without knowing where the reference is.
static bool needsNoPlace(const Marker &M, const runtime::Environment &Env) {
  return !Env.Paths.empty() ||
         std::all_of(M.SearchPaths.begin(), M.SearchPaths.end(),
                     [](const std::string &Path) {
                       return !Path.empty() && Path.front() == '/';
                     });
}

/// The same of what is in memory.
std::optional<Wanted> Shim::referenceAt(const void *Image) {
  using runtime::readableBytes;
  if (!Image || Memory.contains(Image) ||
      !isReference(readableBytes(Image, ReferenceMagic.size())))
    return std::nullopt;
  std::string_view Bytes =
      readableBytes(Image, ReferenceMagic.size() + MaxMarkerSize);
  // Nobody says where it ends.
  Result<Marker> M = decodeMarker(Bytes.substr(ReferenceMagic.size()));
  if (!M) {
    say("a reference in memory", M.status().message());
    return std::nullopt;
  }
  Result<runtime::FilePlace> Place = runtime::findBinary(Image);
  if (Place && Place->Offset == 0)
    return Wanted{std::move(*M), Place->Path, std::nullopt};
  std::string Name = M->KernelName;
  if (needsNoPlace(*M, Context.Finder.environment()))
    return Wanted{std::move(*M), std::move(Name), std::nullopt};
  say(Name,
      "a copy of this reference in memory does not say where the archives "
      "are; load the file by its name (hipModuleLoad) or map it (mmap), "
      "name the archives in ROCM_KPACK_PATH, or keep code objects that "
      "are read so as files (kpack pack-tree without --databases=pack)");
  return std::nullopt;
}

int Shim::loadFile(void **Handle, const char *Path, const HipFunctions &Hip,
                   const LoadImage &Load,
                   const std::function<int()> &LoadFile) {
  std::optional<Wanted> W;
  if (Handle && Path && Mode != ShimMode::Off)
    W = referenceOf(Path);
  return W ? loadReference(Handle, std::move(*W), runtimeOf(Hip), Load)
           : LoadFile();
}

int Shim::loadImage(void **Handle, const void *Image, const HipFunctions &Hip,
                    const LoadImage &Load) {
  std::optional<Wanted> W;
  if (Handle && Mode != ShimMode::Off)
    W = referenceAt(Image);
  return W ? loadReference(Handle, std::move(*W), runtimeOf(Hip), Load)
           : Load(Image);
}

/// Whether \p Error says that there is no code object for the GPU, and not, for
/// example, that memory is short.
static bool refusesImage(int Error) {
  return Error == HipInvalidImage || Error == HipNoBinaryForGpu ||
         Error == HipInvalidKernelFile;
}

/// \p IsUnread: whether the runtime may have refused it unread.
int Shim::loadFrom(void **Handle, const Wanted &W, Runtime &Owner,
                   const LoadImage &Load, MemoryMode How, bool &IsUnread) {
  IsUnread = false;
  auto Release = [this](LazyMemory::Range *R) { Memory.release(R); };
  std::unique_ptr<LazyMemory::Range, decltype(Release)> R(
      reserve(std::make_unique<LazyBundle>(Context, Owner.Devices, W), How),
      Release);
  if (!R)
    return HipOutOfMemory;
  int Error = Load(Memory.begin(R.get()));
  if (Error == 0)
    Memory.setOwner(R.release(), *Handle);
  else
    IsUnread = refusesImage(Error) && !Memory.isWhole(R.get());
  return Error;
}

int Shim::loadReference(void **Handle, Wanted W, Runtime &Owner,
                        const LoadImage &Load) {
  Owner.Devices.connect(
      reinterpret_cast<const void *>(Owner.Functions.Register));
  bool IsUnread = false;
  int Error = loadFrom(Handle, W, Owner, Load, Filling, IsUnread);
  // A runtime that refuses what it has not read may have measured it unseen
  // (InterposeReads.cpp).
  return IsUnread
             ? loadFrom(Handle, W, Owner, Load, MemoryMode::Plain, IsUnread)
             : Error;
}

int Shim::unload(void *Handle, const std::function<int(void *)> &Unload) {
  // Taken first, as a handle is.
  LazyMemory::Range *R = Handle ? Memory.takeOwned(Handle) : nullptr;
  int Error = Unload(Handle);
  if (R && Error == 0)
    Memory.release(R);
  else if (R)
    Memory.setOwner(R, Handle);
  return Error;
}
