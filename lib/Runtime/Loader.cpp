//===- Loader.cpp - code object that a marker leads to --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read load() first. resolve() decodes the marker and finds the archives that
// exist; serve() searches them, opening each only when it is reached. No lock
// is held anywhere (GrowOnlyTable.h).
//
//===----------------------------------------------------------------------===//
#include "Loader.h"

#include "Runtime/ArchivePaths.h"
#include "Runtime/ReadableMemory.h"
#include "Support/SecureMode.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace kpack;
using namespace kpack::runtime;

/// The archives of one binary for one device; immutable.
struct Loader::Search {
  // The key, besides the environment. No MessagePack map is a prefix of
  // another, so the marker at a pointer is this one if it begins with these
  // bytes.
  std::string MarkerBytes;
  std::string BinaryPath;
  std::vector<std::string> DeviceNames;

  kpack::Marker M;
  std::vector<std::string> Targets;
  std::vector<CachedArchive *> Archives;
  /// The path at which the archive of the best target that was built should be.
  std::string Expected;
  /// The first path whose stat() failed. It may be meant for other machines (a
  /// build tree), so it counts only if no archive is found.
  Status Unreachable;
};

/// The error of a failed search.
class Loader::MissReason {
public:
  /// Records an archive that should serve but cannot; the first one counts.
  void problem(const Status &S) {
    if (Problem.ok())
      Problem = S;
  }
  void sawTarget() { SawTarget = true; }

  Status result(const Search &S, uint32_t Index) && {
    if (!Problem.ok())
      return std::move(Problem);
    std::string Key = S.M.KernelName + "#" + std::to_string(Index);
    StatusCode Code = S.Archives.empty() ? StatusCode::ArchiveNotFound
                      : SawTarget        ? StatusCode::KernelNotFound
                                         : StatusCode::ArchNotFound;
    bool IsBuiltKnown = S.M.Built.targetsOf(Index) != nullptr;
    return {Code, S.BinaryPath + ": " +
                      (IsBuiltKnown ? explain(S, Index, Key)
                                    : explainSearch(S, Key))};
  }

private:
  /// Explains a failure by the archives that were found.
  std::string explainSearch(const Search &S, const std::string &Key) const {
    if (S.Archives.empty())
      return "no archive at any search path; install its archives with it" +
             makeAdvice(", or name them with ROCM_KPACK_PATH");
    if (!SawTarget)
      return "no archive for this device; build or install the one for its "
             "architecture";
    return "no archive has '" + Key +
           "' for this device; build that source for its architecture";
  }

  /// Explains a failure when the list of built targets is known.
  std::string explain(const Search &S, uint32_t Index,
                      const std::string &Key) const {
    const std::vector<std::string> &Built = *S.M.Built.targetsOf(Index);
    auto Best = std::find_if(
        S.Targets.begin(), S.Targets.end(), [&](const std::string &Target) {
          return std::find(Built.begin(), Built.end(), Target) != Built.end();
        });
    std::string Unit = "'" + Key + "'";
    if (std::string_view Name = S.M.Built.nameOf(Index); !Name.empty())
      Unit.append(" (").append(Name).append(")");
    const std::string &Device = S.DeviceNames.front();
    if (Best == S.Targets.end()) {
      std::string List;
      for (const std::string &Target : Built)
        List += (List.empty() ? "" : ", ") + Target;
      return Unit + " was not compiled for this device, " + Device +
             ", but for " + List + "; compile it with --offload-arch=" + Device;
    }
    if (SawTarget)
      return "no archive has " + Unit + " for " + *Best +
             ", for which it was compiled; install binary and archives of one "
             "build";
    return "no archive for " + *Best + ", for which it was built, looked for " +
           S.Expected + "; install it with the program" +
           makeAdvice(", or name it with ROCM_KPACK_PATH");
  }

  Status Problem;
  bool SawTarget = false;
};

Loader::Loader(Environment E) : Finder(std::move(E)) {}
Loader::~Loader() = default;

static size_t hashOf(std::string_view BinaryPath,
                     const std::vector<std::string_view> &DeviceNames) {
  std::hash<std::string_view> Hash;
  size_t Sum = Hash(BinaryPath);
  for (std::string_view Name : DeviceNames)
    Sum = Sum * 31 + Hash(Name);
  return Sum;
}

static std::string quotedList(const std::vector<std::string> &Items) {
  std::string Text;
  for (const std::string &Item : Items)
    Text += (Text.empty() ? "'" : ", '") + Item + "'";
  return Text;
}

Result<Buffer> Loader::load(const void *Marker, std::string_view BinaryPath,
                            uint32_t Index,
                            const std::vector<std::string_view> &DeviceNames) {
  if (Finder.Env.Disabled) {
    Status Off(StatusCode::NotImplemented,
               std::string(BinaryPath) +
                   ": kpack is disabled; unset ROCM_KPACK_DISABLE");
    Finder.Messages.debug([&] { return Off.message(); });
    return Off;
  }

  auto StandsAtMarker = [&](const Search &S) {
    std::string_view Now = readableBytes(Marker, S.MarkerBytes.size());
    return Now == S.MarkerBytes;
  };
  auto IsThisSearch = [&](const Search &S) {
    return S.BinaryPath == BinaryPath &&
           std::equal(S.DeviceNames.begin(), S.DeviceNames.end(),
                      DeviceNames.begin(), DeviceNames.end()) &&
           StandsAtMarker(S);
  };

  size_t Hash = hashOf(BinaryPath, DeviceNames);
  if (const Search *Known = Searches.find(Hash, IsThisSearch)) {
    Result<Buffer> Found = serve(*Known, Index);
    if (Found)
      return Found;
  }
  // The search is not cached, or it failed: an archive may have been installed
  // since.
  Result<std::unique_ptr<Search>> Fresh =
      resolve(Marker, BinaryPath, DeviceNames);
  if (!Fresh) {
    Finder.Messages.debug([&] { return Fresh.status().message(); });
    return Fresh.status();
  }
  Result<Buffer> Found = serve(**Fresh, Index);
  if (!Found) {
    Finder.Messages.debug([&] { return Found.status().message(); });
    return Found;
  }
  const std::vector<CachedArchive *> &Archives = (*Fresh)->Archives;
  Searches.insert(Hash, std::move(*Fresh), [&](const Search &Other) {
    return Other.Archives == Archives && IsThisSearch(Other);
  });
  return Found;
}

/// Returns the path at which the archive of the best target that a binary was
/// built for should be; empty if the built targets are unknown.
static std::string expectedArchive(const kpack::Marker &M,
                                   std::string_view BinaryPath,
                                   const Environment &Env,
                                   const std::vector<std::string> &Targets) {
  std::vector<std::string> Built = M.Built.allTargets();
  for (const std::string &Target : Targets) {
    if (!std::binary_search(Built.begin(), Built.end(), Target))
      continue;
    // Paths without a placeholder may belong to other targets.
    std::vector<std::string> Paths = archivePaths(M, BinaryPath, Env, {Target});
    for (const std::string &Path : Paths)
      if (Path.find(targetFileName(Target)) != Path.npos)
        return Path;
    return Paths.empty() ? "" : Paths.front();
  }
  return "";
}

Result<std::unique_ptr<Loader::Search>>
Loader::resolve(const void *Marker, std::string_view BinaryPath,
                const std::vector<std::string_view> &DeviceNames) {
  std::string_view Bytes = readableBytes(Marker, MaxMarkerSize);
  size_t Size = 0;
  Result<kpack::Marker> M = decodeMarker(Bytes, /*Exact=*/false, &Size);
  if (!M)
    return Status(StatusCode::InvalidMetadata,
                  std::string(BinaryPath) + ": " + M.status().message());

  auto S = std::make_unique<Search>();
  S->MarkerBytes = Bytes.substr(0, Size);
  S->BinaryPath = BinaryPath;
  S->DeviceNames.assign(DeviceNames.begin(), DeviceNames.end());
  S->M = std::move(*M);
  S->Targets = targetsOf(DeviceNames);
  Finder.Messages.debug([&] {
    return S->BinaryPath + ": looking for '" + S->M.KernelName + "' for " +
           quotedList(S->Targets);
  });

  S->Expected = expectedArchive(S->M, BinaryPath, Finder.Env, S->Targets);

  bool IsCut = false;
  std::vector<ArchivePlace> Places =
      Finder.places(S->M, BinaryPath, S->Targets, &IsCut);
  if (IsCut)
    Finder.Messages.warnOnce(
        S->BinaryPath + ": its search paths stand for more than " +
        std::to_string(MaxArchivePaths) +
        " files, only the first ones are looked at; link it with "
        "fewer search paths");
  for (const ArchivePlace &P : Places) {
    if (P.Error != 0 && S->Unreachable.ok())
      S->Unreachable =
          Status(StatusCode::IoError,
                 P.Path + ": cannot open: " + std::strerror(P.Error) +
                     "; make it readable for this user");
    Finder.Messages.debug([&] {
      return P.Path + (P.Archive ? ": archive found" : ": no such archive");
    });
    if (P.Archive && std::find(S->Archives.begin(), S->Archives.end(),
                               P.Archive) == S->Archives.end())
      S->Archives.push_back(P.Archive);
  }
  return S;
}

/// Returns the open archive if its code may run with this binary, else null.
const ArchiveReader *Loader::usable(const Search &S, CachedArchive &A,
                                    MissReason &Out) {
  OpenArchive Opened = Finder.open(A, S.M.KernelName, S.M.ArchiveId);
  if (!Opened.Reader)
    Out.problem(A.failure());
  if (Opened.Refusal.empty())
    return Opened.Reader;
  Status Stale(StatusCode::InvalidMetadata,
               S.BinaryPath + ": archive " + A.path() + " " + Opened.Refusal +
                   "; rebuild or reinstall the binary and its archives "
                   "together");
  Finder.Messages.warnOnce(Stale.message());
  Out.problem(Stale);
  return nullptr;
}

Result<Buffer> Loader::serve(const Search &S, uint32_t Index) {
  std::string Key = S.M.KernelName + "#" + std::to_string(Index);
  MissReason Out;
  // Filled on first use; null if the archive cannot serve.
  std::vector<const ArchiveReader *> Readers;
  for (const std::string &Target : S.Targets)
    for (size_t I = 0; I != S.Archives.size(); ++I) {
      if (I == Readers.size())
        Readers.push_back(usable(S, *S.Archives[I], Out));
      const ArchiveReader *Reader = Readers[I];
      if (!Reader || !hasTarget(*Reader, Target))
        continue;
      Out.sawTarget();
      const ArchiveEntry *Entry = Reader->find(Key, Target);
      if (!Entry)
        continue;
      Result<Buffer> Found = Reader->read(*Entry);
      if (Found) {
        Finder.Messages.debug([&] {
          return Key + ": " + std::to_string(Found->size()) + " bytes for " +
                 Target + " from " + Reader->path();
        });
        return Found;
      }
      if (Found.status().code() == StatusCode::OutOfMemory)
        return Found;
      Finder.Messages.warnOnce(Found.status().message());
      Out.problem(Found.status());
    }
  if (S.Archives.empty() && !S.Unreachable.ok()) {
    Finder.Messages.warnOnce(S.Unreachable.message());
    return S.Unreachable;
  }
  return std::move(Out).result(S, Index);
}
