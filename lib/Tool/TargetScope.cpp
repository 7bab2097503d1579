//===- TargetScope.cpp - targets by --arch= and --gpu= --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are compared with globs; devices by the code that runs on them.
//
//===----------------------------------------------------------------------===//
#include "Tool/TargetScope.h"
#include "Tool/Command.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Session.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/TargetParser.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;
using namespace llvm::opt;

std::vector<std::string> tool::targetsFor(StringRef Gpu) {
  std::vector<std::string> All = exactCandidates(std::string_view(Gpu));
  llvm::append_range(All, genericCandidates(std::string_view(Gpu)));
  return All;
}

static std::string translatedCode(StringRef Gpu) {
  return ("code for " + Gpu + " only by translation of SPIR-V (" +
          StringRef(SpirvTarget) + "), which not every HIP runtime does")
      .str();
}

std::string tool::onlyByTranslation(StringRef Gpu, size_t Count, size_t All) {
  std::string Who = "has ";
  if (Count < All)
    Who += std::to_string(Count) + " of " + counted(All, "wrapper") + " with ";
  return Who + translatedCode(Gpu);
}

std::vector<std::string>
tool::translationNotes(const TargetScope &Scope,
                       const std::set<std::string> &Targets) {
  std::vector<std::string> Notes;
  for (const std::string &Gpu : Scope.Gpus) {
    CodeUse Best = CodeUse::None;
    for (const std::string &Target : Targets)
      Best = std::max(Best, codeUse(Target, Gpu));
    if (Best == CodeUse::ByTranslation)
      Notes.push_back("--gpu=" + Gpu + ": there is " + translatedCode(Gpu));
  }
  return Notes;
}

bool TargetScope::wants(StringRef Arch) const {
  return isWhole() || (!Arches.empty() && Arches.matches(Arch)) ||
         any_of(Gpus, [&](const std::string &Gpu) {
           return codeUse(std::string_view(Arch), Gpu) != CodeUse::None;
         });
}

std::string TargetScope::describe() const {
  std::string Text = Arches.describe();
  for (const std::string &Gpu : Gpus)
    Text += " --gpu=" + Gpu;
  return Text;
}

Expected<std::vector<std::string>> tool::parseDevices(StringRef List) {
  std::vector<std::string> Devices;
  for (StringRef Name : split(List, ',')) {
    std::string Gpu = canonicalTarget(std::string_view(Name));
    if (!isValidTargetId(Gpu))
      return objectError(("--gpu=" + List).str(),
                         "'" + Name +
                             "' is no device; give names such as gfx90a or "
                             "gfx90a:sramecc+:xnack-");
    Devices.push_back(std::move(Gpu));
  }
  return Devices;
}

bool tool::isKnownGpu(StringRef Target) {
  StringRef Processor = stripTargetTriple(std::string_view(Target));
  return AMDGPU::parseArchAMDGCN(Processor.split(':').first) != AMDGPU::GK_NONE;
}

std::string tool::unknownGpu() {
  return "no GPU that LLVM " LLVM_VERSION_STRING " knows";
}

std::vector<std::string> tool::unknownGpuNotes(StringRef Option,
                                               ArrayRef<std::string> Names) {
  std::vector<std::string> Notes;
  for (const std::string &Name : Names)
    if (!isKnownGpu(Name) && Name != SpirvTarget)
      Notes.push_back(
          (Option + Name + ": " + unknownGpu() + "; it is newer, or mistyped")
              .str());
  return Notes;
}

Error tool::checkDevices(const TargetScope &Scope,
                         const std::set<std::string> &Targets) {
  for (const std::string &Gpu : Scope.Gpus) {
    bool HasCode = any_of(Targets, [&](const std::string &Target) {
      return codeUse(Target, Gpu) == CodeUse::Runs;
    });
    if (!HasCode && !isKnownGpu(Gpu))
      return objectError(
          "--gpu=" + Gpu,
          unknownGpu() + ", and no code is for it; " +
              (Targets.empty() ? "give another"
                               : "there is code for " + join(Targets, ", ")));
  }
  return Error::success();
}

Expected<TargetScope> tool::parseTargetScope(const InputArgList &Args) {
  TargetScope Scope;
  if (Error E = GlobList::createFromLists(
                    "--arch=", Args.getAllArgValues(OPT_arch_EQ), "target ids")
                    .moveInto(Scope.Arches))
    return std::move(E);
  for (const std::string &List : Args.getAllArgValues(OPT_gpu_EQ)) {
    Expected<std::vector<std::string>> Devices = parseDevices(List);
    if (!Devices)
      return Devices.takeError();
    append_range(Scope.Gpus, *Devices);
  }
  return Scope;
}
