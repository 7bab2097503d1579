//===- Request.cpp - a blob as a compile ----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// "{root}" is replaced first, then the build's flags are sorted into those of
// the compile, of the link, and targets. The target "native" is dropped, for it
// meant the GPU of the machine that built the library.
//
// A target is chosen by points: the GPU's own processor counts more than any
// number of features, and each feature that the build names counts one. For the
// GPU gfx90a:sramecc+:xnack-, code for gfx90a:xnack- is better than code for
// gfx90a. Two that are equally good are an error and not a guess: of
// gfx90a:xnack+ and gfx90a:xnack- a plain gfx90a says nothing.
//
// Only absolute folders of a search path count, so that the compiler does not
// depend on the folder in which the program was started.
//
//===----------------------------------------------------------------------===//
#include "kpack/CkJit/Runtime/Request.h"

#include "Texts.h"

#include "kpack/Support/SecureMode.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

static std::string rooted(std::string Text, const std::string &Root) {
  static constexpr std::string_view Mark = "{root}";
  for (size_t At = 0; (At = Text.find(Mark, At)) != std::string::npos;
       At += Root.size())
    Text.replace(At, Mark.size(), Root);
  return Text;
}

static std::string absolute(const std::string &Path, const std::string &Root) {
  std::string Text = rooted(Path, Root);
  return Text.empty() || Text[0] == '/' ? Text : Root + "/" + Text;
}

Result<BlobRequest> ckjit::requestOf(const BlobRecord &Blob,
                                     const RequestContext &Context) {
  BlobRequest New;
  jit::CompileRequest &R = New.Compile;
  R.Name = Blob.Stem;
  R.Compiler = Context.Compiler;
  R.Source = absolute(Blob.Source, Context.Root);
  if (::access(R.Source.c_str(), R_OK) != 0)
    return Status(StatusCode::FileNotFound,
                  R.Source + ": cannot be read: " + std::strerror(errno) +
                      adviceOf("; set CK_JIT_ROOT to the folder with the "
                               "sources",
                               "; install the library with its sources"));
  R.Directory = absolute(Blob.Directory, Context.Root);
  std::vector<std::string> Flags;
  for (const std::string &Flag : Blob.Flags)
    Flags.push_back(rooted(Flag, Context.Root));
  jit::SplitFlags Split = jit::splitFlags(Flags, R.Source, R.Directory);
  R.Lang = Split.Lang;
  R.Flags = std::move(Split.Compile);
  R.LinkFlags = std::move(Split.Link);
  for (const std::string &Flag : Context.LinkFlags)
    R.LinkFlags.push_back(rooted(Flag, Context.Root));
  for (const std::string &List : Split.Targets)
    for (std::string &Target : splitAt(List, ','))
      // "native" was the GPU of the build; here it is the one of this machine.
      if (Target != "native")
        New.BuiltFor.push_back(std::move(Target));
  return New;
}

namespace {

/// A target id taken apart: "gfx90a:sramecc+:xnack-".
struct TargetParts {
  explicit TargetParts(const std::string &Id) {
    std::vector<std::string> Parts = splitAt(Id, ':');
    for (size_t I = 1; I < Parts.size(); ++I)
      Features[Parts[I].substr(0, Parts[I].size() - 1)] = Parts[I].back();
    if (!Parts.empty())
      Processor = Parts.front();
  }

  std::string Processor;
  std::map<std::string, char> Features;
};

/// How well code for \p Built serves \p Device; 0: not at all. The processor's
/// own code is better than generic one, and more features said are better.
unsigned fitness(const TargetParts &Built, const TargetParts &Device) {
  bool IsOwn = Built.Processor == Device.Processor;
  if (!IsOwn && genericTargetOf(Device.Processor) != Built.Processor)
    return 0;
  for (const auto &[Name, Sign] : Built.Features) {
    auto Found = Device.Features.find(Name);
    if (Found != Device.Features.end() && Found->second != Sign)
      return 0;
  }
  return (IsOwn ? 1000 : 1) + unsigned(Built.Features.size());
}

} // namespace

Result<std::string>
ckjit::chooseTarget(const std::vector<std::string> &BuiltFor,
                    const std::string &Device) {
  if (!isValidTargetId(Device))
    return Status(StatusCode::ArchNotFound,
                  "'" + Device +
                      "' is no target id; write one like "
                      "gfx90a:sramecc+:xnack-");
  if (BuiltFor.empty())
    return Device;
  TargetParts Wanted(Device);
  std::vector<std::string> Best;
  unsigned Most = 1;
  for (const std::string &Built : BuiltFor) {
    unsigned Fit = fitness(TargetParts(Built), Wanted);
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

Result<std::string> ckjit::findCompiler(const std::string &Wanted,
                                        const std::string &RocmPath,
                                        const std::string &SearchPath) {
  if (!Wanted.empty() && Wanted[0] == '/')
    return Wanted;
  std::vector<std::string> Candidates;
  if (Wanted.empty())
    for (const std::string &Rocm : {RocmPath, std::string("/opt/rocm")})
      if (!Rocm.empty())
        Candidates.push_back(Rocm + "/llvm/bin/clang++");
  std::string Program = Wanted.empty() ? "clang++" : Wanted;
  for (const std::string &Folder : splitAt(SearchPath, ':'))
    Candidates.push_back(Folder + "/" + Program);
  for (const std::string &Path : Candidates)
    if (Path[0] == '/' && ::access(Path.c_str(), X_OK) == 0)
      return Path;
  return Status(StatusCode::FileNotFound,
                Program + ": not found; " +
                    adviceOf("name the compiler with CK_JIT_COMPILER",
                             "install it where the library's build had it"));
}
