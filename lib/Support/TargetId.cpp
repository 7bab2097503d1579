//===- TargetId.cpp - AMDGPU target ids -----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the target ids that may serve a device. Generic targets are a table
// because names mislead: gfx9-generic does not cover gfx942, no generic target
// covers gfx90a and gfx908, and gfx1250 never serves "gfx1250-strict" (a
// separate processor name, so exact comparison suffices).
//
//===----------------------------------------------------------------------===//

#include "kpack/Support/TargetId.h"

#include <algorithm>

using namespace kpack;

namespace {

struct GenericTarget {
  std::string_view Processor;
  std::string_view Generic;
};

// LLVM's AMDGPUUsage, section "Generic processors". LLVM has gfx940 and gfx941
// up to release 19.
constexpr GenericTarget GenericTargets[] = {
    {"gfx900", "gfx9-generic"},     {"gfx902", "gfx9-generic"},
    {"gfx904", "gfx9-generic"},     {"gfx906", "gfx9-generic"},
    {"gfx909", "gfx9-generic"},     {"gfx90c", "gfx9-generic"},
    {"gfx940", "gfx9-4-generic"},   {"gfx941", "gfx9-4-generic"},
    {"gfx942", "gfx9-4-generic"},   {"gfx950", "gfx9-4-generic"},
    {"gfx1010", "gfx10-1-generic"}, {"gfx1011", "gfx10-1-generic"},
    {"gfx1012", "gfx10-1-generic"}, {"gfx1013", "gfx10-1-generic"},
    {"gfx1030", "gfx10-3-generic"}, {"gfx1031", "gfx10-3-generic"},
    {"gfx1032", "gfx10-3-generic"}, {"gfx1033", "gfx10-3-generic"},
    {"gfx1034", "gfx10-3-generic"}, {"gfx1035", "gfx10-3-generic"},
    {"gfx1036", "gfx10-3-generic"}, {"gfx1100", "gfx11-generic"},
    {"gfx1101", "gfx11-generic"},   {"gfx1102", "gfx11-generic"},
    {"gfx1103", "gfx11-generic"},   {"gfx1150", "gfx11-generic"},
    {"gfx1151", "gfx11-generic"},   {"gfx1152", "gfx11-generic"},
    {"gfx1153", "gfx11-generic"},   {"gfx1200", "gfx12-generic"},
    {"gfx1201", "gfx12-generic"},
};

bool isLowerOrDigit(char C) {
  return (C >= 'a' && C <= 'z') || (C >= '0' && C <= '9');
}

/// Returns the parts between colons: the processor, then features.
std::vector<std::string_view> splitAtColons(std::string_view Id) {
  std::vector<std::string_view> Parts;
  for (;;) {
    size_t Colon = Id.find(':');
    Parts.push_back(Id.substr(0, Colon));
    if (Colon == std::string_view::npos)
      return Parts;
    Id.remove_prefix(Colon + 1);
  }
}

bool isFeature(std::string_view Feature) {
  return Feature.size() > 1 &&
         (Feature.back() == '+' || Feature.back() == '-') &&
         std::all_of(Feature.begin(), Feature.end() - 1, isLowerOrDigit);
}

std::string_view featureName(std::string_view Feature) {
  return Feature.substr(0, Feature.size() - 1);
}

/// Returns \p Processor with every subset of \p Features, the largest first;
/// among equal ones, those first that keep the features on the left.
std::vector<std::string>
withSubsets(std::string_view Processor,
            const std::vector<std::string_view> &Features) {
  size_t N = Features.size();
  std::vector<std::string> Ids;
  for (unsigned Mask = 1u << N; Mask-- != 0;) {
    std::string Id(Processor);
    for (size_t I = 0; I != N; ++I)
      if (Mask & (1u << (N - 1 - I)))
        Id.append(":").append(Features[I]);
    Ids.push_back(std::move(Id));
  }
  return Ids;
}

/// Returns subsets of the features in \p Device. Real devices have at most two;
/// further ones of an absurd name are ignored.
std::vector<std::string> candidates(std::string_view Device,
                                    std::string_view Processor) {
  constexpr size_t MaxFeatures = 8;
  std::vector<std::string_view> Features = splitAtColons(Device);
  Features.erase(Features.begin());
  Features.erase(std::remove(Features.begin(), Features.end(), ""),
                 Features.end());
  if (Features.size() > MaxFeatures)
    Features.resize(MaxFeatures);
  return withSubsets(Processor, Features);
}

} // namespace

std::string_view kpack::stripTargetTriple(std::string_view Name) {
  // <kind>-amdgcn-amd-amdhsa-<environment>-<processor>; kind and environment
  // may be missing, but not the environment's dash.
  constexpr std::string_view Os = "-amdhsa-";
  size_t Offset = Name.find(Os);
  if (Offset == std::string_view::npos)
    return Name;
  std::string_view Rest = Name.substr(Offset + Os.size());
  size_t Dash = Rest.find('-');
  if (Dash == std::string_view::npos)
    return Name;
  return Rest.substr(Dash + 1);
}

bool kpack::isValidTargetId(std::string_view Id) {
  std::vector<std::string_view> Parts = splitAtColons(Id);
  std::string_view Processor = Parts.front();
  if (Processor.size() < 4 || Processor.substr(0, 3) != "gfx" ||
      Processor.back() == '-')
    return false;
  for (char C : Processor)
    if (!isLowerOrDigit(C) && C != '-')
      return false;
  for (size_t I = 1; I != Parts.size(); ++I) {
    if (!isFeature(Parts[I]))
      return false;
    for (size_t J = 1; J != I; ++J)
      if (featureName(Parts[I]) == featureName(Parts[J]))
        return false;
  }
  return true;
}

bool kpack::isPtxTarget(std::string_view Id) {
  if (Id.substr(0, 3) != "sm_")
    return false;
  Id.remove_prefix(3);
  if (!Id.empty() && (Id.back() == 'a' || Id.back() == 'f'))
    Id.remove_suffix(1);
  return Id.size() >= 2 && Id.size() <= 3 &&
         std::all_of(Id.begin(), Id.end(),
                     [](char C) { return C >= '0' && C <= '9'; });
}

bool kpack::isCodeTarget(std::string_view Id) {
  return Id == SpirvTarget || isValidTargetId(Id);
}

std::string kpack::canonicalTarget(std::string_view Name) {
  std::string_view Id = stripTargetTriple(Name);
  if (!isValidTargetId(Id))
    return std::string(Id);
  std::vector<std::string_view> Parts = splitAtColons(Id);
  std::sort(Parts.begin() + 1, Parts.end());
  std::string Canonical(Parts.front());
  for (size_t I = 1; I != Parts.size(); ++I)
    Canonical.append(":").append(Parts[I]);
  return Canonical;
}

unsigned kpack::targetFitness(std::string_view Target, std::string_view Gpu,
                              UnsaidFeature Unsaid) {
  std::vector<std::string_view> Built =
      splitAtColons(stripTargetTriple(Target));
  std::vector<std::string_view> Device = splitAtColons(stripTargetTriple(Gpu));
  bool IsOwn = Built.front() == Device.front();
  if (Built.front().empty() ||
      (!IsOwn && genericTargetOf(Device.front()) != Built.front()))
    return 0;
  for (size_t I = 1; I != Built.size(); ++I) {
    auto Found = std::find_if(
        Device.begin() + 1, Device.end(), [&](std::string_view Feature) {
          return isFeature(Feature) && isFeature(Built[I]) &&
                 featureName(Feature) == featureName(Built[I]);
        });
    bool Fits = Found == Device.end() ? Unsaid == UnsaidFeature::MayBeAnything
                                      : *Found == Built[I];
    if (!Fits)
      return 0;
  }
  return (IsOwn ? 1000 : 1) + unsigned(Built.size() - 1);
}

CodeUse kpack::codeUse(std::string_view Target, std::string_view Gpu,
                       UnsaidFeature Unsaid) {
  if (stripTargetTriple(Target) == SpirvTarget)
    return CodeUse::ByTranslation;
  return targetFitness(Target, Gpu, Unsaid) != 0 ? CodeUse::Runs
                                                 : CodeUse::None;
}

std::string kpack::targetOfFileName(std::string_view Text) {
  // A feature ends in its sign and a processor does not. So the text between a
  // sign and the last dash before it is a feature.
  std::string Id(Text);
  for (size_t End = Id.size();
       End > 1 && (Id[End - 1] == '+' || Id[End - 1] == '-');) {
    size_t Start = Id.find_last_of(":-", End - 2);
    if (Start == std::string::npos)
      break;
    Id[Start] = ':';
    End = Start;
  }
  return isCodeTarget(Id) ? Id : std::string();
}

std::string_view kpack::genericTargetOf(std::string_view Processor) {
  for (const GenericTarget &T : GenericTargets)
    if (T.Processor == Processor)
      return T.Generic;
  return {};
}

std::vector<std::string> kpack::exactCandidates(std::string_view Device) {
  Device = stripTargetTriple(Device);
  return candidates(Device, splitAtColons(Device).front());
}

std::vector<std::string> kpack::genericCandidates(std::string_view Device) {
  Device = stripTargetTriple(Device);
  std::string_view Generic = genericTargetOf(splitAtColons(Device).front());
  if (Generic.empty())
    return {};
  return candidates(Device, Generic);
}
