//===- KernelLibrary.h - kernels loaded from archives by key ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For libraries that choose among thousands of kernels by problem (FFT, GEMM):
// opens archives once, looks a kernel up by a structured key, loads it at its
// first use and keeps it until others need its memory.
//
//   struct HipLoader {                      // what "loaded" means
//     using Module = hipModule_t;
//     kpack::Result<Module> load(const std::string &Key, const void *Code,
//                                size_t Size);
//     void unload(Module M);
//   };
//   kpack::KernelLibraryOptions O;
//   O.Archives = {"/opt/fft/lib/.kpack/fft_@GFXARCH@.kpack"};
//   O.Targets = {"gfx90a:sramecc+:xnack-", "gfx90a"};
//   auto Library = kpack::KernelLibrary<HipLoader>::open(O, HipLoader());
//   auto Kernel = (*Library)->get(
//       kpack::kernelKey("fft", kpack::ArchPlaceholder, 1024, "single"));
//
// The result of get() keeps the module loaded: hold it until the kernel has
// run. Header-only: C++17, zstd, xxHash. Independent of HIP. Thread-safe; the
// loader is called without a lock held, on several threads at once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_KERNELLIBRARY_H
#define KPACK_KERNELLIBRARY_H

#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Support/Buffer.h"
#include "kpack/Support/Status.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kpack {

namespace detail {
inline std::string keyPart(std::string_view Text) { return std::string(Text); }
template <typename Integer,
          typename = std::enable_if_t<std::is_integral_v<Integer>>>
std::string keyPart(Integer Value) {
  return std::to_string(Value);
}
} // namespace detail

/// Joins the parts, texts and integers, to "fft/@GFXARCH@/1024/single". A slash
/// in a text ends a part like any other.
template <typename First, typename... Rest>
std::string kernelKey(const First &F, const Rest &...R) {
  std::string Key = detail::keyPart(F);
  ((Key += "/" + detail::keyPart(R)), ...);
  return Key;
}

struct KernelLibraryOptions {
  /// Files that may hold kernels, best first. The first @GFXARCH@ of a path
  /// becomes each target in turn. Files that do not exist are skipped.
  std::vector<std::string> Archives;
  /// Target ids whose code may run on the device, best first: the results of
  /// exactCandidates() and genericCandidates() (kpack/Support/TargetId.h).
  std::vector<std::string> Targets;
  /// The limit in bytes for the code objects of loaded modules. Beyond it,
  /// modules are unloaded, least recently used first, except for those in use.
  uint64_t ByteBudget = std::numeric_limits<uint64_t>::max();
  /// Returns the code object of a key that no archive has, or that cannot be
  /// read: from the database of older versions. May be empty.
  std::function<Result<Buffer>(const std::string &Key)> Legacy;
  /// Keys that open() loads, in this order.
  std::vector<std::string> Preload;
};

struct KernelLibraryStats {
  uint64_t Hits = 0;        // get() of a loaded module
  uint64_t Loads = 0;       // modules loaded, including those from Legacy
  uint64_t LegacyLoads = 0; // of these, from Legacy
  uint64_t Evictions = 0;   // modules unloaded to make room
  uint64_t LoadedBytes = 0; // code objects of the loaded modules
};

template <typename Loader> class KernelLibrary {
public:
  using Module = typename Loader::Module;

  /// Keeps a module loaded as long as this object lives, also after the
  /// library's end.
  class Kernel {
  public:
    const Module &module() const { return *Held; }

  private:
    friend class KernelLibrary;
    explicit Kernel(std::shared_ptr<const Module> M) : Held(std::move(M)) {}
    std::shared_ptr<const Module> Held;
  };

  /// Opens the archives and preloads. ArchiveNotFound without any archive and
  /// without Legacy. An existing archive that cannot be read is an error, and
  /// so is a key to preload that cannot be loaded.
  static Result<std::unique_ptr<KernelLibrary>>
  open(KernelLibraryOptions Options, Loader L);

  KernelLibrary(const KernelLibrary &) = delete;
  KernelLibrary &operator=(const KernelLibrary &) = delete;

  /// Returns the module of \p Key, and loads it if needed. The first @GFXARCH@
  /// of the key becomes each target in turn. Errors: KernelNotFound, and those
  /// of the archive, the loader or Legacy; a later call tries again.
  Result<Kernel> get(const std::string &Key);

  /// Loads the modules of \p Keys in advance; stops at the first failure.
  Status preload(const std::vector<std::string> &Keys);

  /// True if an archive has \p Key for the device; loads nothing.
  bool has(const std::string &Key) const;

  KernelLibraryStats stats() const;

private:
  /// A key that is loaded or being loaded.
  struct Slot {
    bool IsReady = false;
    Status Failure;
    std::shared_ptr<const Module> Loaded;
    uint64_t Size = 0;
    std::list<std::string>::iterator Use; // in Recent, if ready
  };
  using SlotPtr = std::shared_ptr<Slot>;

  KernelLibrary(KernelLibraryOptions O, Loader L)
      : Options(std::move(O)),
        TheLoader(std::make_shared<Loader>(std::move(L))) {}

  Status openArchives();
  void load(const std::string &Key, Slot &S, bool &FromLegacy);
  void loadCode(const std::string &Key, std::string_view Code, Slot &S);
  Status loadFromArchives(const std::string &Key, Slot &S);
  void makeRoom(std::vector<std::shared_ptr<const Module>> &Dropped);

  static std::string withTarget(std::string Text, const std::string &Target);

  const KernelLibraryOptions Options;
  const std::shared_ptr<Loader> TheLoader; // modules keep it alive
  std::vector<std::unique_ptr<const ArchiveReader>> Readers;

  mutable std::mutex Lock;
  std::condition_variable Changed;
  std::unordered_map<std::string, SlotPtr> Slots;
  std::list<std::string> Recent; // ready keys, most recently used first
  KernelLibraryStats Counts;
};

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

template <typename Loader>
Result<std::unique_ptr<KernelLibrary<Loader>>>
KernelLibrary<Loader>::open(KernelLibraryOptions Options, Loader L) {
  std::unique_ptr<KernelLibrary> Library(
      new KernelLibrary(std::move(Options), std::move(L)));
  if (Status S = Library->openArchives(); !S.ok())
    return S;
  if (Status S = Library->preload(Library->Options.Preload); !S.ok())
    return S;
  return Library;
}

template <typename Loader> Status KernelLibrary<Loader>::openArchives() {
  std::vector<std::string> Paths;
  for (const std::string &Template : Options.Archives)
    for (const std::string &Target : Options.Targets)
      for (const std::string &Spelled : {targetFileName(Target), Target}) {
        std::string Path = withTarget(Template, Spelled);
        if (std::find(Paths.begin(), Paths.end(), Path) == Paths.end())
          Paths.push_back(std::move(Path));
      }
  for (const std::string &Path : Paths) {
    Result<std::unique_ptr<const ArchiveReader>> Reader =
        ArchiveReader::open(Path);
    if (Reader)
      Readers.push_back(std::move(*Reader));
    else if (Reader.status().code() != StatusCode::FileNotFound)
      return Reader.status();
  }
  if (!Readers.empty() || Options.Legacy)
    return Status::success();
  return Status(StatusCode::ArchiveNotFound,
                Paths.empty() ? "kernel library: no archive and no target named"
                              : Paths.front() + ": no such archive, nor " +
                                    std::to_string(Paths.size() - 1) +
                                    " others; install the package of this GPU");
}

template <typename Loader>
std::string KernelLibrary<Loader>::withTarget(std::string Text,
                                              const std::string &Target) {
  return replaceArch(Text, Target);
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

template <typename Loader>
Result<typename KernelLibrary<Loader>::Kernel>
KernelLibrary<Loader>::get(const std::string &Key) {
  std::unique_lock<std::mutex> Guard(Lock);
  for (auto It = Slots.find(Key); It != Slots.end(); It = Slots.find(Key)) {
    SlotPtr S = It->second;
    Changed.wait(Guard, [&] { return S->IsReady; });
    if (S->Loaded) {
      ++Counts.Hits;
      Recent.splice(Recent.begin(), Recent, S->Use);
      return Kernel(S->Loaded);
    }
    if (!S->Failure.ok())
      return S->Failure;
    // The module was unloaded before this thread woke up.
  }

  auto S = std::make_shared<Slot>();
  Slots.emplace(Key, S);
  Guard.unlock();
  bool FromLegacy = false;
  load(Key, *S, FromLegacy); // others wait for IsReady before they read it
  Guard.lock();

  S->IsReady = true;
  Changed.notify_all();
  if (!S->Loaded) {
    Slots.erase(Key);
    return S->Failure;
  }
  ++Counts.Loads;
  Counts.LegacyLoads += FromLegacy;
  Counts.LoadedBytes += S->Size;
  S->Use = Recent.insert(Recent.begin(), Key);
  Kernel Result(S->Loaded);
  std::vector<std::shared_ptr<const Module>> Dropped;
  makeRoom(Dropped);
  Guard.unlock(); // the loader unloads without the lock
  return Result;
}

/// Removes modules that are not in use until the budget is met.
template <typename Loader>
void KernelLibrary<Loader>::makeRoom(
    std::vector<std::shared_ptr<const Module>> &Dropped) {
  for (auto It = Recent.end();
       It != Recent.begin() && Counts.LoadedBytes > Options.ByteBudget;) {
    --It;
    auto Found = Slots.find(*It);
    Slot &S = *Found->second;
    // Only the slot refers to it. No thread can copy it meanwhile: that needs
    // the lock, or an existing copy.
    if (S.Loaded.use_count() != 1)
      continue;
    Counts.LoadedBytes -= S.Size;
    ++Counts.Evictions;
    Dropped.push_back(std::move(S.Loaded));
    Slots.erase(Found);
    It = Recent.erase(It);
  }
}

template <typename Loader>
Status KernelLibrary<Loader>::preload(const std::vector<std::string> &Keys) {
  for (const std::string &Key : Keys)
    if (Result<Kernel> Loaded = get(Key); !Loaded)
      return Loaded.status();
  return Status::success();
}

template <typename Loader>
bool KernelLibrary<Loader>::has(const std::string &Key) const {
  for (const std::string &Target : Options.Targets)
    for (const std::unique_ptr<const ArchiveReader> &Reader : Readers)
      if (Reader->find(withTarget(Key, Target), Target))
        return true;
  return false;
}

template <typename Loader>
KernelLibraryStats KernelLibrary<Loader>::stats() const {
  std::lock_guard<std::mutex> Guard(Lock);
  return Counts;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

template <typename Loader>
void KernelLibrary<Loader>::load(const std::string &Key, Slot &S,
                                 bool &FromLegacy) {
  S.Failure = loadFromArchives(Key, S);
  if (S.Loaded || !Options.Legacy)
    return;
  Result<Buffer> Code = Options.Legacy(Key);
  if (!Code) {
    // A damaged archive is the more useful error than a key that the old
    // database lacks, too.
    if (S.Failure.code() == StatusCode::KernelNotFound)
      S.Failure = Code.status();
    return;
  }
  FromLegacy = true;
  loadCode(Key, Code->bytes(), S);
}

template <typename Loader>
Status KernelLibrary<Loader>::loadFromArchives(const std::string &Key,
                                               Slot &S) {
  Status Failure(StatusCode::KernelNotFound,
                 "no archive has kernel '" + Key + "' for this device");
  for (const std::string &Target : Options.Targets)
    for (const std::unique_ptr<const ArchiveReader> &Reader : Readers) {
      const ArchiveEntry *Entry = Reader->find(withTarget(Key, Target), Target);
      if (!Entry)
        continue;
      Result<Buffer> Code = Reader->read(*Entry);
      if (!Code) {
        Failure = Code.status();
        continue;
      }
      loadCode(Key, Code->bytes(), S);
      return S.Failure;
    }
  return Failure;
}

template <typename Loader>
void KernelLibrary<Loader>::loadCode(const std::string &Key,
                                     std::string_view Code, Slot &S) {
  Result<Module> Loaded = TheLoader->load(Key, Code.data(), Code.size());
  if (!Loaded) {
    S.Failure = Loaded.status();
    return;
  }
  S.Failure = Status::success();
  S.Size = Code.size();
  S.Loaded = std::shared_ptr<const Module>(new Module(std::move(*Loaded)),
                                           [Keep = TheLoader](const Module *M) {
                                             Keep->unload(*M);
                                             delete M;
                                           });
}

} // namespace kpack

#endif // KPACK_KERNELLIBRARY_H
