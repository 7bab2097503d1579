//===- CompileHelper.cpp - the process that compiles ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CompileHelper.h. Everything is written below one temporary directory of
// mode 0700, the compilers' own temporary files included; it goes away with
// the object that made it, on every way out but a SIGKILL of this process.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/CompileHelper.h"

#include "AvailableMemory.h"
#include "CommandRunner.h"
#include "CompilePlan.h"
#include "CompileProtocol.h"
#include "CompileSlot.h"
#include "ErrorText.h"
#include "ObjectFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

using namespace kpack;
using namespace kpack::jit;

extern char **environ;

namespace {

/// Bytes of memory that one half of a heavy HIP source takes.
constexpr uint64_t HalfMemory = uint64_t(1) << 30;
/// Seconds to wait for other compiles of this user.
constexpr int MaxSlotWait = 600;
/// Bytes of a compiler's output that are kept.
constexpr size_t MaxLog = 1 << 20;

class TemporaryFolder {
public:
  TemporaryFolder() {
    const char *Base = ::getenv("TMPDIR");
    for (const char *Parent : {Base ? Base : "/tmp", "/tmp"}) {
      std::string Name = std::string(Parent) + "/kpack-jit-XXXXXX";
      if (Parent[0] == '/' && ::mkdtemp(Name.data())) {
        Path = Name;
        return;
      }
    }
  }
  ~TemporaryFolder() {
    std::error_code Ignored;
    if (!Path.empty())
      std::filesystem::remove_all(Path, Ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string Path; ///< empty: none could be made
};

Status ioError(const std::string &Path, const char *What) {
  return Status(StatusCode::IoError,
                Path + ": " + What + ": " +
                    (errno == ENOSPC
                         ? "No space left on device; free space there or set "
                           "TMPDIR to another place"
                         : errorText(errno)));
}

Result<std::string> readFile(const std::string &Path) {
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string Bytes;
  char Piece[65536];
  ssize_t Size = -1;
  while (File && (Size = ::read(File.get(), Piece, sizeof(Piece))) > 0)
    Bytes.append(Piece, static_cast<size_t>(Size));
  if (Size < 0)
    return ioError(Path, "cannot be read");
  return Bytes;
}

bool writeAll(int Fd, std::string_view Bytes) {
  while (!Bytes.empty()) {
    const ssize_t Done = ::write(Fd, Bytes.data(), Bytes.size());
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done < 0)
      return false;
    Bytes.remove_prefix(static_cast<size_t>(Done));
  }
  return true;
}

Status writeFile(const std::string &Path, std::string_view Bytes) {
  UniqueFd File(
      ::open(Path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!File || !writeAll(File.get(), Bytes))
    return ioError(Path, "cannot be written");
  return Status::success();
}

/// One request from start to end.
class Worker {
public:
  Worker(const CompileRequest &Request, CommandRunner &Runner,
         const std::string &Folder)
      : Request(Request), Runner(Runner), Folder(Folder) {
    for (char **Variable = environ; *Variable; ++Variable)
      if (std::strncmp(*Variable, "TMPDIR=", 7) != 0)
        Environment.push_back(*Variable);
    Environment.push_back("TMPDIR=" + Folder);
  }

  Result<Message> compile();
  Result<Message> scan();
  Result<Message> tools();

private:
  Result<std::vector<CommandResult>> run(const std::vector<Arguments> &All,
                                         const std::string &Directory);
  Result<UniqueFd> waitForSlot();
  Status embedDeviceCode(const ObjectSymbols &Host, Arguments &Objects);
  Status failure(const Arguments &Args, const CommandResult &Outcome) const;
  std::string log() const { return Log.substr(0, MaxLog); }

  const CompileRequest &Request;
  CommandRunner &Runner;
  const std::string Folder;
  std::vector<std::string> Environment;
  std::string Log;
};

/// Whether a compiler complains of what may be there another time: nothing is
/// wrong with the source.
bool isWant(const std::string &Text) {
  for (const char *Words :
       {"No space left on device", "Disk quota exceeded", "File too large",
        "File size limit exceeded", "Too many open files",
        "Cannot allocate memory", "Resource temporarily unavailable"})
    if (Text.find(Words) != std::string::npos)
      return true;
  return false;
}

Status Worker::failure(const Arguments &Args,
                       const CommandResult &Outcome) const {
  std::string Text = Outcome.Err + Outcome.Out;
  while (!Text.empty() && Text.back() == '\n')
    Text.pop_back();
  const std::string Command = "\n  command: " + shellQuoted(Args);
  if (WIFSIGNALED(Outcome.WaitStatus)) {
    // The kernel's answer to a lack of memory, mostly.
    const int Signal = WTERMSIG(Outcome.WaitStatus);
    return Status(
        Signal == SIGKILL ? StatusCode::OutOfMemory
                          : StatusCode::InvalidArgument,
        Request.Name + ": the compiler was ended by signal " +
            std::to_string(Signal) +
            (Signal == SIGKILL ? ", for want of memory perhaps" : "") + "\n" +
            Text.substr(0, MaxLog) + Command);
  }
  if (isWant(Text))
    return Status(StatusCode::IoError,
                  Request.Name +
                      ": the compiler had too little disk space (TMPDIR), "
                      "memory or open files\n" +
                      Text.substr(0, MaxLog) + Command);
  return Status(StatusCode::InvalidArgument,
                Request.Name + ": does not compile\n" + Text.substr(0, MaxLog) +
                    Command);
}

Result<std::vector<CommandResult>>
Worker::run(const std::vector<Arguments> &All, const std::string &Directory) {
  std::vector<Command> Commands;
  for (const Arguments &Args : All)
    Commands.push_back({Args, Directory, Environment});
  // Two halves at once only where both have room.
  const unsigned Parallel =
      availableMemory() / HalfMemory >= All.size() ? unsigned(All.size()) : 1;
  Result<std::vector<CommandResult>> Outcomes = Runner.run(Commands, Parallel);
  if (!Outcomes)
    return Outcomes.status();
  for (size_t I = 0; I < All.size(); ++I) {
    if (!(*Outcomes)[I].succeeded())
      return failure(All[I], (*Outcomes)[I]);
    Log += (*Outcomes)[I].Err;
  }
  return Outcomes;
}

/// The object that holds the device code under the name the host half wants.
Status Worker::embedDeviceCode(const ObjectSymbols &Host, Arguments &Objects) {
  const auto Name = std::find_if(Host.Undefined.begin(), Host.Undefined.end(),
                                 [](const std::string &S) {
                                   return S.compare(0, 12, "__hip_fatbin") == 0;
                                 });
  if (Name == Host.Undefined.end())
    return Status::success(); // no kernel in it
  Result<std::string> Code = readFile(Folder + "/device.co");
  if (!Code)
    return Code.status();
  if (Status Written = writeFile(Folder + "/device.hipfb",
                                 offloadBundle(Request.Target, *Code));
      !Written.ok())
    return Written;
  if (Status Written = writeFile(Folder + "/payload.s", payloadAssembly(*Name));
      !Written.ok())
    return Written;
  Result<std::vector<CommandResult>> Done =
      run({assembleCommand(Request)}, Folder);
  if (!Done)
    return Done.status();
  Objects.push_back(Folder + "/payload.o");
  return Status::success();
}

/// Whatever happens, it does not wait for ever: slower is better than stuck.
Result<UniqueFd> Worker::waitForSlot() {
  const long Processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  const unsigned Count = Processors > 1 ? unsigned(Processors) : 1;
  const uint64_t Wanted = HalfMemory * (Request.Lang == Language::Hip ? 2 : 1);
  const UniqueFd Directory = slotDirectory();
  constexpr int Pause = 50;
  for (int Waited = 0; Waited < MaxSlotWait * 1000; Waited += Pause) {
    if (UniqueFd Slot =
            tryTakeSlot(Directory.get(), Count, Wanted, availableMemory()))
      return Slot;
    if (Runner.interrupted(Pause))
      return Status(StatusCode::IoError, "compiling was interrupted");
  }
  return UniqueFd();
}

Result<Message> Worker::compile() {
  Result<UniqueFd> Slot = waitForSlot();
  if (!Slot)
    return Slot.status();
  Result<std::vector<CommandResult>> Done =
      run(compileCommands(Request, Folder), Request.Directory);
  if (!Done)
    return Done.status();
  Arguments Objects{Folder + "/host.o"};
  Result<std::string> Host = readFile(Objects[0]);
  if (!Host)
    return Host.status();
  Result<ObjectSymbols> Symbols = exposeSymbols(*Host, Request.Symbols);
  if (!Symbols)
    return Status(Symbols.status().code(),
                  Request.Source + ": " + Symbols.status().message());
  if (Status Written = writeFile(Objects[0], *Host); !Written.ok())
    return Written;
  if (Status Embedded = embedDeviceCode(*Symbols, Objects); !Embedded.ok())
    return Embedded;
  const std::string Exports = Folder + "/exports", Output = Folder + "/out.so";
  if (Status Written = writeFile(Exports, exportsScript(Symbols->Exposed));
      !Written.ok())
    return Written;
  Done =
      run({linkCommand(Request, Objects, Exports, Output)}, Request.Directory);
  if (!Done)
    return Done.status();
  Result<std::string> Linked = readFile(Output);
  if (!Linked)
    return Linked.status();
  Message Reply;
  Reply.add("payload", std::move(*Linked)).add("log", log());
  return Reply;
}

std::string absolute(const std::string &Path, const std::string &Directory) {
  std::filesystem::path P(Path);
  if (P.is_relative())
    P = std::filesystem::path(Directory) / P;
  return P.lexically_normal().string();
}

void addOnce(std::vector<std::string> &Files, std::string File) {
  if (std::find(Files.begin(), Files.end(), File) == Files.end())
    Files.push_back(std::move(File));
}

Result<Message> Worker::scan() {
  std::vector<Arguments> Commands = scanCommands(Request);
  const size_t Halves = Commands.size();
  for (Arguments &Dry : dryRunCommands(Request))
    Commands.push_back(std::move(Dry));
  Result<std::vector<CommandResult>> Done = run(Commands, Request.Directory);
  if (!Done)
    return Done.status();
  std::vector<std::string> Files;
  for (size_t I = 0; I < Commands.size(); ++I) {
    if (I < Halves) {
      const std::vector<std::string> Half = filesOfMakeRule((*Done)[I].Out);
      // The source itself at least: a compiler that says nothing would have
      // stale objects taken for fresh ones.
      if (Half.empty())
        return Status(StatusCode::InvalidArgument,
                      Request.Compiler +
                          ": does not say which headers it "
                          "reads; name a clang++\n  command: " +
                          shellQuoted(Commands[I]));
      for (const std::string &File : Half)
        addOnce(Files, absolute(File, Request.Directory));
    } else
      for (const std::string &File : filesOfDryRun((*Done)[I].Err))
        if (File.size() > 3 && File.compare(File.size() - 3, 3, ".bc") == 0)
          addOnce(Files, File);
  }
  const std::string Source = absolute(Request.Source, Request.Directory);
  Files.erase(std::remove(Files.begin(), Files.end(), Source), Files.end());
  Message Reply;
  Reply.addAll("file", Files);
  return Reply;
}

/// The libraries in the dynamic linker's own listing.
void addLibraries(const std::string &Listing, std::vector<std::string> &Files) {
  for (size_t At = 0; (At = Listing.find(" => /", At)) != std::string::npos;) {
    At += 4;
    const size_t End = Listing.find(" (0x", At);
    if (End != std::string::npos)
      addOnce(Files, Listing.substr(At, End - At));
  }
}

Result<Message> Worker::tools() {
  std::vector<Arguments> Commands = dryRunCommands(Request);
  Commands.push_back({Request.Compiler, "--version"});
  Result<std::vector<CommandResult>> Done = run(Commands, Request.Directory);
  if (!Done)
    return Done.status();
  std::vector<std::string> Files;
  addOnce(Files, Request.Compiler);
  for (size_t I = 0; I + 1 < Commands.size(); ++I)
    for (const std::string &File : filesOfDryRun((*Done)[I].Err))
      if (File.compare(0, 9, "/nowhere/") != 0 &&
          ::access(File.c_str(), X_OK) == 0)
        addOnce(Files, File);
  // What ldd does, without its shell.
  std::vector<Arguments> Programs;
  for (const std::string &File : Files)
    Programs.push_back({File});
  Environment.push_back("LD_TRACE_LOADED_OBJECTS=1");
  std::string Version = Done->back().Out;
  Done = run(Programs, Request.Directory);
  if (!Done)
    return Done.status();
  for (const CommandResult &Listing : *Done)
    addLibraries(Listing.Out, Files);
  Message Reply;
  Reply.addAll("file", Files)
      .add("version", Version.substr(0, Version.find('\n')));
  return Reply;
}

Result<Message> answer(const Message &Question) {
  const CompileRequest Request = decodeRequest(Question);
  // Signals are watched from before the directory is there until it is gone.
  CommandRunner Runner(STDOUT_FILENO);
  TemporaryFolder Folder;
  if (Folder.Path.empty())
    return Status(StatusCode::IoError,
                  "no temporary directory can be made; set TMPDIR to a place "
                  "that can be written");
  Worker W(Request, Runner, Folder.Path);
  const std::string_view What = Question.get("what");
  if (What == "compile")
    return W.compile();
  if (What == "scan")
    return W.scan();
  if (What == "tools")
    return W.tools();
  return Status(StatusCode::UnsupportedVersion,
                "kpack-jit-compile: is of another version than the library "
                "that runs it; install both from one package");
}

} // namespace

int jit::compileHelperMain() {
  // Files of the program that started us stay open in it alone.
  ::syscall(SYS_close_range, 3u, ~0u, 0u);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN); // also of the compilers: an error, not an end
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_NAME, "kpack-jit-comp");
  std::string Bytes;
  char Piece[65536];
  ssize_t Size;
  while ((Size = ::read(STDIN_FILENO, Piece, sizeof(Piece))) > 0)
    Bytes.append(Piece, static_cast<size_t>(Size));
  std::optional<Message> Question = Message::decode(Bytes);
  if (!Question) {
    std::fputs("kpack-jit-compile: error: standard input is no request; this "
               "program is run by kpack's libraries, not by people\n",
               stderr);
    return 2;
  }
  Result<Message> Answer = answer(*Question);
  Message Reply;
  if (Answer.ok())
    Reply = std::move(*Answer);
  Reply.add("code", std::to_string(int(Answer.status().code())))
      .add("message", Answer.status().message());
  return writeAll(STDOUT_FILENO, Reply.encode()) ? 0 : 1;
}
