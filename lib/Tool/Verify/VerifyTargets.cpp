//===- VerifyTargets.cpp - checks that required code exists ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The marker lists the targets for which a binary was built, if ld.kpack wrote
// it; the command line lists wanted and expected ones. Sibling:
// VerifyBinary.cpp, which has found the existing code.
//
//===----------------------------------------------------------------------===//
#include "Tool/Verify/BinaryVerifier.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

/// Returns the possible files of an archive for \p Target.
std::vector<std::string> BinaryVerifier::getPlaces(StringRef Target) const {
  std::vector<std::string> Places;
  for (const SearchPath &Path : Binary.SearchPaths) {
    if (!Path.Place.hasPlaceholder() && Binary.SearchPaths.size() > 1)
      continue; // of another target
    Places.push_back(
        Path.Place.pathFor(targetFileName(std::string_view(Target))));
  }
  return Places;
}

/// Reports that \p Indices lack the code for \p Target that they were built
/// with.
void BinaryVerifier::reportMissing(const std::string &Target,
                                   ArrayRef<size_t> Indices, bool AnyThere) {
  if (!AnyThere) {
    std::vector<std::string> Places = getPlaces(Target);
    if (any_of(Places,
               [&](const std::string &File) { return Rejected.count(File); }))
      return;
    return problem(
        "no archive for " + Target + ", for which it was built" +
        (Places.empty() ? "" : ", looked for " + join(Places, ", ")) +
        "; put it there, or say with --arch= or --gpu= which "
        "targets are meant to be there");
  }
  for (size_t Index : Indices)
    problem("no code object " + Twine(nameOfUnit(Index)) + " for " + Target +
            ", for which it was compiled; install binary and archives of one "
            "build");
}

void BinaryVerifier::checkTarget(const std::string &Target) {
  const BuiltCode &Built = Binary.Ref->Built;
  std::vector<size_t> Missing;
  for (size_t Index : Units) {
    const std::vector<std::string> *Targets = Built.targetsOf(Index);
    if (Targets && is_contained(*Targets, Target) &&
        !Covered[Target].count(Index))
      Missing.push_back(Index);
  }
  if (!Missing.empty())
    reportMissing(Target, Missing, !Covered[Target].empty());
}

/// Reports that \p Count units have SPIR-V and no code that runs directly.
void BinaryVerifier::reportTranslated(const std::string &Gpu, size_t Count) {
  if (Count != 0)
    problem(onlyByTranslation(Gpu, Count, Units.size()) +
            "; build it with --offload-arch=" + Gpu);
}

/// Checks a binary that does not list its targets.
void BinaryVerifier::checkTranslated(const std::string &Gpu) {
  size_t Count = 0;
  for (size_t Index : Units) {
    CodeUse Best = CodeUse::None;
    for (const auto &[Target, Indices] : Covered)
      if (Indices.count(Index))
        Best = std::max(Best, codeUse(Target, Gpu));
    Count += Best == CodeUse::ByTranslation;
  }
  reportTranslated(Gpu, Count);
}

/// Each TU needs code for one of the targets that run on the device.
void BinaryVerifier::checkGpu(const std::string &Gpu) {
  const BuiltCode &Built = Binary.Ref->Built;
  std::map<std::string, std::vector<size_t>> Missing;
  bool AnyBuilt = false, AnyThere = false;
  size_t Translated = 0;
  for (size_t Index : Units) {
    const std::vector<std::string> *Targets = Built.targetsOf(Index);
    std::string Best;
    bool IsThere = false;
    for (const std::string &Target : targetsFor(Gpu)) {
      if (!Targets || !is_contained(*Targets, Target))
        continue;
      Best = Best.empty() ? Target : Best;
      IsThere |= Covered[Target].count(Index) != 0;
    }
    AnyBuilt |= !Best.empty();
    AnyThere |= IsThere;
    std::string Spirv(SpirvTarget);
    if (Best.empty() && Targets && is_contained(*Targets, Spirv)) {
      if (Covered[Spirv].count(Index))
        ++Translated;
      else
        Missing[Spirv].push_back(Index);
    } else if (Best.empty())
      Report.Notes.push_back(Object + ": " + nameOfUnit(Index) +
                             " was not compiled for " + Gpu);
    else if (!IsThere)
      Missing[Best].push_back(Index);
  }
  reportTranslated(Gpu, Translated);
  if (!AnyBuilt && Translated == 0 && Missing.empty())
    return problem("not built for " + Gpu + ", but for " +
                   join(Built.allTargets(), ", ") +
                   "; build it with --offload-arch=" + Gpu);
  for (const auto &[Target, Indices] : Missing)
    reportMissing(Target, Indices, AnyThere);
}

/// Checks that all code of the link is there.
void BinaryVerifier::checkBuilt() {
  const BuiltCode &Built = Binary.Ref->Built;
  std::vector<std::string> All = Built.allTargets();
  std::vector<std::string> Asked;
  for (const std::string &Target : All)
    if (Scope.isWhole() ||
        (!Scope.Arches.empty() && Scope.Arches.matches(Target)))
      Asked.push_back(Target);
  if (!Scope.Arches.empty() && Asked.empty())
    problem("not built for any of" + Twine(Scope.Arches.describe()) +
            ", but for " + join(All, ", ") + "; ask for one of these");
  for (const std::string &Target : Asked)
    checkTarget(Target);
  for (const std::string &Gpu : Scope.Gpus)
    checkGpu(Gpu);

  for (size_t Index : Units) {
    const std::vector<std::string> *Targets = Built.targetsOf(Index);
    std::string Not;
    for (const std::string &Target : Asked)
      if (!Targets || !is_contained(*Targets, Target))
        Not += " " + Target;
    if (!Not.empty())
      Report.Notes.push_back(Object + ": " + nameOfUnit(Index) +
                             " was not compiled for" + Not +
                             ", for which others were");
  }
}

/// Checks targets that a packager expects, since binaries of other linkers do
/// not list theirs.
void BinaryVerifier::checkExpected() {
  std::vector<std::string> Built = Binary.Ref->Built.allTargets();
  for (const std::string &Target : Scope.Expected) {
    bool IsJudged = is_contained(Built, Target) &&
                    (Scope.isWhole() || Scope.Arches.matches(Target));
    if (IsJudged || !Covered[Target].empty())
      continue;
    if (!Built.empty() && !is_contained(Built, Target)) {
      problem("not built for " + Target + ", which is expected, but for " +
              join(Built, ", ") + "; build it with --offload-arch=" + Target);
      continue;
    }
    std::vector<std::string> Places = getPlaces(Target);
    problem("no code for " + Target + ", which is expected" +
            (Places.empty() ? "" : ", looked for " + join(Places, ", ")) +
            "; put its archive there");
  }
}
