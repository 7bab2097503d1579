//===- Library.cpp - link of a library without its kernels ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at LibraryBuild::run. A blob's source gives its definitions.
// References come from two places: the dispatchers' sources, and the undefined
// symbols of compiled objects. The latter include references that the former
// cannot show, such as calls from normally compiled sources.
//
// The loop in run() handles variables. A function can be fetched late, the
// address of a variable cannot: a blob with a referenced variable is compiled
// at once and leaves the index, and the dispatchers are then read and compiled
// again, without stubs for that blob's functions. Every round removes at least
// one blob, so the loop ends. The state is written last, after the link: until
// then a new folder does not count as a linked library.
//
//===----------------------------------------------------------------------===//
#include "Library.h"

#include "CkJit/Intercept/CompilerArguments.h"
#include "CkJit/Intercept/Stub.h"
#include "CkJit/Rewrite/Rewriter.h"
#include "Support/SafePath.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <thread>

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

Error ckjit::makeFolder(const std::string &Path) {
  return makeFolders(Path)
             ? Error::success()
             : objectError(Path, "cannot be made: " + sys::StrError(errno) +
                                     "; name another folder");
}

static unsigned parallelJobs() {
  return std::max(1u, std::thread::hardware_concurrency());
}

//===----------------------------------------------------------------------===//
// The second half: manifest and link
//===----------------------------------------------------------------------===//

/// For sources without device code: without a target on the command line hipcc
/// runs rocm_agent_enumerator, which prints a traceback if there is no GPU.
/// hipcc ignores this target.
static constexpr const char *NoTarget = "HCC_AMDGPU_TARGET=gfx000";

static bool isHip(ArrayRef<std::string> Flags) {
  return any_of(Flags, [](const std::string &Flag) {
    return Flag == "hip" || Flag == "-xhip" ||
           StringRef(Flag).starts_with("--offload-arch=");
  });
}

/// The program may have loaded the HIP runtime for its library alone
/// (RTLD_LOCAL), so a blob must link it itself.
static std::vector<std::string> hipLinkFlags(const BuildSettings &Settings) {
  std::string Folder = Settings.RealRocm + "/lib";
  if (Settings.RealRocm.empty() || !sys::fs::exists(Folder + "/libamdhip64.so"))
    return {};
  return {"-L" + Folder, "-L/opt/rocm/lib", "-lamdhip64"};
}

EmbedOptions ckjit::embedOptions(const BuildSettings &Settings,
                                 ArrayRef<BlobRecord> Blobs,
                                 const std::string &RootAtRunTime) {
  EmbedOptions Embed;
  Embed.Name = Settings.Name;
  Embed.Root = RootAtRunTime;
  bool IsHip =
      any_of(Blobs, [](const BlobRecord &B) { return isHip(B.Flags); });
  Embed.LinkFlags = IsHip ? hipLinkFlags(Settings) : std::vector<std::string>();
  return Embed;
}

Error ckjit::linkLibrary(HeldSignals &Signals, const BuildSettings &Settings,
                         const LibraryState &State,
                         std::vector<BlobRecord> Blobs,
                         const LinkPlace &Place) {
  SymbolTable Symbols;
  if (Error E = Symbols.add(State.indexFile()))
    return E;
  EmbedOptions Embed = embedOptions(Settings, Blobs, Place.RootAtRunTime);
  Expected<std::vector<BlobRecord>> Known =
      relocated(std::move(Blobs), Symbols, Embed);
  Expected<std::string> Library = findRuntimeLibrary();
  Expected<std::string> Include = findRuntimeInclude();
  if (!Known || !Library || !Include)
    return joinErrors(Known.takeError(),
                      joinErrors(Library.takeError(), Include.takeError()));
  std::string Base = Place.Scratch + "/ck_jit_manifest";
  if (Error E =
          writeOutput(Base + ".cpp", manifestSource(*Known, Symbols, Embed)))
    return E;
  BuildCommand Compile{.Words = {State.Compiler, "-x", "c++", "-std=c++17",
                                 "-O0", "-fPIC", "-idirafter", *Include, "-c",
                                 Base + ".cpp", "-o", Base + ".o"},
                       .Variables = {NoTarget}};
  if (Error E = runCommands(Signals, Compile))
    return E;
  BuildCommand Link{{State.Compiler}, State.Directory};
  append_range(Link.Words, State.LinkWords);
  append_values(Link.Words, Base + ".o", *Library);
  for (const std::string &Path : Place.RunPaths)
    Link.Words.push_back("-Wl,-rpath," + Path);
  append_values(Link.Words, "-o", Place.Output);
  return runCommands(Signals, Link);
}

Error ckjit::linkInPlace(HeldSignals &Signals, const BuildSettings &Settings,
                         const LibraryState &State) {
  Expected<std::vector<Record>> Records = loadRecords(State);
  if (!Records)
    return Records.takeError();
  Relocation Here(Settings, /*Copies=*/false);
  std::vector<BlobRecord> Blobs;
  for (const Record &R : *Records)
    Blobs.push_back(Here.blob(R));
  Expected<std::string> Library = findRuntimeLibrary();
  if (!Library)
    return Library.takeError();
  LinkPlace Place;
  Place.Output = State.OutSo;
  Place.Scratch = State.folder();
  Place.RootAtRunTime =
      !Settings.Root.empty() ? Settings.Root : Settings.Project;
  Place.RunPaths = {sys::path::parent_path(*Library).str()};
  return linkLibrary(Signals, Settings, State, std::move(Blobs), Place);
}

//===----------------------------------------------------------------------===//
// The first half: dispatchers
//===----------------------------------------------------------------------===//

/// Returns the ROCm of a link: that of its compiler, else that of the HIP
/// runtime among its inputs, as CMake's packages add it.
static std::string getRocm(StringRef Compiler, ArrayRef<Argument> Arguments) {
  StringRef Folder = sys::path::parent_path(sys::path::parent_path(Compiler));
  if (isHipCompiler(Compiler))
    return Folder.str();
  for (const Argument &A : Arguments) {
    StringRef Parent = sys::path::parent_path(A.Value);
    if (A.isInput() && Parent.consume_back("/lib") &&
        sys::path::filename(A.Value).starts_with("libamdhip64.so"))
      return Parent.str();
  }
  if (Folder.consume_back("/lib/llvm") || Folder.consume_back("/llvm"))
    return Folder.str();
  return "";
}

namespace {
class LibraryBuild {
public:
  LibraryBuild(const BuildSettings &Given, const std::string &Compiler,
               const std::vector<std::string> &Command, raw_ostream &Log)
      : Settings(Given), Words(Command), Arguments(parseArguments(Command)),
        Log(Log) {
    // A build may use the drop-in compiler without 'ck-jit build full'.
    if (Settings.RealRocm.empty())
      Settings.RealRocm = getRocm(Compiler, Arguments);
    State.TmpDir = Settings.TmpDir;
    State.Compiler = Compiler;
    State.Project = Settings.Project;
    State.RealRocm = Settings.RealRocm;
  }
  Error run();

private:
  Error sortInputs();
  Error indexBlobs();
  void readOthers();
  Error readDispatcher(size_t Index);
  Error readDispatchers();
  Error compileDispatchers();
  Expected<bool> compileBlobsWithData();
  Error compileAsUsual(size_t Blob);
  std::set<std::string> undefinedHere();
  Error findReferencesOfObjects(const std::set<std::string> &Undefined);
  Error makeSeam();
  void keepLink();
  Error linkAsItIs();
  SourceOptions makeOptions(const Record &R) const;
  std::string findObject(size_t Dispatcher) const;
  BuildCommand makeCompileCommand(size_t Dispatcher) const;

  BuildSettings Settings;
  const std::vector<std::string> &Words;
  std::vector<Argument> Arguments;
  raw_ostream &Log;
  LibraryState State;
  std::vector<Record> Blobs, Dispatchers;
  /// The number of a dispatcher or a blob by its argument.
  std::map<size_t, size_t> DispatcherOf, BlobOf;
  /// Blobs that cannot be late, by number, and their objects.
  std::map<size_t, std::string> Usual;
  std::vector<std::string> OtherInputs;
  ObjectSymbols Others; ///< of the other inputs and of Usual
  ObjectSymbols Own;    ///< of the dispatchers' objects
  BlobIndex Index;
  std::vector<Reference> References;
  std::string SeamObject;
};
} // namespace

/// Returns the record in \p Path if that is a stub.
static Expected<std::optional<Record>> readStub(const std::string &Path) {
  if (!sys::fs::is_regular_file(Path))
    return std::nullopt;
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(Path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  std::optional<std::string_view> Line;
  if (File) // otherwise the linker reports the error
    Line = recordOfStub((*File)->getBuffer());
  if (!Line)
    return std::nullopt;
  Expected<Record> R = parseRecord(Path, StringRef(Line->data(), Line->size()));
  if (!R)
    return R.takeError();
  // A compiler cache or a moved build folder may have brought it here.
  StringRef Folder = Path;
  if (R->absoluteOutput() != Path &&
      Folder.consume_back(absolutePath(R->Output, "")) &&
      !sys::path::is_absolute(R->Output))
    R->Directory = Folder.empty() ? "/" : Folder.str();
  if (!sys::fs::exists(R->absoluteSource()))
    return objectError(Path, "is a stub for " + R->absoluteSource() +
                                 ", which is not there; remove it and build "
                                 "again");
  return std::move(*R);
}

Error LibraryBuild::sortInputs() {
  for (size_t I = 0; I != Arguments.size(); ++I) {
    const Argument &A = Arguments[I];
    if (A.Name == "-o" || A.Name == "--output")
      State.OutSo = absolutePath(A.Value, State.Directory);
    if (!A.isInput())
      continue;
    Expected<std::optional<Record>> Stub =
        readStub(absolutePath(A.Value, State.Directory));
    if (!Stub)
      return Stub.takeError();
    if (!*Stub) {
      OtherInputs.push_back(absolutePath(A.Value, State.Directory));
    } else if ((*Stub)->IsDispatcher) {
      DispatcherOf[I] = Dispatchers.size();
      Dispatchers.push_back(std::move(**Stub));
    } else {
      BlobOf[I] = Blobs.size();
      Blobs.push_back(std::move(**Stub));
    }
  }
  return Error::success();
}

SourceOptions LibraryBuild::makeOptions(const Record &R) const {
  SourceOptions Options;
  Options.Clang = Settings.Clang;
  Options.Flags = R.flags();
  std::string Rocm = Settings.RealRocm;
  if (isHip(Options.Flags) && !Rocm.empty() &&
      none_of(Options.Flags, [](const std::string &Flag) {
        return StringRef(Flag).starts_with("--rocm-path");
      }))
    Options.Flags.push_back("--rocm-path=" + Rocm);
  return Options;
}

/// Builds one index for all blobs with equal flags.
Error LibraryBuild::indexBlobs() {
  std::map<std::vector<std::string>, std::vector<const Record *>> Alike;
  for (const Record &R : Blobs)
    Alike[R.flags()].push_back(&R);
  for (const auto &[Flags, Group] : Alike) {
    std::vector<std::string> Sources;
    for (const Record *R : Group)
      Sources.push_back(R->absoluteSource());
    Expected<BlobIndex> Part =
        BlobIndex::build(Sources, makeOptions(*Group.front()));
    if (!Part)
      return Part.takeError();
    if (Error E = Index.merge(std::move(*Part)))
      return E;
  }
  return Error::success();
}

std::string LibraryBuild::findObject(size_t Dispatcher) const {
  return State.folder() + "/" + std::to_string(Dispatcher) + "-" +
         std::string(fileStem(Dispatchers[Dispatcher].Source)) + ".o";
}

static std::string getRewritten(const std::string &Object) {
  return StringRef(Object).drop_back(2).str() + ".cpp";
}

/// Reads normally compiled objects: they may reference late functions, and
/// their definitions need not be late.
void LibraryBuild::readOthers() {
  for (const std::string &Path : OtherInputs)
    addSymbols(Path, Others);
}

/// Finds references and, unless the seam is used, writes the rewritten source.
Error LibraryBuild::readDispatcher(size_t Ordinal) {
  const Record &R = Dispatchers[Ordinal];
  std::string Source = R.absoluteSource();
  if (Settings.Seam) {
    Expected<std::vector<Reference>> Found =
        findReferences(Source, makeOptions(R));
    if (!Found)
      return Found.takeError();
    erase_if(*Found, [&](const Reference &Wanted) {
      return Others.Defined.count(Wanted.Symbol) ||
             (Wanted.MayBeElsewhere && !Index.find(Wanted.Symbol));
    });
    append_range(References, *Found);
    std::vector<std::string> Misses = describeMisses(*Found, Index);
    return Misses.empty()
               ? Error::success()
               : createStringError(join(Misses, "\nck-jit: error: "));
  }
  RewriteOptions Options;
  Options.Table = Settings.usesTable(R.ApiKind);
  Options.FormatStyle = ""; // not for readers
  for (const std::string &Symbol : Others.Defined)
    Options.Elsewhere.insert(Symbol);
  Expected<RewriteResult> Result =
      rewriteDispatcher(Source, Index, makeOptions(R), Options);
  if (!Result)
    return Result.takeError();
  if (Settings.Verbose)
    for (const std::string &Note : Result->Report.Notes)
      Log << "ck-jit: note: " << Note << '\n';
  append_range(References, Result->References);
  return writeOutput(getRewritten(findObject(Ordinal)), Result->Code);
}

Error LibraryBuild::readDispatchers() {
  References.clear();
  for (size_t I = 0; I != Dispatchers.size(); ++I)
    if (Error E = readDispatcher(I))
      return E;
  return Error::success();
}

BuildCommand LibraryBuild::makeCompileCommand(size_t Dispatcher) const {
  const Record &R = Dispatchers[Dispatcher];
  std::string Source = R.absoluteSource(), Object = findObject(Dispatcher);
  BuildCommand Command{{R.Compiler}, R.Directory};
  append_range(Command.Words, R.flags());
  // Tables are data: optimizing the functions around them gains nothing.
  Command.Words.push_back(Settings.usesTable(R.ApiKind) ? "-O0" : "-O1");
  if (isClang(R.Compiler))
    append_values(Command.Words, "-fbracket-depth=8192", "-w");
  if (isHip(Command.Words))
    Command.Words.push_back("--offload-host-only");
  if (!Settings.Seam)
    append_values(Command.Words, "-iquote",
                  sys::path::parent_path(Source).str());
  append_values(Command.Words, "-c",
                Settings.Seam ? Source : getRewritten(Object), "-o", Object);
  return Command;
}

Error LibraryBuild::compileDispatchers() {
  Expected<std::string> Include = findRuntimeInclude();
  if (!Include)
    return Include.takeError();
  HeldSignals Signals;
  std::vector<BuildCommand> Commands;
  for (size_t I = 0; I != Dispatchers.size(); ++I) {
    Commands.push_back(makeCompileCommand(I));
    append_values(Commands.back().Words, "-idirafter", *Include);
  }
  if (Error E = runCommands(Signals, Commands, parallelJobs()))
    return E;
  Own = ObjectSymbols();
  for (size_t I = 0; I != Dispatchers.size(); ++I)
    addSymbols(findObject(I), Own);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Undefined symbols of objects
//===----------------------------------------------------------------------===//

/// Returns symbols that compiled objects reference and no object of this link
/// defines.
std::set<std::string> LibraryBuild::undefinedHere() {
  std::set<std::string> Undefined;
  for (const ObjectSymbols *Symbols : {&Own, &Others})
    for (const std::string &Symbol : Symbols->Undefined)
      if (!Own.Defined.count(Symbol) && !Others.Defined.count(Symbol))
        Undefined.insert(Symbol);
  return Undefined;
}

Error LibraryBuild::compileAsUsual(size_t Blob) {
  const Record &R = Blobs[Blob];
  std::string Object = State.folder() + "/blob-" + std::to_string(Blob) + "-" +
                       std::string(fileStem(R.Source)) + ".o";
  BuildCommand Command{{R.Compiler}, R.Directory};
  append_range(Command.Words, R.flags());
  append_values(Command.Words, "-c", R.absoluteSource(), "-o", Object);
  HeldSignals Signals;
  if (Error E = runCommands(Signals, Command))
    return E;
  Usual[Blob] = Object;
  Index.remove(R.absoluteSource());
  addSymbols(Object, Others);
  return Error::success();
}

/// Compiles blobs with referenced variables, whose address cannot be late.
/// Returns true if there were any: dispatchers must not have stubs for their
/// functions.
Expected<bool> LibraryBuild::compileBlobsWithData() {
  bool Any = false;
  for (const std::string &Symbol : undefinedHere()) {
    const DataDefinition *Data = Index.findData(Symbol);
    if (!Data)
      continue;
    std::string Source = Data->Source;
    Log << "ck-jit: note: " << Source << ": is compiled with the library, not "
        << "late: others use its variable " << Data->Name << '\n';
    auto Found = find_if(
        Blobs, [&](const Record &R) { return R.absoluteSource() == Source; });
    if (Error E = compileAsUsual(size_t(Found - Blobs.begin())))
      return std::move(E);
    Any = true;
  }
  return Any;
}

static bool isOfStandardLibrary(StringRef Symbol) {
  return Symbol.starts_with("_ZSt") || Symbol.starts_with("_ZNSt") ||
         Symbol.starts_with("_ZNKSt");
}

/// Adds references that the dispatchers' sources do not show: functions of any
/// kind, and those of other sources.
Error LibraryBuild::findReferencesOfObjects(
    const std::set<std::string> &Undefined) {
  StringSet<> Known;
  for (const Reference &R : References)
    Known.insert(R.Symbol);
  std::vector<Reference> Wanted;
  for (const std::string &Symbol : Undefined) {
    if (const Definition *D = Index.find(Symbol); D && !Known.contains(Symbol))
      References.push_back(
          {Symbol, D->Name, D->Signature, State.OutSo, 1, true});
    else if (!D && !StringRef(Symbol).starts_with("__") &&
             !isOfStandardLibrary(Symbol))
      Wanted.push_back({Symbol, demangle(Symbol), "", State.OutSo, 1, true});
  }
  if (!References.empty() || Usual.size() == Blobs.size())
    return Error::success();
  return checkAnyFound(State.OutSo, Wanted, Index);
}

Error LibraryBuild::makeSeam() {
  std::set<std::string> Undefined = undefinedHere();
  if (Error E = findReferencesOfObjects(Undefined))
    return E;
  std::vector<std::string> Names;
  for (const Record &R : Dispatchers)
    Names.push_back(R.absoluteSource());
  if (Error E =
          writeOutput(State.indexFile(),
                      formatv("{0}\n", toJson(Names, References, Index)).str()))
    return E;
  auto First = find_if(References, [&](const Reference &R) {
    return Undefined.count(R.Symbol);
  });
  if (First == References.end())
    return Error::success();
  if (!Own.IsX86 || !Others.IsX86)
    return objectError(State.OutSo, "needs a stub for " + First->Name +
                                        ", and the link seam has stubs for "
                                        "x86-64 alone; build it for that");
  SymbolTable Symbols;
  if (Error E = Symbols.add(State.indexFile()))
    return E;
  SeamObject = State.folder() + "/seam.o";
  std::string Assembly = State.folder() + "/seam.s";
  if (Error E = writeOutput(Assembly, seamAssembly(Undefined, Symbols)))
    return E;
  HeldSignals Signals;
  BuildCommand Assemble{.Words = {State.Compiler, "-x", "assembler", "-c",
                                  Assembly, "-o", SeamObject},
                        .Variables = {NoTarget}};
  return runCommands(Signals, Assemble);
}

/// Stores the link without stubs and without the name of its output.
void LibraryBuild::keepLink() {
  for (size_t I = 0; I != Arguments.size(); ++I) {
    const Argument &A = Arguments[I];
    if (A.Name == "-o" || A.Name == "--output")
      continue;
    std::vector<std::string> Own(Words.begin() + A.First,
                                 Words.begin() + A.First + A.Count);
    if (auto Stub = DispatcherOf.find(I); Stub != DispatcherOf.end()) {
      Own = {findObject(Stub->second)};
    } else if (auto Blob = BlobOf.find(I); Blob != BlobOf.end()) {
      auto Compiled = Usual.find(Blob->second);
      if (Compiled == Usual.end())
        continue;
      Own = {Compiled->second};
    } else if (A.isInput()) {
      Own = {absolutePath(A.Value, State.Directory)};
    }
    if (A.Name == "--offload-arch")
      append_range(State.ArchFlags, Own);
    if (A.isInput())
      append_range(State.Objects, Own);
    append_range(State.LinkWords, Own);
  }
  // A host linker gets no target; record it for readers.
  if (State.ArchFlags.empty())
    for (const std::string &Flag :
         (Dispatchers.empty() ? Blobs : Dispatchers).front().flags())
      if (StringRef(Flag).starts_with("--offload-arch="))
        State.ArchFlags.push_back(Flag);
  if (!SeamObject.empty()) {
    State.Objects.push_back(SeamObject);
    State.LinkWords.push_back(SeamObject);
  }
}

Error LibraryBuild::linkAsItIs() {
  HeldSignals Signals;
  BuildCommand Link{{State.Compiler}};
  append_range(Link.Words, Words);
  return runCommands(Signals, Link);
}

Error LibraryBuild::run() {
  SmallString<256> Here;
  if (std::error_code Code = sys::fs::current_path(Here))
    return objectError("the current folder", Code.message() + "; change to one "
                                                              "that is there");
  State.Directory = Here.str().str();
  if (Error E = sortInputs())
    return E;
  if (Dispatchers.empty() && Blobs.empty())
    return linkAsItIs();
  if (Error E = makeFolder(State.folder()))
    return E;
  if (Error E = indexBlobs())
    return E;
  readOthers();
  for (bool IsDone = false; !IsDone;) {
    if (Error E = readDispatchers())
      return E;
    if (Error E = compileDispatchers())
      return E;
    Expected<bool> Moved = compileBlobsWithData();
    if (!Moved)
      return Moved.takeError();
    IsDone = !*Moved;
  }
  if (Error E = makeSeam())
    return E;
  keepLink();
  std::vector<Record> Late;
  for (size_t I = 0; I != Blobs.size(); ++I)
    if (!Usual.count(I))
      Late.push_back(Blobs[I]);
  if (Error E = saveRecords(State, Late))
    return E;
  HeldSignals Signals;
  if (Error E = linkInPlace(Signals, Settings, State))
    return E;
  if (Error E = State.save())
    return E;
  auto Count = [](size_t Total, StringRef Noun) {
    return (Twine(Total) + " " + Noun + (Total == 1 ? "" : "s")).str();
  };
  Log << "ck-jit: " << sys::path::filename(State.OutSo) << ": "
      << Count(Late.size(), "blob") << ", "
      << Count(References.size(), "function") << ", "
      << Count(Dispatchers.size(), "dispatcher") << '\n';
  return Error::success();
}

Error ckjit::buildLibrary(const BuildSettings &Settings,
                          const std::string &Compiler,
                          const std::vector<std::string> &Command,
                          raw_ostream &Log) {
  return LibraryBuild(Settings, Compiler, Command, Log).run();
}
