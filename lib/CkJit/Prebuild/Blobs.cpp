//===- Blobs.cpp - ck-jit prebuild list, build and clean ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements the commands of ck-jit prebuild for the selected blobs.
//
//===----------------------------------------------------------------------===//
#include "Prebuild.h"
#include "SelfBuild.h"

#include "CkJit/Runtime/CacheMode.h"
#include "CkJit/Runtime/Settings.h"
#include "Jit/Executor/Cache/SourceCache.h"
#include "Jit/Service/Toolchain.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/GpusOfMachine.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

#include <thread>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static bool fits(const Choice &Chosen, const BlobRecord &Blob) {
  if (Chosen.Where.empty())
    return true;
  Fields Values = getFields(Blob.Stem);
  Values["source"] = {Blob.Source};
  Values["symbol"] = Blob.Symbols;
  return all_of(Chosen.Where, [&](const Predicate &P) { return P(Values); });
}

std::vector<const BlobRecord *>
ckjit::chosenBlobs(const Choice &Chosen, const BlobManifest &Known,
                   std::vector<std::string> &Unknown) {
  StringSet<> Named;
  for (const std::string &Stem : Chosen.Stems)
    if (Known.find(Stem))
      Named.insert(Stem);
    else
      Unknown.push_back(Stem);
  bool Every = Chosen.All || Chosen.Stems.empty();
  std::vector<const BlobRecord *> Blobs;
  for (const BlobRecord &Blob : Known.blobs())
    if ((Every || Named.contains(Blob.Stem)) &&
        Known.find(Blob.Stem) == &Blob && fits(Chosen, Blob))
      Blobs.push_back(&Blob);
  return Blobs;
}

Expected<Requests> ckjit::requestsFor(const BlobRecord &Blob,
                                      const RequestContext &Context,
                                      ArrayRef<std::string> Targets) {
  Result<BlobRequest> Request = makeRequest(Blob, Context);
  if (!Request)
    return objectError(Blob.Stem, Request.status().message());
  Requests All;
  if (Request->Compile.Lang != jit::Language::Hip) {
    All.List.push_back(std::move(Request->Compile));
    return std::move(All);
  }
  std::vector<std::string> Chosen;
  for (const std::string &Wanted : Targets) {
    Result<std::string> Target = jit::chooseTarget(Request->BuiltFor, Wanted);
    if (!Target)
      All.WhyNone = Target.status().message();
    else if (!is_contained(Chosen, *Target))
      Chosen.push_back(*Target);
  }
  if (Targets.empty()) {
    Chosen = Request->BuiltFor;
    if (Chosen.empty())
      return objectError(Blob.Stem, "neither the build nor a GPU of this "
                                    "machine says for what to compile; name "
                                    "a --target");
  }
  for (const std::string &Target : Chosen) {
    All.List.push_back(Request->Compile);
    All.List.back().Target = Target;
  }
  return std::move(All);
}

static std::vector<std::string> targetsOf(const Choice &Chosen) {
  return Chosen.Targets.empty() ? gpusOfMachine() : Chosen.Targets;
}

static std::string unknownMessage(const Source &Input, StringRef Stem) {
  std::vector<StringRef> Stems;
  for (const BlobRecord &Blob : Input.Manifest.blobs())
    Stems.push_back(Blob.Stem);
  StringRef Nearest =
      getNearest(Stems, Stem, std::max<unsigned>(3, Stem.size() / 4));
  return (Stem + ": no such blob in the manifest" +
          (Nearest.empty() ? Twine("; 'ck-jit prebuild list' shows all")
                           : "; did you mean " + Nearest + "?"))
      .str();
}

static Error findProgram(Source &Input) {
  Settings S = Settings::fromEnvironment();
  Result<std::string> Compiler = findCompiler(S, Input.Context.Compiler);
  if (!Compiler)
    return objectError(StringRef(Compiler.status().message()).split(':').first,
                       "not found; name the compiler with --compiler");
  Input.Context.Compiler = std::move(*Compiler);
  return Error::success();
}

static void value(json::OStream &OS, StringRef Name, StringRef Text) {
  OS.attribute(Name, json::fixUTF8(Text));
}

//===----------------------------------------------------------------------===//
// list
//===----------------------------------------------------------------------===//

namespace {
struct Row {
  const BlobRecord *Blob;
  std::string Target;
  std::string State; ///< cached, missing, or the reason why neither is known
  std::string Key;
};
} // namespace

/// Only looks: an entry whose key would need a compiler counts as missing.
static Row makeRow(const BlobRecord &Blob, const jit::CompileRequest &Request,
                   jit::SourceCache &Sources) {
  Row New{&Blob, Request.Target, "missing", ""};
  if (Result<jit::StoredEntry> Entry = Sources.get(Request)) {
    New.State = "cached";
    New.Key = Entry->Info.Key.hex();
  }
  return New;
}

static void printRows(ArrayRef<Row> Rows, ArrayRef<std::string> Unknown,
                      const Choice &Chosen, const Source &Input,
                      raw_ostream &Out) {
  if (!Chosen.Json) {
    for (const Row &R : Rows)
      Out << left_justify(R.State, 8)
          << left_justify(R.Target, R.Target.empty() ? 0 : 9)
          << (R.Target.empty() ? "" : " ") << R.Blob->Stem << '\n';
    return;
  }
  kpack::printJson(
      Out, "ck-jit.prebuild.list/1",
      [&](json::OStream &OS) {
        value(OS, "cache", Input.CacheDir);
        OS.attributeArray("blobs", [&] {
          for (const Row &R : Rows)
            OS.object([&] {
              value(OS, "stem", R.Blob->Stem);
              value(OS, "source", R.Blob->Source);
              value(OS, "target", R.Target);
              value(OS, "state", R.State);
              if (!R.Key.empty())
                value(OS, "key", R.Key);
            });
        });
        OS.attributeArray("unknown", [&] {
          for (const std::string &Stem : Unknown)
            OS.value(json::fixUTF8(Stem));
        });
      },
      /*Indent=*/1);
}

Error ckjit::listBlobs(const Choice &Chosen, Source &Input, Session &S) {
  std::vector<std::string> Unknown;
  std::vector<const BlobRecord *> Blobs =
      chosenBlobs(Chosen, Input.Manifest, Unknown);
  if (Error E = findProgram(Input))
    return E;
  jit::CacheOptions Where;
  Where.Directory = Input.CacheDir;
  Where.Mode = jit::CacheMode::Strict;
  Where.OnEvent = [&](const jit::CacheEvent &Event) {
    if (Event.What == jit::CacheEvent::Kind::Quarantined)
      S.err() << "ck-jit: warning: " << Event.Detail << '\n';
  };
  // Without a helper, so that no program runs.
  auto Sources = jit::SourceCache::open(std::move(Where),
                                        jit::CompileService("/dev/null"));
  if (!Sources)
    return toError(Sources.status());
  std::vector<std::string> Targets = targetsOf(Chosen);
  std::vector<Row> Rows;
  for (const BlobRecord *Blob : Blobs) {
    Expected<Requests> Wanted = requestsFor(*Blob, Input.Context, Targets);
    if (!Wanted) {
      S.error(Wanted.takeError());
      Rows.push_back({Blob, "", "unclear", ""});
      continue;
    }
    for (const jit::CompileRequest &Request : Wanted->List)
      Rows.push_back(makeRow(*Blob, Request, **Sources));
    if (Wanted->List.empty())
      Rows.push_back({Blob, "", "other", ""});
  }
  printRows(Rows, Unknown, Chosen, Input, S.out());
  for (const std::string &Stem : Unknown)
    S.error(unknownMessage(Input, Stem));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// build
//===----------------------------------------------------------------------===//

static size_t count(const BuildReport &Report, Outcome::Kind Kind) {
  return count_if(Report.Outcomes,
                  [&](const Outcome &O) { return O.What == Kind; });
}

static void printJson(const BuildReport &Report,
                      ArrayRef<jit::CompileRequest> All, const Source &Input,
                      raw_ostream &Out) {
  kpack::printJson(
      Out, "ck-jit.prebuild.build/1",
      [&](json::OStream &OS) {
        value(OS, "cache", Input.CacheDir);
        OS.attributeArray("blobs", [&] {
          for (auto [Request, Result] : zip(All, Report.Outcomes))
            OS.object([&] {
              value(OS, "stem", Request.Name);
              value(OS, "target", Request.Target);
              value(OS, "state", nameOf(Result.What));
              OS.attribute("seconds", Result.Seconds);
              if (!Result.Key.empty())
                value(OS, "key", Result.Key);
              if (!Result.Message.empty())
                value(OS, "message", Result.Message);
            });
        });
        for (Outcome::Kind Kind :
             {Outcome::Kind::Compiled, Outcome::Kind::Cached,
              Outcome::Kind::Failed})
          OS.attribute(nameOf(Kind), int64_t(count(Report, Kind)));
      },
      /*Indent=*/1);
}

std::string ckjit::escaped(StringRef Text, StringRef Special, char Escape) {
  std::string Result;
  for (char C : Text) {
    if (Special.contains(C))
      Result += Escape;
    Result += C;
  }
  return Result;
}

/// Quotes $, # and spaces as compilers do.
static std::string makeQuoted(StringRef Path) {
  return escaped(escaped(Path, " #\\", '\\'), "$", '$');
}

/// Writes the depfile, then the stamp, if requested.
static Error writeStamps(const Choice &Chosen, const BuildReport &Report) {
  std::string Rule = makeQuoted(Chosen.Stamp) + ":";
  StringSet<> Seen;
  for (const Outcome &Result : Report.Outcomes)
    for (const std::string &File : Result.Files)
      if (Seen.insert(File).second)
        Rule += " \\\n " + makeQuoted(File);
  if (!Chosen.Depfile.empty())
    if (Error E = writeOutput(Chosen.Depfile, Rule + "\n"))
      return E;
  std::string Keys;
  for (const Outcome &Result : Report.Outcomes)
    Keys += Result.Key + "\n";
  if (Chosen.Stamp.empty())
    return Error::success();
  return writeOutput(Chosen.Stamp, Keys);
}

static Error finish(const Choice &Chosen, const BuildReport &Report,
                    ArrayRef<jit::CompileRequest> All, const Source &Input,
                    size_t Skipped, Session &S) {
  if (Chosen.Json)
    printJson(Report, All, Input, S.out());
  size_t Failed = count(Report, Outcome::Kind::Failed),
         Left = count(Report, Outcome::Kind::NotRun);
  raw_ostream &Log = Chosen.Json ? S.err() : S.out();
  Log << count(Report, Outcome::Kind::Compiled) << " compiled, "
      << count(Report, Outcome::Kind::Cached) << " cached, " << Failed
      << " failed";
  if (Left)
    Log << ", " << Left << " not begun";
  if (Skipped)
    Log << ", " << Skipped << " for other targets";
  Log << ": " << Input.CacheDir << '\n';
  if (Report.Signal) {
    S.error(Twine("ended by signal ") + Twine(Report.Signal) +
            "; what is compiled is kept, the same command goes on from here");
    finishAfterSignal(Report.Signal, S.out(), S.err());
  }
  if (!Failed && !Left)
    return writeStamps(Chosen, Report);
  S.setFailed();
  return Error::success();
}

Error ckjit::buildBlobs(const Choice &Chosen, Source &Input, Session &S) {
  std::vector<std::string> Unknown;
  std::vector<const BlobRecord *> Blobs =
      chosenBlobs(Chosen, Input.Manifest, Unknown);
  for (const std::string &Stem : Unknown)
    S.error(unknownMessage(Input, Stem));
  if (!Unknown.empty() && !Chosen.KeepGoing)
    return Error::success();
  if (Error E = findProgram(Input))
    return E;
  std::vector<std::string> Targets = targetsOf(Chosen);
  std::vector<jit::CompileRequest> All;
  size_t Skipped = 0;
  std::string WhySkipped;
  for (const BlobRecord *Blob : Blobs) {
    Expected<Requests> Wanted = requestsFor(*Blob, Input.Context, Targets);
    if (!Wanted) {
      S.error(Wanted.takeError());
      if (!Chosen.KeepGoing)
        return Error::success();
      continue;
    }
    for (jit::CompileRequest &Request : Wanted->List) {
      Request.Pch = Chosen.Pch;
      All.push_back(std::move(Request));
    }
    if (Wanted->List.empty()) {
      ++Skipped;
      WhySkipped = Blob->Stem + ": " + Wanted->WhyNone;
    }
  }
  if (All.empty() && Skipped)
    return createStringError(WhySkipped);
  // The commands of a job file adapt to the cache as it is when they run.
  bool IsForEngine = !Chosen.Ninja.empty() || !Chosen.Slurm.empty();
  if (!Chosen.DryRun && (!IsForEngine || !Chosen.Mode.empty()))
    if (Status Prepared =
            makeReadable(Settings::fromEnvironment(), Input.CacheDir,
                         Input.IsCacheNamed, Chosen.Mode);
        !Prepared.ok())
      return toError(Prepared);
  if (IsForEngine) {
    auto *Write = Chosen.Ninja.empty() ? writeSlurm : writeNinja;
    return Write(Chosen, Input, All, S.out());
  }
  if (Chosen.DryRun) {
    for (const jit::CompileRequest &Request : All)
      S.out() << printable(Request.Name) << (Request.Target.empty() ? "" : " ")
              << printable(Request.Target) << '\n';
    return Error::success();
  }
  BuildOptions Options;
  Options.CacheDir = Input.CacheDir;
  Options.Helper = findHelper(Settings::fromEnvironment());
  // Also fill the remote cache, if one is set.
  if (auto Remote =
          openRemote(Settings::fromEnvironment().Remote, Input.CacheDir))
    Options.Remote = std::move(*Remote);
  else
    S.err() << "ck-jit: warning: " << Remote.status().message()
            << "; no remote cache is used\n";
  Options.Jobs = Chosen.Jobs
                     ? Chosen.Jobs
                     : std::max(1u, std::thread::hardware_concurrency());
  Options.KeepGoing = Chosen.KeepGoing;
  Options.Verbose = Chosen.Verbose;
  Options.WantFiles = !Chosen.Depfile.empty();
  std::optional<TraceWriter> Trace;
  if (!Chosen.Trace.empty()) {
    Expected<TraceWriter> Writer = TraceWriter::create(Chosen.Trace);
    if (!Writer)
      return Writer.takeError();
    Options.Trace = &Trace.emplace(std::move(*Writer));
  }
  BuildReport Report = buildAll(All, Options, Chosen.Json ? S.err() : S.out());
  return finish(Chosen, Report, All, Input, Skipped, S);
}

//===----------------------------------------------------------------------===//
// clean
//===----------------------------------------------------------------------===//

Error ckjit::cleanBlobs(const Choice &Chosen, Source &Input, Session &S) {
  if (!sys::fs::is_directory(Input.CacheDir)) {
    S.out() << "0 removed: " << Input.CacheDir << '\n';
    return Error::success();
  }
  Result<std::unique_ptr<jit::Store>> Store =
      jit::Store::open({Input.CacheDir, /*ReadOnly=*/Chosen.DryRun});
  if (!Store)
    return toError(Store.status());
  bool HasManifest = !Input.Manifest.blobs().empty();
  StringSet<> Named;
  for (const std::string &Stem : Chosen.Stems)
    Named.insert(Stem);
  auto IsMeant = [&](const jit::EntryInfo &Info) {
    // Entries shared by blobs, such as precompiled headers, are removed with
    // all of them.
    if (Info.Kind != "shared-object" && Info.Kind != "recipe")
      return Chosen.All && !HasManifest;
    if (!Chosen.Targets.empty() && !is_contained(Chosen.Targets, Info.Target))
      return false;
    if (Chosen.All || Chosen.Stems.empty()) {
      if (HasManifest && !Input.Manifest.find(Info.Name))
        return false;
    } else if (!Named.contains(Info.Name)) {
      return false;
    }
    BlobRecord Alone;
    Alone.Stem = Info.Name;
    const BlobRecord *Known = Input.Manifest.find(Info.Name);
    return fits(Chosen, Known ? *Known : Alone);
  };
  size_t Removed = 0, Pinned = 0;
  uint64_t Bytes = 0;
  for (const jit::StoreItem &Item : (*Store)->list()) {
    std::optional<jit::StoredEntry> Entry = (*Store)->find(Item.Id);
    if (!Entry || !IsMeant(Entry->Info))
      continue;
    if (Item.Pinned) {
      ++Pinned;
      continue;
    }
    bool IsBlob = Entry->Info.Kind == "shared-object";
    if (IsBlob && (Chosen.DryRun || Chosen.Verbose))
      S.out() << printable(Entry->Info.Name)
              << (Entry->Info.Target.empty() ? "" : " ")
              << printable(Entry->Info.Target) << '\n';
    if (!Chosen.DryRun)
      if (Status Gone = (*Store)->remove(Item.Id); !Gone.ok()) {
        S.error(Gone);
        continue;
      }
    Removed += IsBlob;
    Bytes += Item.FileSize;
  }
  S.out() << Removed << (Chosen.DryRun ? " to be removed, " : " removed, ")
          << Bytes << " bytes";
  if (Pinned)
    S.out() << ", " << Pinned << " pinned ones kept";
  S.out() << ": " << Input.CacheDir << '\n';
  return Error::success();
}
