//===- Modules.cpp - hipModuleLoad() of packed code objects ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernel libraries open their code objects with hipModuleLoad("library/x.co").
// If 'kpack pack-tree --databases=pack' has replaced the file with a reference,
// the runtime gets the address of lazy memory instead of the name. As with
// wrappers, it selects an entry of the bundle, and only that is read. The
// memory lives as long as the module. All other files are passed to the
// runtime.
//
// Other libraries read the file and call hipModuleLoadData(). A reference names
// its archives relative to its file's directory. The directory is known if the
// file is mapped, but not for a copy in memory, and no search depends on the
// current directory or on another file with the same content. Siblings:
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

void Shim::say(const std::string &Object, const std::string &Message) {
  std::lock_guard<LazyMemory> Guard(Memory); // guards the messages
  Context.Messages.say(Object, Message);
}

/// Returns the content of the reference \p Path; nullopt if it is none.
std::optional<Wanted> Shim::findReference(const char *Path) {
  std::string Bytes =
      readContent(Path, ReferenceMagic.size() + MaxMarkerSize + 1);
  if (!isReference(Bytes))
    return std::nullopt;
  Result<Marker> M = decodeReference(Bytes);
  if (!M) {
    say(Path, M.status().message());
    return std::nullopt; // the runtime refuses it and reports its own error
  }
  // Search paths start at the file itself, not at a link to it.
  char Real[PATH_MAX];
  return Wanted{std::move(*M), realpath(Path, Real) ? Real : Path,
                std::nullopt};
}

/// True if the archives can be found without the reference's path.
static bool needsNoPlace(const Marker &M, const runtime::Environment &Env) {
  return !Env.Paths.empty() ||
         std::all_of(M.SearchPaths.begin(), M.SearchPaths.end(),
                     [](const std::string &Path) {
                       return !Path.empty() && Path.front() == '/';
                     });
}

/// Returns the content of a reference in memory; nullopt if it is none.
std::optional<Wanted> Shim::referenceAt(const void *Image) {
  using runtime::readableBytes;
  if (!Image || Memory.contains(Image) ||
      !isReference(readableBytes(Image, ReferenceMagic.size())))
    return std::nullopt;
  std::string_view Bytes =
      readableBytes(Image, ReferenceMagic.size() + MaxMarkerSize);
  // The length of the image is unknown.
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
    W = findReference(Path);
  return W ? loadReference(Handle, std::move(*W), getRuntime(Hip), Load)
           : LoadFile();
}

int Shim::loadImage(void **Handle, const void *Image, const HipFunctions &Hip,
                    const LoadImage &Load) {
  std::optional<Wanted> W;
  if (Handle && Mode != ShimMode::Off)
    W = referenceAt(Image);
  return W ? loadReference(Handle, std::move(*W), getRuntime(Hip), Load)
           : Load(Image);
}

/// True if \p Error means that there is no code object for the GPU, and not,
/// for example, that memory is short.
static bool refusesImage(int Error) {
  return Error == HipInvalidImage || Error == HipNoBinaryForGpu ||
         Error == HipInvalidKernelFile;
}

/// \p IsUnread receives whether the runtime may have refused the bundle unread.
int Shim::loadFrom(void **Handle, const Wanted &W, Runtime &Owner,
                   const LoadImage &Load, MemoryMode Mode, bool &IsUnread) {
  IsUnread = false;
  auto Release = [this](LazyMemory::Range *R) { Memory.release(R); };
  std::unique_ptr<LazyMemory::Range, decltype(Release)> R(
      reserve(std::make_unique<LazyBundle>(Context, Owner.Devices, W), Mode),
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
  // A runtime that refuses a bundle without reading it may have measured it by
  // a way that InterposeReads.cpp does not see.
  return IsUnread
             ? loadFrom(Handle, W, Owner, Load, MemoryMode::Plain, IsUnread)
             : Error;
}

int Shim::unload(void *Handle, const std::function<int(void *)> &Unload) {
  // Taken before the call, as in unregisterFatBinary().
  LazyMemory::Range *R = Handle ? Memory.takeOwned(Handle) : nullptr;
  int Error = Unload(Handle);
  if (R && Error == 0)
    Memory.release(R);
  else if (R)
    Memory.setOwner(R, Handle);
  return Error;
}
