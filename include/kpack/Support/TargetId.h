//===- kpack/Support/TargetId.h - AMDGPU target ids -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Target ids ("gfx90a:sramecc+:xnack-"), which of them may run on which
// device, and LLVM's generic targets as a table (AMDGPUUsage, "Generic
// processor"): prefixes lie, gfx942 belongs to gfx9-4-generic, not to
// gfx9-generic. Used by the runtime, the HIP shim and the tools. No LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_TARGETID_H
#define KPACK_SUPPORT_TARGETID_H

#include <string>
#include <string_view>
#include <vector>

namespace kpack {

/// Removes what stands before the processor in the names that HIP, HSA and
/// offload bundles use: "amdgcn-amd-amdhsa--gfx90a:xnack+" -> "gfx90a:xnack+".
std::string_view stripTargetTriple(std::string_view Name);

/// True for a well-formed target id: a processor "gfx" + [0-9a-z-]+ and
/// features "name+"/"name-" after colons, each name once.
bool isValidTargetId(std::string_view Id);

/// True for what code for GPUs of NVIDIA is compiled for: "sm_90", "sm_90a".
bool isPtxTarget(std::string_view Id);

/// The target of SPIR-V: a HIP runtime that knows it translates it for whatever
/// GPU it has, and asks for it by this name.
inline constexpr std::string_view SpirvTarget = "amdgcnspirv";

/// True for what a code object in an archive may be for: a target id or
/// SpirvTarget.
bool isCodeTarget(std::string_view Id);

/// \p Name without what stands before the processor, and its features in the
/// order of their names, which is the compilers' own: what two names of one
/// target have in common. What is no target id comes back as it is.
std::string canonicalTarget(std::string_view Name);

/// What a GPU's name means that does not mention a feature: a runtime names
/// all that the GPU has, a person may have left them out.
enum class UnsaidFeature { IsNotThere, MayBeAnything };

/// How well code for \p Target serves \p Gpu; 0: not at all. The processor's
/// own code is better than generic code, and more features said are better.
/// Both may have a triple in front, features are in any order. The one rule of
/// what runs on what: the lists below are those of its answers that a loader
/// can look up.
unsigned targetFitness(std::string_view Target, std::string_view Gpu,
                       UnsaidFeature Unsaid = UnsaidFeature::IsNotThere);

enum class CodeUse {
  None,
  ByTranslation, ///< where the runtime translates it first
  Runs,
};

/// What code for \p Target is to \p Gpu: the answer to "is there code for this
/// GPU", for all that ask. SPIR-V alone is for every GPU, and runs on none.
CodeUse codeUse(std::string_view Target, std::string_view Gpu,
                UnsaidFeature Unsaid = UnsaidFeature::IsNotThere);

/// \p Id as a part of file names, "gfx90a-xnack+" for "gfx90a:xnack+": a colon
/// separates the entries of ROCM_KPACK_PATH.
inline std::string targetFileName(std::string_view Id) {
  std::string Name(Id);
  for (char &C : Name)
    if (C == ':')
      C = '-';
  return Name;
}

/// The target id that \p Text spells, with colons or as targetFileName() does;
/// empty when it is none.
std::string targetOfFileName(std::string_view Text);

/// The generic target that covers \p Processor ("gfx1100" ->
/// "gfx11-generic"), or empty.
std::string_view genericTargetOf(std::string_view Processor);

/// Target ids whose code objects may serve \p Device, best first: all subsets
/// of its features in their order, from all down to none (the shipped
/// loader's rule). Without the generic targets.
std::vector<std::string> exactCandidates(std::string_view Device);

/// The same for the device's generic target; empty when it has none.
std::vector<std::string> genericCandidates(std::string_view Device);

} // namespace kpack

#endif // KPACK_SUPPORT_TARGETID_H
