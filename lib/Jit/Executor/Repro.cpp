//===- Repro.cpp - a failed compile, to be run again ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands are made for places that no path of a request has, which stand
// for the script's own folder and for a temporary one: in the script they
// become shell variables, so that the folder can be sent to somebody else.
//
//===----------------------------------------------------------------------===//
#include "Repro.h"

#include "kpack/Jit/Service/CompilePlan.h"
#include "kpack/Support/Files.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

/// Bytes of a source that are copied.
static constexpr uint64_t MaxSource = 16 << 20;

/// \p Text for sh, with the script's own variable for each \p Mark in it.
static std::string word(const std::string &Text, const std::string &Mark,
                        const std::string &Variable) {
  std::string Word;
  for (size_t At = 0; At <= Text.size();) {
    size_t Next = std::min(Text.find(Mark, At), Text.size());
    if (Next != At)
      Word += shellQuoted({Text.substr(At, Next - At)});
    if (Next == Text.size())
      break;
    Word += "\"$" + Variable + "\"";
    At = Next + Mark.size();
  }
  return Word.empty() ? "''" : Word;
}

std::string jit::reproScript(const CompileRequest &Request,
                             const std::string &SourceName) {
  // Names that no path of a request has.
  std::string Out = "/kpack-repro-out\n", Here = "/kpack-repro-here\n";
  CompileRequest Copy = Request;
  std::string Folder = Request.Source.substr(0, Request.Source.rfind('/') + 1);
  if (Copy.Directory.empty())
    Copy.Directory = Folder;
  Copy.Source = Here + "/" + SourceName;
  // Headers beside the source are found as from its place.
  Copy.Flags.push_back("-iquote");
  Copy.Flags.push_back(Folder);
  std::string Script =
      "#!/bin/sh\n"
      "# Runs the compile again that failed. What was said: said.txt.\n"
      "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit\n"
      "out=$(mktemp -d) || exit\n"
      "trap 'rm -rf \"$out\"' EXIT\n"
      "set -e\n"
      "cd " +
      word(Copy.Directory, Here, "here") + "\n";
  for (const Arguments &Command : compileCommands(Copy, Out)) {
    std::string Line;
    for (const std::string &Argument : Command) {
      bool IsOut = Argument.find(Out) != std::string::npos;
      Line += (Line.empty() ? "" : " ") +
              word(Argument, IsOut ? Out : Here, IsOut ? "out" : "here");
    }
    Script += Line + "\n";
  }
  return Script;
}

Status jit::withRepro(Cache &Where, const Digest &Id,
                      const CompileRequest &Request, Status Failure) {
  if (Failure.code() != StatusCode::InvalidArgument)
    return Failure;
  std::string Base = Request.Source.substr(Request.Source.rfind('/') + 1);
  std::string Name = "source-" + Base;
  std::string Folder =
      Where.keepFailure(Id, {{Name, contentOf(Request.Source, MaxSource)},
                             {"said.txt", Failure.message() + "\n"},
                             {"repro.sh", reproScript(Request, Name)}});
  if (Folder.empty())
    return Failure;
  return Status(Failure.code(), Failure.message() + "\n  again: sh " +
                                    shellQuoted({Folder + "/repro.sh"}));
}
