//===- CompileJob.cpp - environment of the helper's commands --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compilers' temporary files are below the directory, too: nothing is left
// unless this process gets SIGKILL.
//
//===----------------------------------------------------------------------===//
#include "CompileJob.h"

#include "AvailableMemory.h"
#include "CompileSlot.h"
#include "EntryComplaints.h"

#include "Support/ErrorText.h"
#include "Support/SecureMode.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

extern char **environ;

/// Bytes of memory that one half of a large HIP source takes.
static constexpr uint64_t HalfMemory = uint64_t(1) << 30;
/// Seconds to wait for other compiles of this user.
static constexpr int MaxSlotWait = 600;
/// Maximum bytes of a compiler's output.
static constexpr size_t MaxLog = 1 << 20;

TemporaryFolder::TemporaryFolder() {
  const char *Base = ::getenv("TMPDIR");
  for (const char *Parent : {Base ? Base : "/tmp", "/tmp"}) {
    std::string Name = std::string(Parent) + "/kpack-jit-XXXXXX";
    if (Parent[0] == '/' && ::mkdtemp(Name.data())) {
      Path = Name;
      return;
    }
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code Ignored;
  if (!Path.empty())
    std::filesystem::remove_all(Path, Ignored);
}

static Status ioError(const std::string &Path, const char *Action) {
  return Status(StatusCode::IoError,
                Path + ": " + Action + ": " +
                    (errno == ENOSPC
                         ? "No space left on device; free space there" +
                               makeAdvice(" or set TMPDIR to another place")
                         : errorText(errno)));
}

void jit::addOnce(std::vector<std::string> &Files, std::string File) {
  if (std::find(Files.begin(), Files.end(), File) == Files.end())
    Files.push_back(std::move(File));
}

Status jit::writeFile(const std::string &Path, std::string_view Bytes) {
  UniqueFd File(
      ::open(Path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!File || !writeAll(File.get(), Bytes))
    return ioError(Path, "cannot be written");
  return Status::success();
}

CompileJob::CompileJob(const CompileRequest &Request, CommandRunner &Runner,
                       std::string Folder)
    : Request(Request), Folder(std::move(Folder)), Runner(Runner) {
  for (char **Variable = environ; *Variable; ++Variable)
    if (std::strncmp(*Variable, "TMPDIR=", 7) != 0)
      Environment.push_back(*Variable);
  Environment.push_back("TMPDIR=" + this->Folder);
}

/// Returns true if a compiler lacked a resource, which is no fault of the
/// source.
static bool isWant(const std::string &Text) {
  for (const char *Phrase :
       {"No space left on device", "Disk quota exceeded", "File too large",
        "File size limit exceeded", "Too many open files",
        "Cannot allocate memory", "Resource temporarily unavailable"})
    if (Text.find(Phrase) != std::string::npos)
      return true;
  return false;
}

/// Extracts the errors from the output of -###, which has quoted commands and
/// the compiler's version. Returns all of it if there are none.
static std::string findComplaints(const std::string &Text) {
  std::string Complaints;
  for (size_t Start = 0; Start < Text.size();) {
    size_t End = std::min(Text.find('\n', Start), Text.size());
    std::string Line = Text.substr(Start, End - Start);
    if (Line[0] != ' ' && Line.find("error: ") != std::string::npos)
      Complaints += (Complaints.empty() ? "" : "\n") + Line;
    Start = End + 1;
  }
  return Complaints.empty() ? Text : Complaints;
}

/// Classifies the first error: these file names are parts of a text
/// (SourceUnit.cpp, which also has the messages about types).
static Errc getDetail(const std::string &Text) {
  // The compiler crashed: "error in backend".
  if (Text.find("frontend command failed with exit code ") != std::string::npos)
    return Errc::CompilerCrashed;
  size_t Message = std::min(Text.find(" error: "), Text.size());
  size_t Before = Text.rfind('\n', Message);
  std::string Line = Text.substr(Before == std::string::npos ? 0 : Before + 1);
  Line.resize(std::min(Line.find('\n'), Line.size()));
  if (startsWith(Line, "types:"))
    return Errc::UnsupportedType;
  if (startsWith(Line, "constants:"))
    return Errc::BadConstant;
  if (!startsWith(Line, "entries:"))
    return Errc::CompileFailed;
  bool IsOfTypes = Line.find(", the caller declared ") != std::string::npos ||
                   Line.find("' is overloaded, and ") != std::string::npos ||
                   Line.find("' is a member that ") != std::string::npos;
  return IsOfTypes ? Errc::SignatureMismatch : Errc::UnknownEntry;
}

Status CompileJob::failure(const Arguments &Args,
                           const JobResult &Outcome) const {
  std::string Text = Outcome.Err + Outcome.Out;
  while (!Text.empty() && Text.back() == '\n')
    Text.pop_back();
  if (Args.back() == "-###")
    Text = findComplaints(Text);
  Text = nameMissingEntries(spellEntryTypes(Text.substr(0, MaxLog)),
                            Request.Entries);
  std::string Command = "\n  command: " + shellQuoted(Args);
  if (Outcome.How == JobResult::State::Signaled) {
    // SIGKILL mostly comes from the kernel's OOM killer. No signal proves a
    // fault of the source, so the error may pass.
    int Signal = Outcome.Code;
    return Status(
        Signal == SIGKILL ? StatusCode::OutOfMemory : StatusCode::IoError,
        Request.Name + ": the compiler was ended by signal " +
            std::to_string(Signal) +
            (Signal == SIGKILL ? ", for want of memory perhaps" : "") + "\n" +
            Text + Command,
        Errc::CompilerCrashed);
  }
  if (Text.find("unsupported option '--no-offload-new-driver'") !=
      std::string::npos)
    return Status(StatusCode::InvalidArgument,
                  Request.Compiler +
                      ": is too old for HIP: it does not know "
                      "--no-offload-new-driver; name a clang++ of version 19 "
                      "or later" +
                      Command);
  // The driver's message for a signal in the compiler that it runs or in
  // itself.
  if (Text.find(" due to signal") != std::string::npos ||
      Text.find("frontend command failed with exit code 1") !=
          std::string::npos ||
      Text.find("unable to execute command: ") != std::string::npos)
    return Status(StatusCode::IoError,
                  Request.Name +
                      ": the compiler was ended by a "
                      "signal\n" +
                      Text + Command,
                  Errc::CompilerCrashed);
  if (isWant(Text))
    return Status(StatusCode::IoError,
                  Request.Name + ": the compiler had too little disk space" +
                      makeAdvice(" (TMPDIR)") + ", memory or open files\n" +
                      Text + Command);
  return Status(StatusCode::InvalidArgument,
                Request.Name + ": does not compile\n" + Text + Command,
                getDetail(Text));
}

Result<std::vector<JobResult>>
CompileJob::run(const std::vector<Arguments> &All, const std::string &Directory,
                const Arguments &Inputs) {
  std::vector<Job> Commands(All.size());
  for (size_t I = 0; I < All.size(); ++I) {
    Commands[I].Arguments = All[I];
    Commands[I].Directory = Directory;
    Commands[I].Environment = Environment;
    if (I < Inputs.size())
      Commands[I].InputFile = Inputs[I];
  }
  bool HaveRoom =
      All.size() > 1 && availableMemory() / HalfMemory >= All.size();
  unsigned Parallel = HaveRoom ? unsigned(All.size()) : 1;
  Result<std::vector<JobResult>> Outcomes = Runner.run(Commands, Parallel);
  if (!Outcomes) {
    Stopped = true;
    return Outcomes.status();
  }
  double Longest = 0;
  for (const JobResult &Outcome : *Outcomes)
    Longest = std::max(Longest, Outcome.CpuSeconds);
  CriticalSeconds += Longest;
  for (size_t I = 0; I < All.size(); ++I) {
    if (!(*Outcomes)[I].succeeded())
      return failure(All[I], (*Outcomes)[I]);
    if (Log.size() < MaxLog)
      Log += (*Outcomes)[I].Err.substr(0, MaxLog - Log.size());
  }
  return Outcomes;
}

Result<UniqueFd> CompileJob::waitForSlot() {
  long Processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  unsigned Count = Request.Jobs     ? Request.Jobs
                   : Processors > 1 ? unsigned(Processors)
                                    : 1;
  uint64_t Wanted = HalfMemory * (Request.Lang == Language::Hip ? 2 : 1);
  UniqueFd Directory = slotDirectory();
  // Poll with growing pauses: some compiles take milliseconds, some minutes.
  constexpr int MaxPause = 50;
  int Pause = 1;
  for (int Waited = 0; Waited < MaxSlotWait * 1000; Waited += Pause) {
    if (UniqueFd Slot = tryTakeSlot(Directory.get(), Count, Wanted,
                                    [] { return availableMemory(); }))
      return Slot;
    Pause = std::min(2 * Pause, MaxPause);
    if (Runner.interrupted(Pause)) {
      Stopped = true;
      return Status(StatusCode::IoError, "compiling was interrupted");
    }
  }
  return UniqueFd();
}
