//===- TraceFolder.cpp - trace files of prebuilds -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The writer's file is <worker>.<pid>.jsonl. Each record is flushed at once, so
// that a machine that dies loses at most its current line; the reader skips
// lines that are no records. Write errors are cleared on purpose: destroying an
// LLVM stream with an error ends the program, and a trace must not fail a
// prebuild.
//
// The reader sorts its records, because the order of a folder's files has no
// meaning. The report then shows when each worker began and ended, and which
// blobs were compiled more than once, as happens if workers that should share a
// cache do not.
//
//===----------------------------------------------------------------------===//
#include "TraceFolder.h"

#include "Support/Files.h"
#include "Support/SafePath.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <map>
#include <tuple>
#include <unistd.h>
#include <utility>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

static std::string workerName() {
  // Several nodes of a test cluster may be on one host.
  if (const char *Node = ::secure_getenv("SLURMD_NODENAME"); Node && *Node)
    return Node;
  char Host[256] = "";
  ::gethostname(Host, sizeof(Host) - 1);
  return Host;
}

static double now() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}

static json::Value toJson(const TraceRecord &R) {
  return json::Object{{"blob", json::fixUTF8(R.Blob)},
                      {"target", json::fixUTF8(R.Target)},
                      {"state", R.State},
                      {"seconds", R.Seconds},
                      {"ended", R.Ended},
                      {"worker", json::fixUTF8(R.Worker)},
                      {"pid", R.Pid}};
}

static bool fromJson(const json::Value &Line, TraceRecord &R) {
  json::Path::Root Root;
  json::ObjectMapper Map(Line, Root);
  return Map && Map.map("blob", R.Blob) && Map.map("target", R.Target) &&
         Map.map("state", R.State) && Map.map("seconds", R.Seconds) &&
         Map.map("ended", R.Ended) && Map.map("worker", R.Worker) &&
         Map.map("pid", R.Pid);
}

Expected<TraceWriter> TraceWriter::create(StringRef Folder) {
  if (!makeFolders(Folder.str()))
    return objectError(Folder, sys::StrError(errno) +
                                   "; name a folder that can be written");
  TraceWriter Writer;
  Writer.Worker = workerName();
  std::string Name = Writer.Worker;
  std::replace(Name.begin(), Name.end(), '/', '_');
  SmallString<256> Path(Folder);
  sys::path::append(Path, Name + "." + Twine(::getpid()) + ".jsonl");
  Writer.Path = Path.str().str();
  return std::move(Writer);
}

void TraceWriter::warnOnce() {
  if (!std::exchange(HasWarned, true))
    errs() << "ck-jit: warning: " << Path << ": " << sys::StrError(errno)
           << "; the trace lacks this process\n";
}

void TraceWriter::add(TraceRecord Record) {
  if (!File) {
    // Other machines may share the folder: append only to this process's file.
    UniqueFd Opened =
        openFileToWrite(Path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (!Opened)
      return warnOnce();
    File = std::make_shared<raw_fd_ostream>(Opened.release(),
                                            /*shouldClose=*/true);
  }
  Record.Ended = now();
  Record.Worker = Worker;
  Record.Pid = ::getpid();
  *File << toJson(Record) << '\n';
  File->flush();
  File->clear_error();
}

Expected<std::vector<TraceRecord>> ckjit::readTrace(StringRef Folder) {
  std::vector<TraceRecord> Records;
  std::error_code Failed;
  for (sys::fs::directory_iterator It(Folder, Failed), End;
       It != End && !Failed; It.increment(Failed)) {
    if (sys::path::extension(It->path()) != ".jsonl")
      continue;
    auto File = MemoryBuffer::getFile(It->path(), /*IsText=*/true);
    if (!File)
      return objectError(It->path(), File.getError().message());
    SmallVector<StringRef> Lines;
    (*File)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef Line : Lines) {
      Expected<json::Value> Value = json::parse(Line);
      TraceRecord Record;
      if (!Value)
        consumeError(Value.takeError());
      else if (fromJson(*Value, Record))
        Records.push_back(std::move(Record));
    }
  }
  if (Failed)
    return objectError(Folder, Failed.message());
  if (Records.empty())
    return objectError(Folder, "no record of a prebuild; name the folder that "
                               "'ck-jit prebuild build --trace' was given");
  llvm::sort(Records, [](const TraceRecord &A, const TraceRecord &B) {
    return std::tie(A.Ended, A.Worker, A.Pid, A.Blob) <
           std::tie(B.Ended, B.Worker, B.Pid, B.Blob);
  });
  return std::move(Records);
}

namespace {
struct WorkerSum {
  size_t Compiled = 0, Cached = 0, Failed = 0;
  double Seconds = 0, First = 0, Last = 0;

  void add(const TraceRecord &R) {
    ++(R.State == "compiled" ? Compiled
       : R.State == "cached" ? Cached
                             : Failed);
    Seconds += R.Seconds;
    double Began = R.Ended - R.Seconds;
    First = First == 0 ? Began : std::min(First, Began);
    Last = std::max(Last, R.Ended);
  }
};
} // namespace

/// Returns blobs, with their targets, that were compiled more than once.
static std::vector<std::string> repeated(ArrayRef<TraceRecord> Records) {
  std::map<std::string, std::vector<std::string>> Workers;
  for (const TraceRecord &R : Records)
    if (R.State == "compiled")
      Workers[R.Target.empty() ? R.Blob : R.Blob + " " + R.Target].push_back(
          R.Worker);
  std::vector<std::string> Lines;
  for (const auto &[Blob, By] : Workers)
    if (By.size() > 1)
      Lines.push_back(Blob + ": " + join(By, ", "));
  return Lines;
}

void ckjit::printTrace(ArrayRef<TraceRecord> Records, raw_ostream &Out) {
  std::map<std::string, WorkerSum> Workers;
  WorkerSum Total;
  size_t Width = StringRef("worker").size();
  for (const TraceRecord &R : Records) {
    Workers[R.Worker].add(R);
    Total.add(R);
    Width = std::max(Width, R.Worker.size());
  }
  Out << left_justify("worker", Width)
      << "  compiled  cached  failed  compiling  from    to\n";
  auto Row = [&](StringRef Name, const WorkerSum &W) {
    Out << left_justify(Name, Width)
        << format("  %8zu  %6zu  %6zu  %7.1f s  %4.0f s  %4.0f s\n", W.Compiled,
                  W.Cached, W.Failed, W.Seconds, W.First - Total.First,
                  W.Last - Total.First);
  };
  for (const auto &[Name, Sum] : Workers)
    Row(Name, Sum);
  Row("all", Total);
  for (const std::string &Line : repeated(Records))
    Out << "compiled more than once: " << Line << '\n';
}

void ckjit::printTraceJson(ArrayRef<TraceRecord> Records, raw_ostream &Out) {
  kpack::printJson(Out, "ck-jit.prebuild.report/1", [&](json::OStream &OS) {
    OS.attributeArray("records", [&] {
      for (const TraceRecord &R : Records)
        OS.value(toJson(R));
    });
    OS.attributeArray("repeated", [&] {
      for (const std::string &Line : repeated(Records))
        OS.value(json::fixUTF8(Line));
    });
  });
}
