//===- Failures.cpp - compiles that failed, to be run again ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Failures.h. Folders appear complete, by a rename, and are only ever
// removed file by file: nothing below them is followed or descended into.
//
//===----------------------------------------------------------------------===//
#include "Failures.h"

#include "CompilePlan.h"
#include "SignalGuard.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

static constexpr const char *FolderName = "failures";
/// Failures that are kept.
static constexpr size_t MaxFailures = 16;
/// Sources that are copied.
static constexpr uint64_t MaxSource = 16 << 20;

static UniqueFd openFolder(int Root, const std::string &Name) {
  return UniqueFd(::openat(Root, Name.c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static std::vector<std::string> namesIn(int Folder) {
  std::vector<std::string> Names;
  UniqueFd Own = openFolder(Folder, ".");
  DIR *Open = Own ? ::fdopendir(Own.get()) : nullptr;
  if (!Open)
    return Names;
  Own.release();
  while (const dirent *Item = ::readdir(Open))
    if (Item->d_name[0] != '.')
      Names.push_back(Item->d_name);
  ::closedir(Open);
  return Names;
}

static void removeFailure(int All, const std::string &Name) {
  if (UniqueFd Folder = openFolder(All, Name))
    for (const std::string &File : namesIn(Folder.get()))
      ::unlinkat(Folder.get(), File.c_str(), 0);
  ::unlinkat(All, Name.c_str(), AT_REMOVEDIR);
}

static void limitFailures(int All) {
  std::vector<std::pair<time_t, std::string>> Found;
  for (const std::string &Name : namesIn(All)) {
    struct stat Info;
    if (::fstatat(All, Name.c_str(), &Info, AT_SYMLINK_NOFOLLOW) == 0)
      Found.emplace_back(Info.st_mtime, Name);
  }
  std::sort(Found.rbegin(), Found.rend());
  for (size_t I = MaxFailures; I < Found.size(); ++I)
    removeFailure(All, Found[I].second);
}

static bool writeFile(int Folder, const NamedText &File) {
  UniqueFd Out(::openat(Folder, File.first.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                        0600));
  std::string_view Rest = File.second;
  while (Out && !Rest.empty()) {
    ssize_t Done = ::write(Out.get(), Rest.data(), Rest.size());
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return false;
    Rest.remove_prefix(static_cast<size_t>(Done));
  }
  return bool(Out);
}

bool jit::keepFailure(int Root, const Digest &Id,
                      const std::vector<NamedText> &Files) {
  const FileSizeGuard NoSignal;
  ::mkdirat(Root, FolderName, 0700);
  UniqueFd All = openFolder(Root, FolderName);
  std::string Name = toHex(Id);
  if (!All)
    return false;
  if (openFolder(All.get(), Name))
    return true;
  std::string Temporary =
      "tmp-" + std::to_string(::getpid()) + "-" + Name.substr(0, 16);
  if (::mkdirat(All.get(), Temporary.c_str(), 0700) != 0)
    return false;
  UniqueFd Folder = openFolder(All.get(), Temporary);
  bool Written = bool(Folder);
  for (const NamedText &File : Files)
    Written = Written && writeFile(Folder.get(), File);
  if (!Written ||
      ::renameat(All.get(), Temporary.c_str(), All.get(), Name.c_str()) != 0) {
    removeFailure(All.get(), Temporary);
    // Another process may have been faster.
    return bool(openFolder(All.get(), Name));
  }
  limitFailures(All.get());
  return true;
}

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

static std::string contentOf(const std::string &Path) {
  std::string Bytes;
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char Piece[65536];
  ssize_t Size;
  while (File && Bytes.size() < MaxSource &&
         (Size = ::read(File.get(), Piece, sizeof(Piece))) > 0)
    Bytes.append(Piece, static_cast<size_t>(Size));
  return Bytes;
}

Status jit::withRepro(Cache &Where, const Digest &Id,
                      const CompileRequest &Request, Status Failure) {
  if (Failure.code() != StatusCode::InvalidArgument)
    return Failure;
  std::string Base = Request.Source.substr(Request.Source.rfind('/') + 1);
  std::string Name = "source-" + Base;
  std::string Folder =
      Where.keepFailure(Id, {{Name, contentOf(Request.Source)},
                             {"said.txt", Failure.message() + "\n"},
                             {"repro.sh", reproScript(Request, Name)}});
  if (Folder.empty())
    return Failure;
  return Status(Failure.code(), Failure.message() + "\n  again: sh " +
                                    shellQuoted({Folder + "/repro.sh"}));
}
