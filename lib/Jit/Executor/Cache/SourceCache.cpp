//===- SourceCache.cpp - cached compiles of sources -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Jit/Service/CompileKey.h makes the keys.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Cache/SourceCache.h"

#include "Jit/Executor/Cache/PchSafety.h"
#include "Jit/Executor/Cache/Repro.h"

#include "Jit/Service/CompileKey.h"
#include "Jit/Service/CompilePlan.h"
#include "Jit/Service/HostProcessor.h"
#include "Jit/Service/Preamble.h"
#include "Jit/Service/SourceText.h"
#include "Support/Files.h"

#include <algorithm>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// The inputs of a key besides the request.
class SourceCache::Inputs {
public:
  Digest Source{};
  FileSet Tools;
  FileSet Headers;
};

/// Returns true if a header depends on the place of its inclusion, which
/// differs in a precompiled header.
static bool asksForItsPlace(const FileSet &Headers) {
  return std::any_of(
      Headers.files().begin(), Headers.files().end(), [](const FileRecord &F) {
        std::string Text = readContent(F.Path);
        return Text.find("__BASE_FILE__") != std::string::npos ||
               Text.find("__INCLUDE_LEVEL__") != std::string::npos;
      });
}

static PchPlace placeOfPch(const Cache &Where, const CompileRequest &Request,
                           const FileSet &Tools, const FileSet &Headers) {
  PchPlace Place;
  if (Request.Pch == PchPolicy::Off || Request.Text ||
      Where.writableDirectory().empty() || !allowsPch(Request))
    return Place;
  std::string Source =
      readContent(Request.Source); // else the compile reports it
  Preamble Start = parsePreamble(Source);
  if (Start.Bytes == 0 || asksForItsPlace(Headers))
    return Place;
  Place.Store = Where.writableDirectory();
  Place.WithKernels = Request.Lang == Language::Hip &&
                      isSafeForSharedInstantiations(
                          std::string_view(Source).substr(Start.Bytes));
  Place.Key = pchKey(Request, Tools, Headers, Start.Text, Place.WithKernels);
  return Place;
}

static Result<FileSet> readSet(const StoredEntry &Entry) {
  std::string Bytes(Entry.PayloadSize, '\0');
  if (readAt(Entry.File.get(), Bytes.data(), Bytes.size(), 0) ==
      ssize_t(Bytes.size()))
    if (std::optional<FileSet> Set = FileSet::decode(Bytes))
      return std::move(*Set);
  return Status(StatusCode::InvalidFormat,
                Entry.Info.Name + ": the cached list of files is damaged");
}

/// The error of Freshness::There if a compiler would have to run first.
static Status notThere(const std::string &Name) {
  return Status(StatusCode::KernelNotFound, Name + ": is not compiled yet",
                Errc::MissingKernel);
}

/// Looks up a list of files, checks it against the files, and makes it anew by
/// \p Find if they have changed. With a null \p Find it only looks: it waits
/// for no other thread, and no thread receives its failure.
static Result<FileSet>
listThroughCache(Cache &Where, KeyRecord Key, const std::string &Name,
                 const StopCallback &Stop,
                 const std::function<bool(FileSet &)> &Holds,
                 const std::function<Result<FileSet>()> &Find) {
  CacheRequest Wanted;
  Wanted.Key = std::move(Key);
  Wanted.Name = Name;
  Wanted.Kind = "recipe";
  Wanted.Auxiliary = true;
  Wanted.Stop = Stop;
  std::optional<FileSet> Current;
  Wanted.Accept = [&](const StoredEntry &Entry) {
    Result<FileSet> Set = readSet(Entry);
    if (!Set || !Holds(*Set))
      return false;
    Current = std::move(*Set);
    return true;
  };
  auto Make = [&]() -> Result<Product> {
    Result<FileSet> Set = Find();
    if (!Set)
      return Set.status();
    Current = std::move(*Set);
    return Product{Current->encode(), ""};
  };
  auto Look = [&]() -> Result<StoredEntry> {
    std::optional<StoredEntry> Kept = Where.peek(Wanted);
    return Kept ? Result<StoredEntry>(std::move(*Kept)) : notThere(Name);
  };
  Result<StoredEntry> Entry = Find ? Where.get(Wanted, Make) : Look();
  if (!Entry)
    return Entry.status();
  // Store the new stamps. Otherwise each process would read the same files
  // again, possibly hundreds of MB of a compiler.
  std::string Mine = Where.writableDirectory();
  if (Current && Current->isRefreshed() && !Mine.empty() &&
      startsWith(Entry->Path, Mine + "/")) {
    Wanted.Accept = nullptr;
    Wanted.Replaces = true;
    (void)Where.get(Wanted, [&]() -> Result<Product> {
      return Product{Current->encode(), ""};
    });
  }
  return Current ? Result<FileSet>(std::move(*Current)) : readSet(*Entry);
}

Result<std::unique_ptr<SourceCache>> SourceCache::open(CacheOptions Options,
                                                       CompileService Service) {
  auto Opened = Cache::open(std::move(Options));
  if (!Opened)
    return Opened.status();
  auto Sources = std::make_unique<SourceCache>(**Opened, std::move(Service));
  Sources->Own = std::move(*Opened);
  return Sources;
}

static Result<Digest> digestOfSource(const CompileRequest &Request) {
  return Request.Text ? sha256(Request.Text->Text)
                      : sha256OfFile(Request.Source);
}

/// Returns the list of headers of a text that has none, without a compiler.
static Result<FileSet> noHeaders(const std::string &Machine) {
  FileNames None;
  if (!Machine.empty())
    None.Facts.emplace_back("processor", "this machine's, " + Machine);
  return FileSet::of(std::move(None));
}

std::string SourceCache::machine() const {
  return toHex(sha256(Processor.empty() ? hostProcessor() : Processor));
}

std::string SourceCache::getMachine(const CompileRequest &Request) const {
  return dependsOnMachine(Request) ? machine() : std::string();
}

Result<SourceCache::Inputs> SourceCache::inputs(const CompileRequest &Request,
                                                Freshness Wanted) {
  using Finder = std::function<Result<FileSet>()>;
  bool MayAsk = Wanted != Freshness::There;
  Inputs Found;
  if (Request.Text)
    if (Status Checked = checkText(Request); !Checked.ok())
      return Checked;
  Result<Digest> Source = digestOfSource(Request);
  if (!Source)
    return Source.status();
  Found.Source = *Source;
  Finder AskForTools = [&]() -> Result<FileSet> {
    Result<FileNames> Names = Service.tools(Request);
    if (!Names)
      return Names.status();
    return FileSet::of(std::move(*Names));
  };
  Result<FileSet> Tools = listThroughCache(
      Where, toolsKey(Request), Request.Compiler, Request.Stop,
      [](FileSet &Set) { return Set.refresh(); },
      MayAsk ? AskForTools : nullptr);
  if (!Tools)
    return Tools.status();
  Found.Tools = std::move(*Tools);
  std::string Asked = getMachine(Request);
  if (isSelfContained(Request)) {
    Result<FileSet> None = noHeaders(Asked);
    if (!None)
      return None.status();
    Found.Headers = std::move(*None);
    return Found;
  }
  KeyRecord Recipe = recipeKey(Request, Found.Source, Found.Tools, Asked);
  Finder AskForHeaders = [&]() -> Result<FileSet> {
    Result<FileNames> Names = Service.scan(Request);
    if (!Names)
      return withRepro(Where, Recipe.Id, Request, Names.status());
    for (auto &[Fact, Value] : Names->Facts)
      if (Fact == "native")
        Value = machine();
    return FileSet::of(std::move(*Names));
  };
  Result<FileSet> Headers = listThroughCache(
      Where, Recipe, Request.Name, Request.Stop,
      [&](FileSet &Set) {
        std::string Native = Set.fact("native");
        return (Native.empty() || Native == machine()) && Set.refresh();
      },
      MayAsk ? AskForHeaders : nullptr);
  if (!Headers)
    return Headers.status();
  Found.Headers = std::move(*Headers);
  return Found;
}

Result<KeyRecord> SourceCache::key(const CompileRequest &Request) {
  Result<Inputs> Now = inputs(Request);
  if (!Now)
    return Now.status();
  return objectKey(Request, Now->Source, Now->Tools, Now->Headers);
}

Result<std::vector<std::string>>
SourceCache::files(const CompileRequest &Request) {
  Result<Inputs> Now = inputs(Request);
  if (!Now)
    return Now.status();
  std::vector<std::string> Paths;
  if (!Request.Text)
    Paths.push_back(Request.Source);
  for (const FileRecord &Header : Now->Headers.files())
    Paths.push_back(Header.Path);
  return Paths;
}

/// Returns the request to the cache, except the key.
static CacheRequest productOf(const CompileRequest &Request) {
  CacheRequest Wanted;
  Wanted.Name = Request.Name;
  Wanted.Target = Request.Target;
  Wanted.Symbol = Request.Symbols.empty() ? "" : Request.Symbols.front();
  Wanted.Kind = kindOf(Request.Output);
  Wanted.Stop = Request.Stop;
  return Wanted;
}

Result<std::pair<KeyRecord, std::optional<NearestEntry>>>
SourceCache::nearest(const CompileRequest &Request) {
  Result<KeyRecord> Key = key(Request);
  if (!Key)
    return Key.status();
  CacheRequest Wanted = productOf(Request);
  Wanted.Key = *Key;
  std::optional<NearestEntry> Found = Where.nearest(Wanted);
  return std::make_pair(std::move(*Key), std::move(Found));
}

Result<Product> SourceCache::compile(const CompileRequest &Request,
                                     const PchPlace &Headers) {
  if (!IsDryRun)
    return Service.compile(Request, Headers);
  if (Status Checked = Service.check(Request); !Checked.ok())
    return Checked;
  return Status(StatusCode::KernelNotFound,
                Request.Name + ": can be compiled, and was not "
                               "(KPACK_JIT_DRY_RUN)",
                Errc::MissingKernel);
}

Result<StoredEntry> SourceCache::get(const CompileRequest &Request,
                                     Freshness HowNew) {
  if (HowNew == Freshness::Own) {
    CacheRequest Wanted = productOf(Request);
    Wanted.Key = requestKey(Request);
    Wanted.Machine = getMachine(Request);
    return Where.make(Wanted, [&] { return compile(Request, PchPlace()); });
  }
  // Repeat once if a file is edited during the compile.
  for (bool IsLast : {false, true}) {
    Result<Inputs> Now = inputs(Request, HowNew);
    if (!Now)
      return Now.status();
    CacheRequest Wanted = productOf(Request);
    Wanted.Replaces = HowNew == Freshness::New;
    Wanted.Machine = getMachine(Request);
    Wanted.Key = objectKey(Request, Now->Source, Now->Tools, Now->Headers);
    if (HowNew == Freshness::There) {
      std::optional<StoredEntry> Kept = Where.peek(Wanted);
      return Kept ? Result<StoredEntry>(std::move(*Kept))
                  : notThere(Request.Name);
    }
    bool WasEdited = false;
    Result<StoredEntry> Entry = Where.get(Wanted, [&]() -> Result<Product> {
      Result<Product> Compiled = compile(
          Request, placeOfPch(Where, Request, Now->Tools, Now->Headers));
      if (Compiled)
        LastCpuSeconds = Compiled->CpuSeconds;
      // A transient failure shows nothing about the source.
      if (Compiled.status().code() == StatusCode::IoError ||
          Compiled.status().code() == StatusCode::OutOfMemory)
        return withRepro(Where, Wanted.Key.Id, Request, Compiled.status());
      Result<Digest> Source = digestOfSource(Request);
      WasEdited = !Source || *Source != Now->Source ||
                  !Now->Headers.unchanged() || !Now->Tools.unchanged();
      if (WasEdited)
        return Status(StatusCode::IoError,
                      Request.Name +
                          ": its source, a header or a linked file was "
                          "written to while it was compiled; call "
                          "it again");
      if (!Compiled)
        return withRepro(Where, Wanted.Key.Id, Request, Compiled.status());
      return Compiled;
    });
    if (Entry || !WasEdited || IsLast)
      return Entry;
  }
  return Status(StatusCode::IoError, Request.Name); // not reached
}
