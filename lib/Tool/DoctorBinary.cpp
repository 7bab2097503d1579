//===- DoctorBinary.cpp - is a binary's code there for a GPU? -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loader's own search (kpack/Runtime/ArchiveSearch.h) is asked, so that
// nothing is called complete that a process does not find, whatever is set in
// the environment. Which targets a device may use is Support/TargetId.h's
// business, for archives and for bundles in fat binaries.
//
//===----------------------------------------------------------------------===//
#include "Doctor.h"
#include "Verify.h"
#include "kpack/HostRewrite/Verifier.h"
#include "kpack/Offload/HipSymbols.h"
#include "kpack/Runtime/SearchPath.h"
#include "kpack/Support/TargetId.h"
#include "kpack/ToolSupport/Session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <set>

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {

class BinaryDoctor {
public:
  BinaryDoctor(HostBinary Binary, const HealthScope &Scope)
      : Binary(std::move(Binary)), Scope(Scope) {}
  BinaryHealth run();

private:
  void problem(const Twine &What) {
    Health.Problems.push_back((Binary.Path + ": " + What).str());
  }
  void checkKind();
  void checkBundles(StringRef Gpu);
  void checkArchives(StringRef Gpu);
  bool isServed(size_t Index);
  void openArchives(const std::vector<runtime::ArchivePlace> &Places);
  void reportMissing(StringRef Gpu, const std::set<size_t> &Indices);

  HostBinary Binary;
  const HealthScope &Scope;
  BinaryHealth Health;
  std::string RealPath;
  /// Of the GPU that is looked at: what runs there, best first, and what may
  /// have it.
  std::vector<std::string> Targets;
  std::vector<const ArchiveReader *> Archives;
};

} // namespace

/// What runs on \p Gpu. One without features is a processor, as the kernel
/// driver names it, and may have any: whether xnack is on is not known then.
static std::vector<std::string> candidateTargets(StringRef Gpu) {
  std::vector<std::string> All = runtime::targetsOf({std::string_view(Gpu)});
  All.emplace_back(SpirvTarget);
  if (Gpu.contains(':'))
    return All;
  for (StringRef Sramecc : {"", ":sramecc+", ":sramecc-"})
    for (StringRef Xnack : {"", ":xnack+", ":xnack-"}) {
      // Generic code may have been compiled for a feature, too.
      std::string Device = (Gpu + Sramecc + Xnack).str();
      for (std::string &Target : runtime::targetsOf({Device}))
        if (!is_contained(All, Target))
          All.push_back(std::move(Target));
    }
  return All;
}

void BinaryDoctor::checkKind() {
  size_t Kpack = count_if(Binary.Linked.Wrappers, [](const auto &W) {
    return W.Magic == offload::WrapperMagicKpack;
  });
  Health.WrapperCount = Binary.Linked.Wrappers.size();
  if (Binary.IsReference) {
    Health.Kind = "reference";
    return;
  }
  Health.Kind = Kpack == Health.WrapperCount ? "host-only"
                : Kpack == 0                 ? "fat"
                                             : "mixed";
}

/// Device code that is still inside.
void BinaryDoctor::checkBundles(StringRef Gpu) {
  UnsaidFeature Unsaid = Gpu.contains(':') ? UnsaidFeature::IsNotThere
                                           : UnsaidFeature::MayBeAnything;
  std::set<std::string> Others;
  size_t Without = 0;
  for (const offload::Wrapper &W : Binary.Linked.Wrappers) {
    if (W.Magic != offload::WrapperMagicFat)
      continue;
    Expected<offload::OpenContainer> Bundle = openAt(Binary, W.Pointer);
    if (!Bundle) {
      Health.Problems.push_back(toString(Bundle.takeError()));
      return;
    }
    bool IsThere = false;
    for (const offload::DeviceImage &Image : Bundle->Images) {
      IsThere |= Image.Target == StringRef(SpirvTarget) ||
                 targetFitness(Image.Target, Gpu, Unsaid) != 0;
      Others.insert(Image.Target);
    }
    Without += !IsThere;
  }
  if (Without)
    problem("a fat binary with code for " + join(Others, ", ") + ", and " +
            Twine(Without) + " of " + counted(Health.WrapperCount, "wrapper") +
            " without any for " + Gpu + "; install a build for it");
}

void BinaryDoctor::openArchives(
    const std::vector<runtime::ArchivePlace> &Places) {
  Archives.clear();
  for (const runtime::ArchivePlace &Place : Places) {
    if (!Place.Archive)
      continue;
    runtime::OpenArchive Open = Scope.Search.open(
        *Place.Archive, Binary.Ref->KernelName, Binary.Ref->ArchiveId);
    if (!Open.Reader)
      Health.Problems.push_back(Place.Archive->failure().message());
    else if (!Open.Refusal.empty())
      Health.Problems.push_back(Place.Path + ": " + Open.Refusal +
                                "; install binary and archives of one build");
    else
      Archives.push_back(Open.Reader);
  }
}

bool BinaryDoctor::isServed(size_t Index) {
  std::string Key = Binary.keyOf(Index);
  return any_of(Archives, [&](const ArchiveReader *Archive) {
    return any_of(Targets, [&](const std::string &Target) {
      const ArchiveEntry *Entry = runtime::hasTarget(*Archive, Target)
                                      ? Archive->find(Key, Target)
                                      : nullptr;
      return Entry && Archive->checkEntry(*Entry).ok();
    });
  });
}

/// \p Indices have no code for \p Gpu.
void BinaryDoctor::reportMissing(StringRef Gpu,
                                 const std::set<size_t> &Indices) {
  const BuiltCode &Built = Binary.Ref->Built;
  std::vector<std::string> All = Built.allTargets();
  auto Best = find_if(Targets, [&](const std::string &Target) {
    return is_contained(All, Target);
  });
  // Of a tree that was packed for other GPUs a binary may be left without any.
  if (!Built.empty() && Best == Targets.end())
    return problem("not built for " + Gpu +
                   (All.empty() ? " and for no other GPU"
                                : ", but for " + join(All, ", ")) +
                   "; install a build for it");
  std::string Target = Best == Targets.end() ? "" : *Best;
  std::vector<std::string> Asked = Targets;
  if (!Target.empty())
    Asked = {Target};
  MissingArchive Missing = {
      Gpu.str(), Target,
      runtime::archivePaths(*Binary.Ref, RealPath, Scope.Search.Env, Asked)};
  // A marker without a placeholder has one path for each target.
  std::string Name = targetFileName(Target);
  if (any_of(Missing.Files, [&](StringRef File) {
        return !Name.empty() && File.contains(Name);
      }))
    llvm::erase_if(Missing.Files,
                   [&](StringRef File) { return !File.contains(Name); });
  bool HasTarget = any_of(Archives, [&](const ArchiveReader *Archive) {
    return any_of(Targets, [&](const std::string &T) {
      return runtime::hasTarget(*Archive, T);
    });
  });
  if (!HasTarget)
    problem("no archive for " + Gpu +
            (Target.empty() || Target == Gpu ? "" : " (" + Target + ")") +
            ", looked for " + join(Missing.Files, ", ") +
            "; install it with the program");
  else
    problem(Twine(Indices.size()) + " of " +
            counted(Health.WrapperCount, "wrapper") + " without code for " +
            Gpu + ", the first '" + Binary.keyOf(*Indices.begin()) +
            "'; install binary and archives of one build");
  Health.Missing.push_back(std::move(Missing));
}

/// By each wrapper, the code that a loader would give it.
void BinaryDoctor::checkArchives(StringRef Gpu) {
  Targets = candidateTargets(Gpu);
  openArchives(Scope.Search.places(*Binary.Ref, RealPath, Targets));
  std::set<size_t> Missing;
  for (const offload::Wrapper &W : Binary.Linked.Wrappers) {
    uint32_t Index = uint32_t(W.Reserved1);
    // One that was not compiled for a device is the program's business.
    const std::vector<std::string> *Built = Binary.Ref->Built.targetsOf(Index);
    bool IsMeant = !Built || any_of(*Built, [&](const std::string &Target) {
      return is_contained(Targets, Target);
    });
    if (W.Magic == offload::WrapperMagicKpack && IsMeant && !isServed(Index))
      Missing.insert(Index);
  }
  bool IsBuilt =
      Binary.Ref->Built.empty() ||
      any_of(Binary.Ref->Built.allTargets(), [&](const std::string &Target) {
        return is_contained(Targets, Target);
      });
  // A file of a database for another GPU is the program's business, too.
  if (Binary.IsReference && !IsBuilt)
    return Health.NotMeantFor.push_back(Gpu.str());
  if (Binary.IsReference && !isServed(0))
    Missing.insert(0);
  if (!Missing.empty() || !IsBuilt)
    reportMissing(Gpu, Missing);
}

BinaryHealth BinaryDoctor::run() {
  Health.Path = Binary.Path;
  checkKind();
  SmallString<256> Real;
  RealPath =
      sys::fs::real_path(Binary.Path, Real) ? Binary.Path : std::string(Real);
  bool IsFat = Health.Kind == "fat";
  if (!IsFat && Scope.Gpus.empty()) {
    Health.Problems =
        verifyBinary(Binary.Path, VerifyScope(), /*Original=*/"").Problems;
    return std::move(Health);
  }
  if (!Binary.IsReference)
    Health.Problems =
        hostrewrite::verifyHost(Binary.File->getBuffer(), Binary.Path).Problems;
  if (!IsFat && !Binary.Ref)
    problem((Binary.MarkerProblem.empty() ? "no marker, so no archive is found"
                                          : Binary.MarkerProblem) +
            "; install it again");
  for (const std::string &Gpu : Scope.Gpus) {
    if (Binary.Ref && !IsFat)
      checkArchives(Gpu);
    checkBundles(Gpu);
  }
  return std::move(Health);
}

std::optional<BinaryHealth> tool::checkHealth(StringRef Path,
                                              const HealthScope &Scope) {
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary) {
    std::string Why = toString(Binary.takeError());
    std::error_code EC;
    if (!looksLinked(magicOf(Path, EC)))
      return std::nullopt;
    // Nobody can say that there is no HIP code in what cannot be read.
    BinaryHealth Unread;
    Unread.Path = Path.str();
    Unread.Kind = "unknown";
    Unread.Problems.push_back(std::move(Why));
    return Unread;
  }
  if (Binary->Linked.Wrappers.empty() && Binary->Linked.MarkerBytes.empty() &&
      !Binary->IsReference)
    return std::nullopt;
  return BinaryDoctor(std::move(*Binary), Scope).run();
}
