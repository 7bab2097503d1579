//===- CompileHelper.cpp - the program kpack-jit-compile ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CompileJob runs the commands, Pch builds precompiled headers, InputScan lists
// the inputs of a compile.
//
//===----------------------------------------------------------------------===//
#include "Request.h"

#include "AvailableMemory.h"
#include "EntryTable.h"
#include "InputScan.h"
#include "ObjectFile.h"
#include "Pch.h"

#include "Jit/Service/CompileProtocol.h"
#include "Jit/Service/HelperQuestion.h"
#include "Jit/Service/SourceText.h"
#include "Support/SecureMode.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Seconds to wait for headers that another process compiles.
constexpr double MaxPchWait = 600;
/// Bytes of memory that background work must leave available.
constexpr uint64_t BackgroundMemory = uint64_t(4) << 30;

/// Runs one request.
class Worker {
public:
  Worker(const CompileRequest &Request, const PchPlace &Place,
         CommandRunner &Runner, const std::string &Folder, Demangler Demangle)
      : Work(Request, Runner, Folder), Headers(Place, Work, Demangle),
        Request(Request), Folder(Folder) {}

  Result<Message> compile();
  Result<Message> check();
  Result<Message> show(CompileText Kind);
  Result<Message> list(Result<FileNames> (*Scan)(CompileJob &));
  void precompile() { Headers.make(0); }

  /// Returns true if precompile() should follow the reply.
  bool wantsHeaders() const { return WantsHeaders; }

private:
  Result<UniqueFd> prepareHeaders();
  Status compileHalves();
  Result<std::string> link();
  Status embedDeviceCode(const ObjectSymbols &Host, Arguments &Objects);

  CompileJob Work;
  Pch Headers;
  const CompileRequest &Request;
  const std::string Folder;
  bool WantsHeaders = false;
};

/// Returns the first undefined symbol that begins with \p Start, or empty.
static std::string undefined(const ObjectSymbols &Object,
                             const std::string &Start) {
  for (const std::string &Symbol : Object.Undefined)
    if (Symbol.compare(0, Start.size(), Start) == 0)
      return Symbol;
  return "";
}

/// Makes the object that holds the device code under the name that the host
/// half uses.
Status Worker::embedDeviceCode(const ObjectSymbols &Host, Arguments &Objects) {
  std::string Name = undefined(Host, "__hip_fatbin");
  if (Name.empty())
    return Status::success(); // no kernel in it
  Result<std::string> Code = readFile(Folder + "/device.co");
  if (!Code)
    return Code.status();
  if (Status Written = writeFile(Folder + "/device.hipfb",
                                 offloadBundle(Request.Target, *Code));
      !Written.ok())
    return Written;
  // LLVM 19 leaves this symbol undefined, too; later versions define it.
  std::string Handle = undefined(Host, "__hip_gpubin_handle");
  if (Status Written =
          writeFile(Folder + "/payload.s", payloadAssembly(Name, Handle));
      !Written.ok())
    return Written;
  Result<std::vector<JobResult>> Done =
      Work.run({assembleCommand(Request)}, Folder);
  if (!Done)
    return Done.status();
  Objects.push_back(Folder + "/payload.o");
  return Status::success();
}

/// Finds or makes the family's precompiled headers, and waits for a compile
/// slot.
Result<UniqueFd> Worker::prepareHeaders() {
  bool Wanted = Headers.isPossible() && Request.Pch != PchPolicy::Off;
  bool Found = Wanted && Headers.find();
  if (Wanted && !Found && Request.Pch == PchPolicy::On)
    Found = Headers.make(MaxPchWait) && Headers.find();
  WantsHeaders = Wanted && !Found;
  if (Work.stopped())
    return Status(StatusCode::IoError, "compiling was interrupted");
  return Work.waitForSlot();
}

/// Compiles with precompiled headers, and without them if that fails, so that
/// error messages are about the source as written.
Status Worker::compileHalves() {
  double Before = Work.CriticalSeconds;
  bool WithHeaders = !Headers.files().Paths.empty();
  Result<std::vector<JobResult>> Done = Work.run(
      compileCommands(Request, Folder, Headers.files()), Request.Directory);
  if (!Done && WithHeaders && !Work.stopped()) {
    std::string Why = Done.status().message();
    Work.Log = "kpack-jit: compiled without its precompiled headers: " +
               Why.substr(0, Why.find('\n', Why.find("error:"))) + "\n";
    for (const std::string &Path : Headers.files().Paths)
      ::unlink(Path.c_str()); // the failure may come from a full disk
    Done = Work.run(compileCommands(Request, Folder), Request.Directory);
  }
  if (!Done)
    return Done.status();
  // Processor time: a busy machine does not make a source expensive.
  WantsHeaders = WantsHeaders && Request.Pch == PchPolicy::Auto &&
                 Work.CriticalSeconds - Before >= Request.PchSeconds &&
                 Headers.wasMissedBefore();
  return Status::success();
}

/// Links the object for this machine, with its device code.
Result<std::string> Worker::link() {
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
  std::string Exports = Folder + "/exports", Output = Folder + "/out.so";
  if (Status Written = writeFile(Exports, exportsScript(Symbols->Exposed));
      !Written.ok())
    return Written;
  Arguments Command = linkCommand(Request, Objects, Exports, Output);
  // Searching libraries would take most of the time of a small link.
  if (needsNoLibraries(Request, Symbols->Undefined))
    Command.push_back("-nostdlib");
  Result<std::vector<JobResult>> Done =
      Work.run({std::move(Command)}, Request.Directory);
  if (!Done)
    return Done.status();
  return readFile(Output);
}

Result<Message> Worker::compile() {
  Result<UniqueFd> Slot = prepareHeaders();
  if (!Slot)
    return Slot.status();
  if (Status Compiled = compileHalves(); !Compiled.ok())
    return Compiled;
  Result<std::string> Compiled =
      isDeviceCode(Request.Output) ? readFile(Folder + "/device.co") : link();
  if (!Compiled)
    return Compiled.status();
  Message Reply;
  if (!Request.Entries.empty()) {
    Result<std::vector<EntryFunction>> Functions =
        Request.Output == CompileOutput::Ptx
            ? takeEntryTable(*Compiled, Request.Entries)
            : readEntryTable(*Compiled, Request.Entries);
    if (!Functions)
      return Status(Functions.status().code(),
                    Request.Name + ": " + Functions.status().message());
    encodeFunctions(Reply, *Functions);
  }
  Reply.add("payload", std::move(*Compiled))
      .add("log", Work.Log)
      .add("cpu-seconds", std::to_string(Work.CriticalSeconds));
  return Reply;
}

Result<Message> Worker::check() {
  Result<UniqueFd> Slot = Work.waitForSlot();
  if (!Slot)
    return Slot.status();
  Result<std::vector<JobResult>> Done =
      Work.run(checkCommands(Request), Request.Directory);
  return Done ? Result<Message>(Message()) : Done.status();
}

Result<Message> Worker::show(CompileText Kind) {
  Result<UniqueFd> Slot = Work.waitForSlot();
  if (!Slot)
    return Slot.status();
  std::string Output = Folder + "/shown";
  Result<std::vector<JobResult>> Done =
      Work.run({showCommand(Request, Kind, Output)}, Request.Directory);
  if (!Done)
    return Done.status();
  Result<std::string> Text = readFile(Output);
  if (!Text)
    return Text.status();
  Message Reply;
  Reply.add("payload", std::move(*Text));
  return Reply;
}

Result<Message> Worker::list(Result<FileNames> (*Scan)(CompileJob &)) {
  Result<FileNames> Names = Scan(Work);
  if (!Names)
    return Names.status();
  Message Reply;
  encodeNames(Reply, *Names);
  return Reply;
}

/// Writes a source in memory to \p Folder, and points \p Request at it.
Status writeText(CompileRequest &Request, const std::string &Folder) {
  if (!Request.Text)
    return Status::success();
  if (Status Checked = checkText(Request); !Checked.ok())
    return Checked;
  std::string Place = Folder + "/text";
  for (const MemoryFile &File : filesOfText(Request)) {
    std::string Path = Place + "/" + File.Name;
    std::error_code Ignored; // the write reports errors
    std::filesystem::create_directories(getFolder(Path), Ignored);
    if (Status Written = writeFile(Path, File.Text); !Written.ok())
      return Written;
  }
  Request = placedIn(Request, Place);
  return Status::success();
}

/// Work left after the reply.
struct Rest {
  bool WantsHeaders = false; ///< precompile() should follow
  /// A signal has ended it, or the reply's reader is gone.
  bool WasInterrupted = false;
};

/// Computes the reply to a question.
Result<Message> answer(const Message &Question, Demangler Demangle,
                       const CommandServer *Server, Rest &Left) {
  CompileRequest Request = decodeRequest(Question);
  PchPlace Place = decodePlace(Question);
  // Watch signals before the directory exists and until it is gone.
  CommandRunner Runner(STDOUT_FILENO, /*IsProcess=*/false, Server);
  TemporaryFolder Folder;
  if (Folder.Path.empty())
    return Status(StatusCode::IoError,
                  "no temporary directory can be made; " +
                      makeAdvice("set TMPDIR to a place that can be written",
                                 "/tmp must be one that can be written"));
  if (Status Written = writeText(Request, Folder.Path); !Written.ok())
    return Written;
  Worker W(Request, Place, Runner, Folder.Path, Demangle);
  std::string_view Task = Question.get("what");
  if (Task == "compile") {
    Result<Message> Reply = W.compile();
    Left.WantsHeaders = W.wantsHeaders();
    Left.WasInterrupted = Runner.interrupted(0);
    return Reply;
  }
  if (Task == "inputs" || Task == "programs") {
    Result<Message> Reply = W.list(Task == "inputs" ? scanInputs : scanTools);
    Left.WasInterrupted = Runner.interrupted(0);
    return Reply;
  }
  if (Task == "check")
    return W.check();
  if (Task == "ir" || Task == "assembly")
    return W.show(Task == "ir" ? CompileText::Ir : CompileText::Assembly);
  return Status(StatusCode::UnsupportedVersion,
                "kpack-jit-compile: is of another version than the library "
                "that runs it; install both from one package");
}

/// Opens the process that started us; none if it has ended.
UniqueFd openProgram() {
  pid_t Program = ::getppid();
  UniqueFd Opened = openProcess(Program);
  return ::getppid() == Program ? std::move(Opened) : UniqueFd();
}

/// Precompiles headers for the family's other kernels after the program has its
/// kernel, at a low priority. The process is no longer the program's child but
/// ends with it.
void precompile(const Message &Question, Demangler Demangle,
                const UniqueFd &Program) {
  if (!Program || availableMemory() < BackgroundMemory)
    return;
  int Null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int Fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::dup2(Null, Fd) < 0)
      return;
  if (::fork() != 0)
    return;
  ::setpriority(PRIO_PROCESS, 0, 10);
  constexpr int OwnProcess = 1, IdleClass = 3 << 13; // from linux/ioprio.h
  ::syscall(SYS_ioprio_set, OwnProcess, 0, IdleClass);
  CompileRequest Request = decodeRequest(Question);
  PchPlace Place = decodePlace(Question);
  CommandRunner Runner(Program.get(), /*IsProcess=*/true);
  TemporaryFolder Folder;
  if (!Folder.Path.empty())
    Worker(Request, Place, Runner, Folder.Path, Demangle).precompile();
}

} // namespace

void jit::prepareHelper(const char *Name) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN); // for compilers, too: the write fails instead
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_NAME, Name);
}

int jit::answerRequest(const Message &Question, Demangler Demangle,
                       const UniqueFd &Program, const CommandServer *Server) {
  Rest Left;
  Result<Message> Answer = answer(Question, Demangle, Server, Left);
  // A signal to the server is not for the program: without a reply, the program
  // starts a helper.
  if (Server && !Answer && Left.WasInterrupted)
    return 1;
  Message Reply;
  if (Answer.ok())
    Reply = std::move(*Answer);
  addStatus(Reply, Answer.status());
  if (!writeAll(STDOUT_FILENO, Reply.encode()))
    return 1;
  if (Answer.ok() && Left.WantsHeaders)
    precompile(Question, Demangle, Program);
  return 0;
}

int jit::noRequest() {
  std::fputs("kpack-jit-compile: error: standard input is no request; this "
             "program is run by kpack's libraries, not by people\n",
             stderr);
  return 2;
}

int jit::compileHelperMain(Demangler Demangle) {
  // Close the files that we inherited from the program.
  ::syscall(SYS_close_range, 3u, ~0u, 0u);
  prepareHelper("kpack-jit-comp");
  std::optional<Message> Question =
      Message::decode(readToEnd(STDIN_FILENO).value_or(""));
  if (!Question)
    return noRequest();
  return answerRequest(*Question, Demangle, openProgram(), nullptr);
}
