//===- DoctorBinary.cpp - doctor's checks of a binary ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the loader's own search (Runtime/ArchiveSearch.h), so that the result
// agrees with a process for any environment. Support/TargetId.h determines the
// targets that a device may use, for archives and for bundles in fat binaries.
//
//===----------------------------------------------------------------------===//
#include "Tool/Doctor/DoctorBinary.h"
#include "HostRewrite/Verifier/Verifier.h"
#include "Offload/HipSymbols.h"
#include "Runtime/ArchivePaths.h"
#include "Tool/TargetScope.h"
#include "Tool/Verify/OlderLoaders.h"
#include "Tool/Verify/Verify.h"
#include "ToolSupport/Session.h"
#include "kpack/Support/TargetId.h"
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
  void problem(const Twine &Message) {
    Health.Problems.push_back((Binary.Path + ": " + Message).str());
  }
  void checkKind();
  void checkBundles(StringRef Gpu);
  void checkArchives(StringRef Gpu);
  CodeUse codeFor(size_t Index);
  void noteOlderLoaders(size_t Index);
  void openArchives(const std::vector<runtime::ArchivePlace> &Places);
  void reportMissing(StringRef Gpu, const std::set<size_t> &Indices);
  void reportTranslated(StringRef Gpu, size_t Count);

  HostBinary Binary;
  const HealthScope &Scope;
  BinaryHealth Health;
  std::string RealPath;
  /// For the current GPU: the targets that run there, best first, and the
  /// archives that may have them.
  std::vector<std::string> Targets;
  std::vector<const ArchiveReader *> Archives;
};

} // namespace

/// A name without features is a processor, as the kernel driver names it. Its
/// features, such as xnack, are unknown then.
static UnsaidFeature unsaidBy(StringRef Gpu) {
  return Gpu.contains(':') ? UnsaidFeature::IsNotThere
                           : UnsaidFeature::MayBeAnything;
}

/// Returns targets that run on \p Gpu, for the loader's search.
static std::vector<std::string> candidateTargets(StringRef Gpu) {
  std::vector<std::string> All = runtime::targetsOf({std::string_view(Gpu)});
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

/// Reports that \p Count wrappers have SPIR-V and no code that runs directly.
void BinaryDoctor::reportTranslated(StringRef Gpu, size_t Count) {
  if (Count != 0)
    problem(onlyByTranslation(Gpu, Count, Health.WrapperCount) +
            "; install a build for it");
}

/// Checks device code that is still in the binary.
void BinaryDoctor::checkBundles(StringRef Gpu) {
  std::set<std::string> Others;
  size_t Without = 0, Translated = 0;
  for (const offload::Wrapper &W : Binary.Linked.Wrappers) {
    if (W.Magic != offload::WrapperMagicFat)
      continue;
    CodeUse Best = CodeUse::None;
    auto Look = [&](const offload::StreamedImage &Image) -> Error {
      Best = std::max(Best, codeUse(Image.Target, Gpu, unsaidBy(Gpu)));
      Others.insert(Image.Target);
      return Error::success();
    };
    if (Error E = forEachImageAt(Binary, W.Pointer, Look)) {
      Health.Problems.push_back(toString(std::move(E)));
      return;
    }
    Without += Best == CodeUse::None;
    Translated += Best == CodeUse::ByTranslation;
  }
  reportTranslated(Gpu, Translated);
  if (Without)
    problem("a fat binary with code for " +
            (Others.empty() ? "no GPU" : join(Others, ", ")) + ", and " +
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

/// Returns the best use of the archives' code for a wrapper.
CodeUse BinaryDoctor::codeFor(size_t Index) {
  std::string Key = Binary.getKey(Index);
  auto HasFor = [&](StringRef Target) {
    return any_of(Archives, [&](const ArchiveReader *Archive) {
      std::string_view Name = Target;
      const ArchiveEntry *Entry = runtime::hasTarget(*Archive, Name)
                                      ? Archive->find(Key, Name)
                                      : nullptr;
      return Entry && Archive->checkEntry(*Entry).ok();
    });
  };
  if (any_of(Targets, HasFor))
    return CodeUse::Runs;
  return HasFor(StringRef(SpirvTarget)) ? CodeUse::ByTranslation
                                        : CodeUse::None;
}

/// True if \p File contains \p Name, and not only as a part of a longer one
/// (gfx1250-strict, gfx90a-xnack+).
static bool namesTarget(StringRef File, StringRef Name) {
  for (size_t Offset = File.find(Name);
       !Name.empty() && Offset != StringRef::npos;
       Offset = File.find(Name, Offset + 1)) {
    StringRef Rest = File.drop_front(Offset + Name.size());
    if (Rest.empty() || !(isAlnum(Rest[0]) || Rest[0] == '-'))
      return true;
  }
  return false;
}

/// Reports that wrappers \p Indices have no code for \p Gpu.
void BinaryDoctor::reportMissing(StringRef Gpu,
                                 const std::set<size_t> &Indices) {
  const BuiltCode &Built = Binary.Ref->Built;
  std::vector<std::string> All = Built.allTargets();
  auto Best = find_if(Targets, [&](const std::string &Target) {
    return is_contained(All, Target);
  });
  // Packing a tree for other GPUs may leave a binary without any code.
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
  // A marker without a placeholder has a path for each target.
  std::string Name = targetFileName(Target);
  if (any_of(Missing.Files,
             [&](StringRef File) { return namesTarget(File, Name); }))
    llvm::erase_if(Missing.Files,
                   [&](StringRef File) { return !namesTarget(File, Name); });
  bool HasTarget = any_of(Archives, [&](const ArchiveReader *Archive) {
    return any_of(Targets, [&](const std::string &T) {
      return runtime::hasTarget(*Archive, T);
    });
  });
  std::string Advice = runtime::adviceOnHiddenFolder(Missing.Files);
  if (!HasTarget)
    problem("no archive for " + Gpu +
            (Target.empty() || Target == Gpu ? "" : " (" + Target + ")") +
            ", looked for " + join(Missing.Files, ", ") +
            "; install it with the program" +
            (Advice.empty() ? Advice : " (" + Advice + ")"));
  else
    problem(Twine(Indices.size()) + " of " +
            counted(Health.WrapperCount, "wrapper") + " without code for " +
            Gpu + ", the first '" + Binary.getKey(*Indices.begin()) +
            "'; install binary and archives of one build");
  Health.Missing.push_back(std::move(Missing));
}

/// Returns the best use of code for the targets \p Built on \p Gpu.
static CodeUse getUse(const std::vector<std::string> &Built, StringRef Gpu) {
  CodeUse Best = CodeUse::None;
  for (const std::string &Target : Built)
    Best = std::max(Best, codeUse(Target, Gpu, unsaidBy(Gpu)));
  return Best;
}

void BinaryDoctor::noteOlderLoaders(size_t Index) {
  std::optional<std::string> Stop =
      olderLoadersStop(Archives, Targets, Binary.getKey(Index));
  std::string Note = Stop ? Binary.Path + ": " + *Stop : "";
  if (Stop && !is_contained(Health.Notes, Note))
    Health.Notes.push_back(std::move(Note));
}

/// Checks the code that a loader would use for each wrapper.
void BinaryDoctor::checkArchives(StringRef Gpu) {
  Targets = candidateTargets(Gpu);
  std::vector<std::string> Looked = Targets;
  Looked.emplace_back(SpirvTarget);
  openArchives(Scope.Search.places(*Binary.Ref, RealPath, Looked));
  std::set<size_t> Missing;
  size_t Translated = 0;
  // Code that was not compiled for a device is expected to be missing.
  auto Judge = [&](size_t Index, CodeUse Wanted, bool IsKnown) {
    CodeUse Found = codeFor(Index);
    noteOlderLoaders(Index);
    if (Found == CodeUse::ByTranslation && (!IsKnown || Wanted == Found))
      ++Translated;
    else if (Found < Wanted)
      Missing.insert(Index);
  };
  const BuiltCode &Built = Binary.Ref->Built;
  for (const offload::Wrapper &W : Binary.Linked.Wrappers) {
    if (W.Magic != offload::WrapperMagicKpack)
      continue;
    uint32_t Index = uint32_t(W.Reserved1);
    const std::vector<std::string> *Own = Built.targetsOf(Index);
    Judge(Index, Own ? getUse(*Own, Gpu) : CodeUse::Runs, Own != nullptr);
  }
  CodeUse BuiltFor =
      Built.empty() ? CodeUse::Runs : getUse(Built.allTargets(), Gpu);
  // Likewise a database file for another GPU.
  if (Binary.IsReference && BuiltFor == CodeUse::None)
    return Health.NotMeantFor.push_back(Gpu.str());
  if (Binary.IsReference)
    Judge(0, BuiltFor, !Built.empty());
  reportTranslated(Gpu, Translated);
  if (!Missing.empty() || BuiltFor == CodeUse::None)
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
    VerifyReport Report =
        verifyBinary(Binary.Path, VerifyScope(), /*Original=*/"");
    Health.Problems = std::move(Report.Problems);
    Health.Notes = std::move(Report.Notes);
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

static BinaryHealth unknown(StringRef Path, std::string Problem) {
  BinaryHealth Health;
  Health.Path = Path.str();
  Health.Kind = "unknown";
  Health.Problems.push_back(std::move(Problem));
  return Health;
}

std::optional<BinaryHealth> tool::checkHealth(StringRef Path,
                                              const HealthScope &Scope) {
  Expected<HostBinary> Binary = readHostBinary(Path);
  if (!Binary) {
    std::string Why = toString(Binary.takeError());
    std::error_code EC;
    if (!looksLinked(readMagic(Path, EC)))
      return std::nullopt;
    // A file that cannot be read may have HIP code.
    return unknown(Path, std::move(Why));
  }
  if (Binary->Linked.Wrappers.empty() && Binary->Linked.MarkerBytes.empty() &&
      !Binary->IsReference) {
    std::string Unregistered = unregisteredKernels(*Binary);
    if (Unregistered.empty())
      return std::nullopt;
    return unknown(Path, std::move(Unregistered));
  }
  return BinaryDoctor(std::move(*Binary), Scope).run();
}
