//===- BlobRequest.cpp - compile request of a manifest entry --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces "{root}" first, then sorts the build's flags into those of the
// compile, those of the link, and targets. The target "native" is dropped: it
// meant the GPU of the build machine.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Runtime/BlobRequest.h"

#include "Support/SecureMode.h"
#include "Support/Texts.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

static std::string rooted(std::string Text, const std::string &Root) {
  static constexpr std::string_view Mark = "{root}";
  for (size_t Offset = 0;
       (Offset = Text.find(Mark, Offset)) != std::string::npos;
       Offset += Root.size())
    Text.replace(Offset, Mark.size(), Root);
  return Text;
}

static std::string absolute(const std::string &Path, const std::string &Root) {
  std::string Text = rooted(Path, Root);
  return Text.empty() || Text[0] == '/' ? Text : Root + "/" + Text;
}

Result<BlobRequest> ckjit::makeRequest(const BlobRecord &Blob,
                                       const RequestContext &Context) {
  BlobRequest New;
  jit::CompileRequest &R = New.Compile;
  R.Name = Blob.Stem;
  R.Compiler = Context.Compiler;
  R.Source = absolute(Blob.Source, Context.Root);
  if (::access(R.Source.c_str(), R_OK) != 0)
    return Status(StatusCode::FileNotFound,
                  R.Source + ": cannot be read: " + std::strerror(errno) +
                      makeAdvice("; set CK_JIT_ROOT to the folder with the "
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
      // "native" meant the build's GPU; here it would mean this machine's.
      if (Target != "native")
        New.BuiltFor.push_back(std::move(Target));
  return New;
}
