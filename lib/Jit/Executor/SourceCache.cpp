//===- SourceCache.cpp - sources through the cache ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SourceCache.h; the fields are listed in docs/format/jit-cache.md, "Key of
// a source".
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Executor/SourceCache.h"

#include "PchSafety.h"
#include "Repro.h"

#include "kpack/Jit/Service/CompilePlan.h"
#include "kpack/Jit/Service/CompileProtocol.h"
#include "kpack/Jit/Service/HostProcessor.h"
#include "kpack/Jit/Service/Preamble.h"
#include "kpack/Jit/Service/SourceText.h"
#include "kpack/Support/Files.h"

#include <algorithm>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

/// Variables that decide what a compiler finds. They name lists of files, which
/// are made anew where one of them changes; what was found is in the key of an
/// object, not how it was named.
static constexpr const char *SearchVariables[] = {
    "CPATH",        "C_INCLUDE_PATH",      "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH", "COMPILER_PATH",       "ROCM_PATH",
    "HIP_PATH",     "HIP_DEVICE_LIB_PATH", "GCC_EXEC_PREFIX"};
/// Variables that are flags.
static constexpr const char *FlagVariables[] = {"CCC_OVERRIDE_OPTIONS",
                                                "LD_RUN_PATH"};

/// Everything that a key is made of but the request itself.
class SourceCache::Inputs {
public:
  Digest Source{};
  FileSet Tools;
  FileSet Headers;
};

static std::string baseName(const std::string &Path) {
  return Path.substr(Path.rfind('/') + 1);
}

/// What a link takes as it is: it is in the key by content, and by its name for
/// the order among other flags.
static bool isInputFile(const std::string &LinkFlag) {
  size_t Size = LinkFlag.size();
  return Size > 2 && LinkFlag[0] != '-' &&
         (LinkFlag.compare(Size - 2, 2, ".a") == 0 ||
          LinkFlag.compare(Size - 2, 2, ".o") == 0);
}

/// The content of all programs as one value.
static Digest digestOf(const FileSet &Tools) {
  std::string All;
  for (const FileRecord &File : Tools.files())
    if (File.Use != FileUse::Linked)
      All += bytesOf(File.Hash);
  return sha256(All);
}

static void addVariable(KeyBuilder &Key, const char *Name) {
  if (const char *Value = ::getenv(Name))
    Key.add(std::string("environment ") + Name, Value);
}

static void addSearchVariables(KeyBuilder &Key) {
  for (const char *Name : SearchVariables)
    addVariable(Key, Name);
}

static void addDigest(KeyBuilder &Key, const std::string &Name,
                      const Digest &Hash) {
  Key.addDigest(Name, Hash, toHex(Hash).substr(0, 16));
}

/// "int a = 1; bool b = true;" of what stands in front of a text, as much as a
/// person reads.
static std::string shownConstants(const std::string &Before) {
  static constexpr std::string_view Head = "#line 1 \"constants\"\n",
                                    Start = "inline constexpr ";
  constexpr size_t Most = 160;
  size_t At = Before.find(Head);
  if (At == std::string::npos)
    return "none";
  std::string Shown;
  for (At += Head.size(); At < Before.size();) {
    size_t End = std::min(Before.find('\n', At), Before.size());
    std::string Line = Before.substr(At, End - At);
    Shown += (Shown.empty() ? "" : " ") +
             (startsWith(Line, Start) ? Line.substr(Start.size()) : Line);
    At = End + 1;
  }
  return Shown.size() > Most ? Shown.substr(0, Most) + "..." : Shown;
}

/// What a source that is no file has besides its text.
static void addText(KeyBuilder &Key, const CompileRequest &Request) {
  if (!Request.Text)
    return;
  const SourceText &Source = *Request.Text;
  Key.addDigest("constants", sha256(Source.Before),
                shownConstants(Source.Before));
  addDigest(Key, "entries", sha256(Source.After));
  for (const std::string &Entry : Request.Entries)
    Key.add("entry", Entry);
  for (const MemoryFile &Header : Source.Headers)
    addDigest(Key, "header " + Header.Name, sha256(Header.Text));
  if (mayShowItsName(Request))
    Key.add("name", Request.Source);
}

/// What recipe, object and precompiled headers depend on; the latter on no one
/// source.
static void addCommon(KeyBuilder &Key, const CompileRequest &Request,
                      const FileSet &Tools, const Digest *Source) {
  Key.add("language", Request.Lang == Language::Hip ? "hip" : "c++")
      .add("target", Request.Target)
      .addDigest("compiler", digestOf(Tools), Tools.Note);
  // Shared objects have been keyed without it.
  if (Request.Output == CompileOutput::CodeObject)
    Key.add("output", "code object");
  if (Request.Output == CompileOutput::Ptx)
    Key.add("output", "PTX");
  if (Source) {
    addDigest(Key, "source", *Source);
    addText(Key, Request);
    for (const std::string &Symbol : Request.Symbols)
      Key.add("symbol", Symbol);
  }
  for (const char *Name : FlagVariables)
    addVariable(Key, Name);
}

/// Whether the compiler is asked which processor there is, as far as the
/// request says; files of flags may ask as well, which their list says.
static bool dependsOnMachine(const CompileRequest &Request) {
  const char *Override = ::getenv("CCC_OVERRIDE_OPTIONS");
  auto Asks = [](const std::string &Flag) {
    return jit::asksForProcessor(Flag);
  };
  return (Override && jit::asksForProcessor(Override)) ||
         std::any_of(Request.Flags.begin(), Request.Flags.end(), Asks) ||
         std::any_of(Request.LinkFlags.begin(), Request.LinkFlags.end(), Asks);
}

/// Of a text none that says anything: it is compiled somewhere.
static std::string directoryOf(const CompileRequest &Request) {
  return Request.Text                ? "/"
         : Request.Directory.empty() ? folderOf(Request.Source)
                                     : Request.Directory;
}

/// Names the list of headers: whatever decides where they are looked for.
static KeyRecord recipeKey(const CompileRequest &Request, const Digest &Source,
                           const FileSet &Tools, const std::string &Processor) {
  KeyBuilder Key("kpack-jit recipe 2");
  addCommon(Key, Request, Tools, &Source);
  addSearchVariables(Key);
  Key.add("path", Request.Source).add("directory", Request.Directory);
  for (const std::string &Flag : Request.Flags)
    Key.add("flag", Flag);
  for (const std::string &Flag : Request.LinkFlags)
    Key.add("link-flag", Flag);
  // Machines that share a cache keep a list each.
  if (dependsOnMachine(Request))
    Key.add("machine", Processor);
  return Key.finish();
}

/// What the compiler takes a processor for: its name is shown, the abilities
/// are many.
static void addProcessors(KeyBuilder &Key, const FileSet &Headers) {
  for (const auto &[Name, Value] : Headers.facts())
    if (Name == "processor") {
      size_t Abilities =
          std::min({Value.find(" +"), Value.find(" -"), Value.size()});
      Digest Hash = sha256(Value);
      Key.addDigest("processor", Hash,
                    Value.substr(0, Abilities) + " " +
                        toHex(Hash).substr(0, 8));
    }
}

/// \p Flag with the name alone of a file that is in the key by content. A macro
/// keeps its value, which may be in the outcome.
static std::string withoutFolder(const std::string &Flag,
                                 const std::string &Before,
                                 const std::string &Directory,
                                 const FileSet &Files) {
  auto Defines = [](const std::string &Word) {
    return Word.compare(0, 2, "-D") == 0 || Word.compare(0, 2, "-U") == 0;
  };
  size_t Equals = Flag.find('=');
  size_t At = Flag.compare(0, 1, "@") == 0  ? 1
              : Equals == std::string::npos ? 0
                                            : Equals + 1;
  size_t Slash = Flag.rfind('/');
  if (Slash == std::string::npos || Slash < At || Defines(Flag) ||
      Before == "-D" || Before == "-U")
    return Flag;
  std::string Path = absolute(Flag.substr(At), Directory);
  bool IsKnown =
      std::any_of(Files.files().begin(), Files.files().end(),
                  [&](const FileRecord &F) { return F.Path == Path; });
  return IsKnown ? Flag.substr(0, At) + Flag.substr(Slash + 1) : Flag;
}

/// Of flags that name files, only what is no matter of places.
static void addFlags(KeyBuilder &Key, const char *Name,
                     const std::vector<std::string> &Flags,
                     const std::string &Directory, const FileSet &Files) {
  std::string Before;
  for (const std::string &Flag : flagsWithoutPaths(Flags)) {
    Key.add(Name, std::string_view(Name) == "link-flag" && isInputFile(Flag)
                      ? baseName(Flag)
                      : withoutFolder(Flag, Before, Directory, Files));
    Before = Flag;
  }
}

static void addFiles(KeyBuilder &Key, const char *Name, const FileSet &Files,
                     FileUse Use) {
  for (const FileRecord &File : Files.files())
    if (File.Use == Use)
      addDigest(Key, Name + baseName(File.Path), File.Hash);
}

static KeyRecord objectKey(const CompileRequest &Request, const Digest &Source,
                           const FileSet &Tools, const FileSet &Headers) {
  std::string Directory = directoryOf(Request);
  KeyBuilder Key("kpack-jit source 3");
  addCommon(Key, Request, Tools, &Source);
  if (!Headers.fact("dated").empty())
    addVariable(Key, "SOURCE_DATE_EPOCH");
  addProcessors(Key, Headers);
  addFlags(Key, "flag", Request.Flags, Directory, Headers);
  if (Request.Output == CompileOutput::SharedObject) {
    addFlags(Key, "link-flag", Request.LinkFlags, Directory, Tools);
    addFiles(Key, "link ", Tools, FileUse::Linked);
  }
  addFiles(Key, "named ", Headers, FileUse::Named);
  addFiles(Key, "include ", Headers, FileUse::Compiled);
  return Key.finish();
}

/// Flags that have another compiler or assembler run.
static bool choosesTools(const std::string &Flag) {
  for (std::string_view Start :
       {"-B", "-fno-integrated", "--config", "@", "-target", "--target",
        "--gcc-", "--sysroot", "-isysroot", "-m32", "--prefix", "-save-temps"})
    if (Flag.compare(0, Start.size(), Start) == 0)
      return true;
  return false;
}

/// Names the list of programs and linked files: whatever decides where they
/// are looked for. The link's flags choose the linker, the language the
/// device's.
static KeyRecord toolsKey(const CompileRequest &Request) {
  KeyBuilder Key("kpack-jit tools 3");
  Key.add("compiler", Request.Compiler)
      .add("language", Request.Lang == Language::Hip ? "hip" : "c++")
      .add("directory", directoryOf(Request));
  for (const char *Name : FlagVariables)
    addVariable(Key, Name);
  addSearchVariables(Key);
  for (const std::string &Flag : Request.LinkFlags)
    Key.add("link-flag", Flag);
  for (size_t I = 0; I < Request.Flags.size(); ++I)
    if (choosesTools(Request.Flags[I]) ||
        (I && choosesTools(Request.Flags[I - 1])))
      Key.add("flag", Request.Flags[I]);
  return Key.finish();
}

/// Whether a header asks where it is included from, which precompiled ones
/// would answer in another way.
static bool asksForItsPlace(const FileSet &Headers) {
  return std::any_of(
      Headers.files().begin(), Headers.files().end(), [](const FileRecord &F) {
        std::string Text = contentOf(F.Path);
        return Text.find("__BASE_FILE__") != std::string::npos ||
               Text.find("__INCLUDE_LEVEL__") != std::string::npos;
      });
}

static std::string timeOf(const std::string &Path) {
  struct stat Info;
  return ::stat(Path.c_str(), &Info) == 0 ? std::to_string(Info.st_mtime) : "";
}

/// Names the precompiled headers of a family. Unlike objects they are tied to
/// paths and times: the compiler takes them for what it would include by path,
/// and refuses them when that was written since.
static KeyRecord pchKey(const CompileRequest &Request, const FileSet &Tools,
                        const FileSet &Headers, const std::string &Preamble,
                        bool WithKernels) {
  KeyBuilder Key("kpack-jit pch 2");
  addCommon(Key, Request, Tools, nullptr);
  addSearchVariables(Key);
  addVariable(Key, "SOURCE_DATE_EPOCH");
  addProcessors(Key, Headers);
  Key.add("directory", Request.Directory)
      .add("folder", folderOf(Request.Source));
  for (const std::string &Flag : Request.Flags)
    Key.add("flag", Flag);
  for (const FileRecord &Header : Headers.files())
    Key.addDigest("include " + Header.Path, Header.Hash,
                  toHex(Header.Hash).substr(0, 16))
        .add("time", timeOf(Header.Path));
  Key.add("kernels", WithKernels ? "yes" : "no");
  Key.add("preamble", Preamble);
  return Key.finish();
}

static PchPlace placeOfPch(const Cache &Where, const CompileRequest &Request,
                           const FileSet &Tools, const FileSet &Headers) {
  PchPlace Place;
  if (Request.Pch == PchPolicy::Off || Request.Text ||
      Where.writableDirectory().empty() || !allowsPch(Request))
    return Place;
  std::string Source = contentOf(Request.Source); // else the compile says so
  Preamble Start = preambleOf(Source);
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

/// Of who asks for what is there, and would have to ask a compiler first.
static Status notThere(const std::string &Name) {
  return Status(StatusCode::KernelNotFound, Name + ": is not compiled yet",
                Errc::MissingKernel);
}

/// A list of files that is looked up, checked against the files, and made anew
/// by \p Find where they have changed. Null: it is not, and nobody waits for
/// another thread that does, or is told that this one has not.
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
  // Else each process would read the same files again; they may be a
  // compiler's, of hundreds of MB.
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

/// The list of headers of a text that has none: nobody has to be asked.
static Result<FileSet> noHeaders(const std::string &Machine) {
  FileNames None;
  if (!Machine.empty())
    None.Facts.emplace_back("processor", "this machine's, " + Machine);
  return FileSet::of(std::move(None));
}

std::string SourceCache::machine() const {
  return toHex(sha256(Processor.empty() ? hostProcessor() : Processor));
}

std::string SourceCache::machineOf(const CompileRequest &Request) const {
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
  std::string Asked = machineOf(Request);
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

/// What the cache is asked for, but for the key.
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

/// Known by the request alone: nobody looks it up.
static KeyRecord ownKey(const CompileRequest &Request) {
  KeyBuilder Key("kpack-jit own 1");
  addDigest(Key, "request", sha256(encodeRequest(Request, "").encode()));
  return Key.finish();
}

Result<StoredEntry> SourceCache::get(const CompileRequest &Request,
                                     Freshness HowNew) {
  if (HowNew == Freshness::Own) {
    CacheRequest Wanted = productOf(Request);
    Wanted.Key = ownKey(Request);
    Wanted.Machine = machineOf(Request);
    return Where.make(Wanted, [&] { return compile(Request, PchPlace()); });
  }
  // Once more when somebody edits a file in the middle of it.
  for (bool IsLast : {false, true}) {
    Result<Inputs> Now = inputs(Request, HowNew);
    if (!Now)
      return Now.status();
    CacheRequest Wanted = productOf(Request);
    Wanted.Replaces = HowNew == Freshness::New;
    Wanted.Machine = machineOf(Request);
    Wanted.Key = objectKey(Request, Now->Source, Now->Tools, Now->Headers);
    if (HowNew == Freshness::There) {
      std::optional<StoredEntry> Kept = Where.peek(Wanted);
      return Kept ? Result<StoredEntry>(std::move(*Kept))
                  : notThere(Request.Name);
    }
    bool WasEdited = false;
    Result<StoredEntry> Entry = Where.get(Wanted, [&]() -> Result<Product> {
      Result<Product> Made = compile(
          Request, placeOfPch(Where, Request, Now->Tools, Now->Headers));
      if (Made)
        LastCpuSeconds = Made->CpuSeconds;
      // What may be different the next time says nothing about the source.
      if (Made.status().code() == StatusCode::IoError ||
          Made.status().code() == StatusCode::OutOfMemory)
        return withRepro(Where, Wanted.Key.Id, Request, Made.status());
      Result<Digest> Source = digestOfSource(Request);
      WasEdited = !Source || *Source != Now->Source ||
                  !Now->Headers.unchanged() || !Now->Tools.unchanged();
      if (WasEdited)
        return Status(StatusCode::IoError,
                      Request.Name +
                          ": its source, a header or a linked file was "
                          "written to while it was compiled; call "
                          "it again");
      if (!Made)
        return withRepro(Where, Wanted.Key.Id, Request, Made.status());
      return Made;
    });
    if (Entry || !WasEdited || IsLast)
      return Entry;
  }
  return Status(StatusCode::IoError, Request.Name); // not reached
}
