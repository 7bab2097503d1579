//===- Compile.cpp - compile of a source by a helper ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks requests and sends them to a helper.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/Compile.h"

#include "HelperProcess.h"
#include "ServerProcess.h"

#include "Jit/Service/CompilePlan.h"
#include "Jit/Service/CompileProtocol.h"
#include "Jit/Service/HelperQuestion.h"
#include "Jit/Service/SourceText.h"

#include <algorithm>
#include <cctype>

using namespace kpack;
using namespace kpack::jit;

std::optional<PchPolicy> jit::parsePchPolicy(std::string_view Word) {
  if (Word == "off")
    return PchPolicy::Off;
  if (Word == "auto")
    return PchPolicy::Auto;
  if (Word == "on")
    return PchPolicy::On;
  return std::nullopt;
}

/// Restricts characters: names go into a linker script and into assembly.
static bool isSymbolName(const std::string &Name) {
  for (unsigned char C : Name)
    if (!std::isalnum(C) && C != '_' && C != '.' && C != '$')
      return false;
  return !Name.empty();
}

static Status checkRequest(const CompileRequest &Request) {
  for (const std::string *Path : {&Request.Compiler, &Request.Source})
    if ((Path->empty() || (*Path)[0] != '/') &&
        !(Request.Text && Path == &Request.Source))
      return Status(StatusCode::InvalidArgument,
                    Request.Name + ": '" + *Path +
                        "' is not an absolute path; give one");
  if (Request.Text)
    if (Status Checked = checkText(Request); !Checked.ok())
      return Checked;
  if (isDeviceCode(Request.Output) && Request.Lang != Language::Hip)
    return Status(StatusCode::InvalidArgument,
                  Request.Name + ": a code object is made of HIP sources only");
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

/// Reads the whole reply. Errors: IoError after the time limit; Cancelled.
static Result<std::string> readReply(HelperProcess &Process, double Seconds,
                                     const CompileRequest &Request) {
  using Clock = HelperProcess::Clock;
  if (Seconds <= 0 && !Request.Stop)
    return Process.readToEnd();
  Clock::time_point Deadline = Clock::time_point::max();
  if (Seconds > 0)
    Deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(Seconds));
  std::string Bytes;
  while (true) {
    Clock::time_point Until = Deadline;
    if (Request.Stop)
      Until = std::min(Until, Clock::now() + StopInterval);
    HelperProcess::Heard Heard = Process.hear(Bytes, Until);
    if (Heard == HelperProcess::Heard::End)
      return Bytes;
    if (Heard == HelperProcess::Heard::Something)
      continue;
    if (isStopped(Request.Stop)) {
      Process.giveUp();
      return stoppedStatus(Request.Name);
    }
    if (Clock::now() >= Deadline)
      break;
  }
  Process.giveUp();
  char Limit[32];
  std::snprintf(Limit, sizeof(Limit), "%g", Seconds);
  return Status(StatusCode::IoError,
                Request.Name + ": was not compiled within " + Limit +
                    " s; allow it more time (KPACK_JIT_TIMEOUT)",
                Errc::CompileTimeout);
}

/// Starts a helper for this question alone.
static Result<Message> askOnce(const std::string &Helper,
                               const CompileRequest &Request,
                               const Message &Question, double Seconds) {
  Result<HelperProcess> Process = HelperProcess::start(Helper, Question);
  if (!Process)
    return Process.status();
  Result<std::string> Bytes = readReply(*Process, Seconds, Request);
  if (!Bytes)
    return Bytes.status();
  std::optional<Message> Reply = Message::decode(*Bytes);
  if (!Reply)
    return Status(StatusCode::IoError,
                  Request.Name + ": the compile was ended from outside");
  return std::move(*Reply);
}

CompileService::CompileService(std::string Helper, CompileRoute Route)
    : Helper(std::move(Helper)) {
  if (Route == CompileRoute::Serve)
    Server = std::make_shared<ServerProcess>(this->Helper);
}

/// Returns true for the frequent questions; the others are for people.
static bool isServed(std::string_view Task) {
  return isOneOf(Task, {"compile", "inputs", "programs"});
}

Result<Message> CompileService::ask(const CompileRequest &Request,
                                    const char *Task,
                                    const PchPlace &Headers) const {
  if (Status Checked = checkRequest(Request); !Checked.ok())
    return Checked;
  CompileRequest Complete = Request;
  Complete.Jobs = Limits.Jobs;
  if (Complete.Directory.empty() && !Complete.Text)
    Complete.Directory =
        Complete.Source.substr(0, Complete.Source.rfind('/') + 1);
  Message Question = encodeRequest(Complete, Task);
  if (!Headers.Store.empty())
    encodePlace(Question, Headers, Request.Pch, Request.PchSeconds);
  // A compile with a time limit needs a separate process that can be killed.
  std::optional<Message> Served;
  bool WantsEnd = false;
  StopCallback Stop;
  if (Request.Stop)
    Stop = [&] { return WantsEnd = Request.Stop(); };
  if (Server && isServed(Task) && Limits.Seconds <= 0)
    Served = Server->ask(Question, Stop);
  if (WantsEnd)
    return stoppedStatus(Request.Name);
  Result<Message> Reply =
      Served ? Result<Message>(std::move(*Served))
             : askOnce(Helper, Request, Question, Limits.Seconds);
  if (!Reply)
    return Reply;
  if (Status Outcome = toStatus(*Reply); !Outcome.ok())
    return Outcome;
  return Reply;
}

Result<Product> CompileService::compile(const CompileRequest &Request,
                                        const PchPlace &Headers) const {
  Result<Message> Reply = ask(Request, "compile", Headers);
  if (!Reply)
    return Reply.status();
  return Product{std::string(Reply->get("payload")),
                 std::string(Reply->get("log")),
                 std::atof(std::string(Reply->get("cpu-seconds")).c_str()),
                 decodeFunctions(*Reply)};
}

Status CompileService::check(const CompileRequest &Request) const {
  return ask(Request, "check", {}).status();
}

Result<std::string> CompileService::show(const CompileRequest &Request,
                                         CompileText Kind) const {
  Result<Message> Reply =
      ask(Request, Kind == CompileText::Ir ? "ir" : "assembly", {});
  if (!Reply)
    return Reply.status();
  return std::string(Reply->get("payload"));
}

Result<FileNames> CompileService::askNames(const CompileRequest &Request,
                                           const char *Task) const {
  Result<Message> Reply = ask(Request, Task, {});
  if (!Reply)
    return Reply.status();
  return decodeNames(*Reply);
}

Result<FileNames> CompileService::scan(const CompileRequest &Request) const {
  return askNames(Request, "inputs");
}

Result<FileNames> CompileService::tools(const CompileRequest &Request) const {
  return askNames(Request, "programs");
}
