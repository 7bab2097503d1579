//===- Compile.cpp - a source to a shared object --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Compile.h: starts the helper, gives it the request as a file without a
// name, reads the reply. Nothing is learned from the helper's exit status,
// which the program around us may have taken.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Compile.h"

#include "CompileProtocol.h"

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

using namespace kpack;
using namespace kpack::jit;

extern char **environ;

/// A symbol goes into a linker script and into assembly.
static bool isSymbolName(const std::string &Name) {
  for (unsigned char C : Name)
    if (!std::isalnum(C) && C != '_' && C != '.' && C != '$')
      return false;
  return !Name.empty();
}

static Status check(const CompileRequest &Request) {
  for (const std::string *Path : {&Request.Compiler, &Request.Source})
    if (Path->empty() || (*Path)[0] != '/')
      return Status(StatusCode::InvalidArgument,
                    Request.Name + ": '" + *Path +
                        "' is not an absolute path; give one");
  if (Request.Lang == Language::Hip && Request.Target.empty())
    return Status(StatusCode::InvalidArgument,
                  Request.Name +
                      ": no target given to compile device code for");
  for (const std::string &Symbol : Request.Symbols)
    if (!isSymbolName(Symbol))
      return Status(StatusCode::InvalidArgument,
                    Request.Name + ": '" + Symbol + "' is no symbol's name");
  return Status::success();
}

namespace {

/// What posix_spawn needs, freed at the end.
class SpawnSettings {
public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&Actions);
    posix_spawnattr_init(&Attributes);
    sigset_t None, Default;
    sigemptyset(&None);
    sigemptyset(&Default);
    sigaddset(&Default, SIGCHLD);
    sigaddset(&Default, SIGPIPE);
    posix_spawnattr_setsigmask(&Attributes, &None);
    posix_spawnattr_setsigdefault(&Attributes, &Default);
    posix_spawnattr_setflags(&Attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&Actions);
    posix_spawnattr_destroy(&Attributes);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;

  posix_spawn_file_actions_t Actions;
  posix_spawnattr_t Attributes;
};

} // namespace

/// A file without a name that holds \p Bytes, at its start.
static UniqueFd fileOf(std::string_view Bytes) {
  UniqueFd File(::memfd_create("kpack-jit-request", MFD_CLOEXEC));
  while (File && !Bytes.empty()) {
    const ssize_t Done = ::write(File.get(), Bytes.data(), Bytes.size());
    if (Done < 0)
      return UniqueFd();
    Bytes.remove_prefix(static_cast<size_t>(Done));
  }
  if (File)
    ::lseek(File.get(), 0, SEEK_SET);
  return File;
}

/// Our environment without what is meant for us alone.
static std::vector<char *> environmentOfHelper() {
  std::vector<char *> Variables;
  for (char **Variable = environ; *Variable; ++Variable)
    if (std::strncmp(*Variable, "LD_PRELOAD=", 11) != 0)
      Variables.push_back(*Variable);
  Variables.push_back(nullptr);
  return Variables;
}

static std::string readToEnd(int Fd) {
  std::string Bytes;
  char Piece[65536];
  while (true) {
    const ssize_t Size = ::read(Fd, Piece, sizeof(Piece));
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size <= 0)
      return Bytes;
    Bytes.append(Piece, static_cast<size_t>(Size));
  }
}

static Result<Message> ask(const std::string &Helper,
                           const CompileRequest &Request, const char *What) {
  if (Status Checked = check(Request); !Checked.ok())
    return Checked;
  CompileRequest Complete = Request;
  if (Complete.Directory.empty())
    Complete.Directory =
        Complete.Source.substr(0, Complete.Source.rfind('/') + 1);
  UniqueFd Question = fileOf(encodeRequest(Complete, What).encode());
  int Ends[2];
  if (!Question || ::pipe2(Ends, O_CLOEXEC) != 0)
    return Status(StatusCode::IoError,
                  Request.Name +
                      ": cannot talk to the compiler: " + std::strerror(errno));
  UniqueFd Read(Ends[0]), Write(Ends[1]);
  SpawnSettings Settings;
  posix_spawn_file_actions_adddup2(&Settings.Actions, Question.get(),
                                   STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&Settings.Actions, Write.get(),
                                   STDOUT_FILENO);
  char *Argv[] = {const_cast<char *>(Helper.c_str()), nullptr};
  std::vector<char *> Envp = environmentOfHelper();
  pid_t Pid = -1;
  const int Failure = ::posix_spawn(&Pid, Helper.c_str(), &Settings.Actions,
                                    &Settings.Attributes, Argv, Envp.data());
  Write = UniqueFd();
  if (Failure)
    return Status(Failure == ENOENT || Failure == EACCES
                      ? StatusCode::FileNotFound
                      : StatusCode::IoError,
                  Helper + ": cannot be run: " + std::strerror(Failure) +
                      "; it is installed with kpack's tools");
  const std::string Bytes = readToEnd(Read.get());
  // Its status may have been taken by the program, or be ignored: no matter.
  while (::waitpid(Pid, nullptr, 0) < 0 && errno == EINTR)
    ;
  std::optional<Message> Reply = Message::decode(Bytes);
  if (!Reply)
    return Status(StatusCode::IoError,
                  Request.Name + ": the compile was ended from outside");
  const int Code = std::atoi(std::string(Reply->get("code")).c_str());
  if (Code != 0)
    return Status(static_cast<StatusCode>(Code),
                  std::string(Reply->get("message")));
  return std::move(*Reply);
}

Result<Product> CompileService::compile(const CompileRequest &Request) const {
  Result<Message> Reply = ask(Helper, Request, "compile");
  if (!Reply)
    return Reply.status();
  return Product{std::string(Reply->get("payload")),
                 std::string(Reply->get("log"))};
}

Result<std::vector<std::string>>
CompileService::scan(const CompileRequest &Request) const {
  Result<Message> Reply = ask(Helper, Request, "scan");
  if (!Reply)
    return Reply.status();
  return Reply->all("file");
}

Result<std::vector<std::string>>
CompileService::tools(const CompileRequest &Request) const {
  Result<Message> Reply = ask(Helper, Request, "tools");
  if (!Reply)
    return Reply.status();
  std::vector<std::string> Lines = Reply->all("file");
  Lines.emplace_back(Reply->get("version"));
  return Lines;
}
