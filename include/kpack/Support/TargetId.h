//===- kpack/Support/TargetId.h - AMDGPU target ids -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Target ids ("gfx90a:sramecc+:xnack-"), the devices that can run each of them,
// and LLVM's generic targets as a table (AMDGPUUsage, "Generic processor"):
// prefixes do not work, gfx942 belongs to gfx9-4-generic, not to gfx9-generic.
// Used by the runtime, the HIP shim and the tools. No LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_TARGETID_H
#define KPACK_SUPPORT_TARGETID_H

#include <string>
#include <string_view>
#include <vector>

namespace kpack {

/// Removes the text before the processor in the names of HIP, HSA and offload
/// bundles: "amdgcn-amd-amdhsa--gfx90a:xnack+" -> "gfx90a:xnack+".
std::string_view stripTargetTriple(std::string_view Name);

/// True for a well-formed target id: a processor "gfx" + [0-9a-z-]+ and
/// features "name+"/"name-" after colons, each name once.
bool isValidTargetId(std::string_view Id);

/// True for a target of NVIDIA GPUs: "sm_90", "sm_90a".
bool isPtxTarget(std::string_view Id);

/// The target of SPIR-V. A HIP runtime that supports it translates it for its
/// GPU, and looks it up by this name.
inline constexpr std::string_view SpirvTarget = "amdgcnspirv";

/// True for a target of code objects in archives: a target id or SpirvTarget.
bool isCodeTarget(std::string_view Id);

/// Returns \p Name without the text before the processor, and with its features
/// in the order of their names, as compilers write it; the result is equal for
/// all names of one target. Returns a name that is no target id unchanged.
std::string canonicalTarget(std::string_view Name);

/// The meaning of a feature that a GPU's name does not mention: a runtime names
/// all features of the GPU, a person may omit some.
enum class UnsaidFeature { IsNotThere, MayBeAnything };

/// Returns how well code for \p Target serves \p Gpu; 0 if it does not run.
/// Code for the processor is better than generic code, and code for more named
/// features is better. Both names may have a triple, and features in any order.
/// This function is the only definition of compatibility: the lists below are
/// the answers that a loader can look up.
unsigned targetFitness(std::string_view Target, std::string_view Gpu,
                       UnsaidFeature Unsaid = UnsaidFeature::IsNotThere);

enum class CodeUse {
  None,
  ByTranslation, ///< the runtime translates it first
  Runs,
};

/// Returns how \p Gpu can use code for \p Target, for all questions whether
/// there is code for a GPU. Only SPIR-V is for every GPU, and runs on none
/// directly.
CodeUse codeUse(std::string_view Target, std::string_view Gpu,
                UnsaidFeature Unsaid = UnsaidFeature::IsNotThere);

/// Returns \p Id as a part of file names, "gfx90a-xnack+" for "gfx90a:xnack+":
/// a colon separates the entries of ROCM_KPACK_PATH.
inline std::string targetFileName(std::string_view Id) {
  std::string Name(Id);
  for (char &C : Name)
    if (C == ':')
      C = '-';
  return Name;
}

/// Returns the target id in \p Text, with colons or in the form of
/// targetFileName(); empty if it is none.
std::string targetOfFileName(std::string_view Text);

/// Returns the generic target that covers \p Processor ("gfx1100" ->
/// "gfx11-generic"), or empty.
std::string_view genericTargetOf(std::string_view Processor);

/// Returns target ids whose code objects may serve \p Device, best first: all
/// subsets of its features in their order, from all down to none (the shipped
/// loader's rule). Without the generic targets.
std::vector<std::string> exactCandidates(std::string_view Device);

/// The same for the device's generic target; empty if it has none.
std::vector<std::string> genericCandidates(std::string_view Device);

} // namespace kpack

#endif // KPACK_SUPPORT_TARGETID_H
