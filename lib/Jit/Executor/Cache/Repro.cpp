//===- Repro.cpp - scripts that repeat failed compiles --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands use placeholder paths, which no request has, for the script's
// folder and a temporary one. In the script they become shell variables, so
// that the folder works on another machine.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/Repro.h"

#include "Jit/Service/CompilePlan.h"
#include "Jit/Service/SourceText.h"
#include "Support/Files.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

/// Maximum size of a copied source in bytes.
static constexpr uint64_t MaxSource = 16 << 20;

/// Quotes \p Text for sh, with "$Variable" for each \p Mark in it.
static std::string word(const std::string &Text, const std::string &Mark,
                        const std::string &Variable) {
  std::string Word;
  for (size_t Offset = 0; Offset <= Text.size();) {
    size_t Next = std::min(Text.find(Mark, Offset), Text.size());
    if (Next != Offset)
      Word += shellQuoted({Text.substr(Offset, Next - Offset)});
    if (Next == Text.size())
      break;
    Word += "\"$" + Variable + "\"";
    Offset = Next + Mark.size();
  }
  return Word.empty() ? "''" : Word;
}

/// Placeholders for the script's folders, which no path of a request contains.
static const std::string Out = "/kpack-repro-out\n",
                         Here = "/kpack-repro-here\n";

static std::string getLine(const Arguments &Command) {
  std::string Line;
  for (const std::string &Argument : Command) {
    bool IsOut = Argument.find(Out) != std::string::npos;
    Line += (Line.empty() ? "" : " ") +
            word(Argument, IsOut ? Out : Here, IsOut ? "out" : "here");
  }
  return Line + "\n";
}

/// Returns the request of the script, for the stored source.
static CompileRequest keptRequest(const CompileRequest &Request,
                                  const std::string &SourceName) {
  if (Request.Text)
    return placedIn(Request, Out + "/text");
  CompileRequest Kept = Request;
  std::string Folder = Request.Source.substr(0, Request.Source.rfind('/') + 1);
  if (Kept.Directory.empty())
    Kept.Directory = Folder;
  Kept.Source = Here + "/" + SourceName;
  // Headers beside the original source are found as before.
  Kept.Flags.push_back("-iquote");
  Kept.Flags.push_back(Folder);
  return Kept;
}

/// Returns commands that copy the files of a text to their folder.
static std::string layOut(const CompileRequest &Request,
                          const std::string &SourceName) {
  std::string Lines;
  size_t Index = 0;
  for (const MemoryFile &File : filesOfText(Request)) {
    std::string Kept =
        Index == 0 ? SourceName : "header-" + std::to_string(Index);
    std::string Place = Out + "/text/" + File.Name;
    Lines += getLine({"mkdir", "-p", getFolder(Place)}) +
             getLine({"cp", Here + "/" + Kept, Place});
    ++Index;
  }
  return Lines;
}

std::string jit::reproScript(const CompileRequest &Request,
                             const std::string &SourceName) {
  CompileRequest Kept = keptRequest(Request, SourceName);
  std::string Script =
      "#!/bin/sh\n"
      "# Runs the compile again. What was said, if it failed: said.txt.\n"
      "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit\n"
      "out=$(mktemp -d) || exit\n"
      "trap 'rm -rf \"$out\"' EXIT\n"
      "set -e\n";
  if (Request.Text)
    Script += layOut(Request, SourceName);
  Script += "cd " +
            word(Kept.Directory, Request.Text ? Out : Here,
                 Request.Text ? "out" : "here") +
            "\n";
  for (const Arguments &Command : compileCommands(Kept, Out))
    Script += getLine(Command);
  return Script;
}

std::vector<std::pair<std::string, std::string>>
jit::reproFiles(const CompileRequest &Request) {
  std::string Base = Request.Source.substr(Request.Source.rfind('/') + 1);
  std::string Name = "source-" + Base;
  std::vector<std::pair<std::string, std::string>> Files = {
      {Name, Request.Text ? wholeText(Request)
                          : readContent(Request.Source, MaxSource)},
      {"repro.sh", reproScript(Request, Name)}};
  if (Request.Text)
    for (size_t I = 0; I < Request.Text->Headers.size(); ++I)
      Files.emplace_back("header-" + std::to_string(I + 1),
                         Request.Text->Headers[I].Text);
  return Files;
}

Status jit::withRepro(Cache &Where, const Digest &Id,
                      const CompileRequest &Request, Status Failure) {
  if (Failure.code() != StatusCode::InvalidArgument &&
      Failure.detail() != Errc::CompilerCrashed &&
      Failure.detail() != Errc::CompileTimeout)
    return Failure;
  std::vector<std::pair<std::string, std::string>> Files = reproFiles(Request);
  Files.emplace_back("said.txt", Failure.message() + "\n");
  std::string Folder = Where.keepFailure(Id, Files);
  if (Folder.empty())
    return Failure;
  return Status(Failure.code(),
                Failure.message() + "\n  again: sh " +
                    shellQuoted({Folder + "/repro.sh"}),
                Failure.detail());
}
