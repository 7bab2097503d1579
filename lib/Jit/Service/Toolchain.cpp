//===- Toolchain.cpp - choice of compiler and GPU target ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Targets are selected by points: the GPU's exact processor counts more than
// any number of features, and each feature of the build's target counts one.
// For the GPU gfx90a:sramecc+:xnack-, code for gfx90a:xnack- is better than
// code for gfx90a. A tie is an error: a plain gfx90a does not choose between
// gfx90a:xnack+ and gfx90a:xnack-.
//
// Only absolute folders of a search path count, so that the compiler does not
// depend on the program's working directory.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/Toolchain.h"

#include "Support/SecureMode.h"
#include "Support/Texts.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Versions of clang to search for, and the oldest one that accepts our HIP
/// command lines.
static constexpr int NewestClang = 24, OldestClang = 19;

Result<std::string> jit::chooseTarget(const std::vector<std::string> &BuiltFor,
                                      const std::string &Device) {
  if (!isValidTargetId(Device))
    return Status(StatusCode::ArchNotFound,
                  "'" + Device +
                      "' is no target id; write one like "
                      "gfx90a:sramecc+:xnack-");
  if (BuiltFor.empty())
    return Device;
  std::vector<std::string> Best;
  unsigned Most = 1;
  for (const std::string &Built : BuiltFor) {
    // The user may omit a device's features.
    unsigned Fit = targetFitness(Built, Device, UnsaidFeature::MayBeAnything);
    if (Fit > Most)
      Best.clear();
    Most = std::max(Most, Fit);
    if (Fit == Most && std::find(Best.begin(), Best.end(), Built) == Best.end())
      Best.push_back(Built);
  }
  if (Best.empty())
    return Status(StatusCode::ArchNotFound, "the library is built for " +
                                                joined(BuiltFor) +
                                                ", the GPU is " + Device);
  if (Best.size() > 1)
    return Status(StatusCode::ArchNotFound,
                  "the library is built for " + joined(Best) +
                      ", and which of them is wanted '" + Device +
                      "' does not say; name the features too");
  return Best.front();
}

/// Returns names of a clang++, best first.
static std::vector<std::string> namesOf(const CompilerSearch &Search) {
  if (!Search.Wanted.empty())
    return {Search.Wanted};
  std::vector<std::string> Names{"clang++"};
  for (int V = NewestClang; Search.WithVersions && V >= OldestClang; --V)
    Names.push_back("clang++-" + std::to_string(V));
  return Names;
}

/// Returns true if the real name of \p Path is that of an old clang, such as
/// Debian's /usr/lib/llvm-14/bin/clang. Runs nothing.
static bool isOld(const std::string &Path) {
  std::error_code Ignored;
  std::string Real = std::filesystem::canonical(Path, Ignored).string();
  for (std::string_view Mark : {"/llvm-", "/clang-"}) {
    size_t Offset = Real.rfind(Mark);
    int Version = 0;
    if (Offset != std::string::npos)
      Version = std::atoi(Real.c_str() + Offset + Mark.size());
    if (Version > 0)
      return Version < OldestClang;
  }
  return false;
}

Result<std::string> jit::findCompiler(const CompilerSearch &Search) {
  const std::string &Wanted = Search.Wanted;
  if (!Wanted.empty() && Wanted[0] == '/')
    return Wanted;
  std::vector<std::string> Candidates;
  if (Wanted.empty())
    for (const std::string &Rocm : {Search.RocmPath, std::string("/opt/rocm")})
      if (!Rocm.empty())
        Candidates.push_back(Rocm + "/llvm/bin/clang++");
  for (const std::string &Name : namesOf(Search))
    for (const std::string &Folder : splitAt(Search.SearchPath, ':'))
      Candidates.push_back(Folder + "/" + Name);
  std::string Old;
  for (const std::string &Path : Candidates) {
    if (Path[0] != '/' || ::access(Path.c_str(), X_OK) != 0)
      continue;
    if (!Search.WithVersions || !isOld(Path))
      return Path;
    if (Old.empty())
      Old = Path;
  }
  if (!Old.empty())
    return Old;
  std::string Advice = std::string("name the compiler with ") + Search.Variable;
  return Status(StatusCode::FileNotFound,
                namesOf(Search).front() + ": not found; " +
                    makeAdvice(Advice.c_str(),
                               "install it where the library's build had it"));
}
