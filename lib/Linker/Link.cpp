//===- Link.cpp - ld.kpack: lld and the kpack link step -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at KpackLink::run. The central idea is the token: every wrapper
// holds the hash of its TU, so after the link the output itself shows the live
// TUs and their order. The step reads no map and no symbol table; lld needs no
// changes, and its output is an ordinary file.
//
//===----------------------------------------------------------------------===//
#include "Linker/Link.h"

#include "BuiltTargets.h"
#include "DependencyFile.h"
#include "DeviceLink.h"
#include "HostLink.h"
#include "InputFiles.h"
#include "MarkerObject.h"
#include "NameStream.h"
#include "Offload/HipSymbols.h"
#include "OffloadEntries.h"
#include "Options.h"
#include "Outputs.h"
#include "Outputs/ArchiveId.h"
#include "Outputs/Interrupts.h"
#include "Outputs/PendingArchives.h"
#include "Outputs/SearchPath.h"
#include "Resolve.h"
#include "Support/SafePath.h"
#include "ToolSupport/Output.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Support/UniqueFd.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <csignal>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace kpack::offload;

namespace kpack::linker {

/// clang gives each TU a symbol with its cuid's name, so that two TUs with the
/// same cuid do not link.
static constexpr StringLiteral RepeatedCuidNote =
    "ld.kpack: note: __hip_cuid symbols stand for the cuids of translation "
    "units: two objects have one, as one source that is compiled twice, or of "
    "which a compiler cache has given the same object twice; give one of them "
    "a -cuid= of its own\n";

namespace {
/// One link with --kpack=.
class KpackLink {
public:
  KpackLink(const LinkOptions &Options, raw_ostream &Out, raw_ostream &Err)
      : Options(Options), Out(Out), Err(Err), Inputs(Options) {}

  /// Returns the exit code; an Error is about the kpack step.
  Expected<int> run();

private:
  Error checkOutput();
  Error checkInputs() const;
  Error checkOverwrites(const HostLink &Lld,
                        const PendingArchives &Archives) const;
  Expected<std::string> encodeMarker(BuiltCode Built, StringRef ArchiveId,
                                     size_t Size = 0) const;
  Expected<std::string> expectedMarker() const;
  Expected<bool> fitsMarker();
  Expected<std::optional<MemoryFile>> makeMarker(const TokenMap &Tokens,
                                                 StringRef Marker) const;
  Error prepareMap();
  Expected<int> linkHost(HostLink &Lld, PendingFile &Output);
  Expected<std::vector<CodeObject>> collectCode();
  Error writeCode(PendingArchives &Archives, const PendingFile &Output);
  Error writeReports(const HostLink &Lld);

  const LinkOptions &Options;
  raw_ostream &Out, &Err;
  InputFiles Inputs;
  /// The marker as linked, with a placeholder for the id.
  std::string Marker;
  LinkedCode Code;
  BuiltCode Built;          // of Code's wrappers
  InterruptHandler Handler; // outlives all temporary files
  /// Reports of lld; null if not requested, or not written to a file.
  std::unique_ptr<PendingFile> Map, Dependencies;
  /// The directory for the map if lld does not write to Map's temporary file.
  std::unique_ptr<KeptFiles> MapFolder;
  /// Results of the device link.
  std::vector<DeviceImageFile> DeviceImages;
  /// The directory for lld's output if it writes more files or other users
  /// could create links in the output's directory; otherwise null.
  std::unique_ptr<KeptFiles> Kept;
  bool LinksIntoKept = false;
  std::vector<std::unique_ptr<PendingFile>> Companions; // of the output
  /// The output if it is a character device, which discards the link.
  UniqueFd Sink;
};
} // namespace

/// Returns \p Path in a form that LLVM can write. LLVM replaces every '%' in an
/// output path with a random digit, also in names of directories, so such a
/// directory is named by its descriptor, which \p Folder keeps open.
static std::string pathForLld(StringRef Path, UniqueFd &Folder) {
  std::string Parent = sys::path::parent_path(Path).str();
  if (Parent.find('%') == std::string::npos)
    return Path.str();
  Folder = UniqueFd(::open(Parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!Folder)
    return Path.str(); // lld reports the error
  return ("/proc/self/fd/" + Twine(Folder.get()) + "/" +
          sys::path::filename(Path))
      .str();
}

/// True if other users can create a link at the new file \p Path, which lld
/// would follow.
static bool isInSharedFolder(StringRef Path) {
  StringRef Parent = sys::path::parent_path(Path);
  struct stat Info;
  if (::stat(Parent.empty() ? "." : Parent.str().c_str(), &Info) != 0)
    return false; // lld reports the error
  return (Info.st_uid != ::geteuid() && Info.st_uid != 0) ||
         (Info.st_mode & (S_IWGRP | S_IWOTH));
}

/// The name of the map in MapFolder.
static constexpr StringLiteral MapName = "map";

Expected<int> KpackLink::run() {
  // Read the inputs, and check that the kpack step supports them.
  if (Error E = checkOutput())
    return std::move(E);
  if (Error E = Inputs.addCommandLine())
    return std::move(E);

  // Link the host program under a temporary name, which determines the live
  // TUs.
  PendingFile Output(Options.Output);
  // Makes a file size limit a write error, like a full disk. Follows
  // PendingFile's constructor, which sets LLVM's signal handlers.
  std::signal(SIGXFSZ, SIG_IGN);
  LinksIntoKept = Options.HasCompanionFiles ||
                  (!Sink && isInSharedFolder(Output.temporaryPath()));
  if (LinksIntoKept || keepsDeviceFiles(Options))
    if (Error E = KeptFiles::create().moveInto(Kept))
      return std::move(E);
  UniqueFd Folder;
  std::string LinkedPath =
      LinksIntoKept ? Kept->pathFor(sys::path::filename(Options.Output))
      : Sink        ? MemoryFilePrefix.str() + std::to_string(Sink.get())
                    : pathForLld(Output.temporaryPath(), Folder);
  if (Error E = prepareMap())
    return std::move(E);
  Expected<MemoryFile> Opened = MemoryFile::create("kpack-dependencies");
  if (!Opened)
    return Opened.takeError();
  std::string MapPath = MapFolder ? MapFolder->pathFor(MapName)
                        : Map     ? Map->temporaryPath()
                                  : "";
  HostLink Lld(Options, LinkedPath, MapPath, std::move(*Opened), Out, Err);
  Expected<int> Status = linkHost(Lld, Output);
  if (!Status || *Status != 0)
    return Status;
  if (Error E = writeReports(Lld))
    return std::move(E);

  // Write the archives; then rename all files, the output last.
  PendingArchives Archives({Options.ArchivePath, Options.KernelName,
                            Options.Archives, Options.Debug});
  if (Sink)
    Err << "ld.kpack: warning: " << Options.Output
        << ": not a regular file, no archive is written; name one with -o\n";
  else if (Error E = writeCode(Archives, Output))
    return std::move(E);
  if (Kept && !Sink)
    if (Error E = Kept->copyTo(sys::path::parent_path(Options.Output))
                      .moveInto(Companions))
      return std::move(E);
  if (Error E = checkOverwrites(Lld, Archives))
    return std::move(E);
  std::vector<PendingFile *> Files = {Map.get(), Dependencies.get()};
  for (const std::unique_ptr<PendingFile> &File : Companions)
    Files.push_back(File.get());
  if (!Sink)
    Files.push_back(&Output);
  if (Error E = commitAll(Archives, Files))
    return std::move(E);
  return 0;
}

Error KpackLink::checkOutput() {
  sys::fs::file_status Status;
  if (Options.Output == "-")
    return objectError("-o -", "the output must be patched after the link; "
                               "name a file");
  if (Options.Output == Options.ArchivePath ||
      sys::fs::equivalent(Options.Output, Options.ArchivePath))
    return objectError(Options.Output, "is the output and --kpack= at once; "
                                       "give the archive another name");
  if (sys::fs::status(Options.Output, Status))
    return Error::success(); // does not exist yet
  for (const InputArgument &Input : Options.Inputs)
    if (!Input.IsLibrary && sys::fs::is_regular_file(Status) &&
        sys::fs::equivalent(Options.Output, Input.Name))
      return objectError(Options.Output, "is an input and the output at once; "
                                         "name another output with -o");
  switch (Status.type()) {
  case sys::fs::file_type::regular_file:
    return Error::success();
  case sys::fs::file_type::character_file: {
    Result<UniqueFd> Opened = openDeviceToWrite(Options.Output);
    if (!Opened)
      return toError(Opened.status());
    Sink = std::move(*Opened);
    return Error::success();
  }
  default:
    return objectError(Options.Output, "is no regular file; name one with -o");
  }
}

/// Has lld write the map to a temporary file: a device or a pipe may have been
/// replaced by the time lld opens it. LLVM replaces a '%' (pathForLld()).
Error KpackLink::prepareMap() {
  if (Options.MapFile.empty())
    return Error::success();
  if (isReplaceable(Options.MapFile))
    Map = std::make_unique<PendingFile>(Options.MapFile);
  if (Map && !isInSharedFolder(Map->temporaryPath()) &&
      !sys::path::parent_path(Map->temporaryPath()).contains('%'))
    return Error::success();
  return KeptFiles::create().moveInto(MapFolder);
}

/// Fails if an archive or report would replace an input of the link or another
/// output.
Error KpackLink::checkOverwrites(const HostLink &Lld,
                                 const PendingArchives &Archives) const {
  Expected<std::vector<std::string>> Opened = Lld.openedFiles();
  if (!Opened)
    return Opened.takeError();
  std::map<sys::fs::UniqueID, StringRef> Read;
  sys::fs::UniqueID Id;
  for (const std::string &Path : *Opened)
    if (!sys::fs::getUniqueID(Path, Id))
      Read.try_emplace(Id, Path);

  StringSet<> Written;
  if (!Sink)
    Written.insert(Options.Output);
  auto Check = [&](const std::string &Path, const char *Option) -> Error {
    if (!sys::fs::getUniqueID(Path, Id) && Read.count(Id))
      return objectError(Read[Id], Twine("is an input and ") + Option +
                                       " at once; give that file another name");
    if (!Written.insert(Path).second)
      return objectError(Path, Twine("is another output and ") + Option +
                                   " at once; give that file another name");
    return Error::success();
  };
  for (const std::string &Path : Archives.paths())
    if (Error E = Check(Path, "--kpack="))
      return E;
  for (const std::unique_ptr<PendingFile> &File : Companions)
    if (Error E = Check(File->path(), "a file of -save-temps or --time-trace"))
      return E;
  if (Map)
    if (Error E = Check(Map->path(), "--Map="))
      return E;
  if (Dependencies)
    return Check(Dependencies->path(), "--dependency-file=");
  return Error::success();
}

Error KpackLink::checkInputs() const {
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects)
      if (Object.Contents.HasAnonymousFatBin && !Object.IsLazy)
        return objectError(Object.Name,
                           "its device code cannot be told from that of other "
                           "objects; compile without -fuse-cuid=none");
  return checkOffloadEntries(Inputs);
}

/// Returns the marker; if \p Size is not zero, of that size, or "" if it does
/// not fit.
Expected<std::string> KpackLink::encodeMarker(BuiltCode Built,
                                              StringRef ArchiveId,
                                              size_t Size) const {
  kpack::Marker M;
  M.KernelName = Options.KernelName;
  M.ArchiveId = ArchiveId.str();
  std::vector<std::string> Paths = Options.SearchPaths;
  if (Paths.empty())
    if (Error E = relativeSearchPath(Options.ArchivePath, Options.Output)
                      .moveInto(Paths.emplace_back()))
      return std::move(E);
  M.SearchPaths = expandFeatureTargets(Paths, Built.allTargets());
  if (Options.Debug == DeviceDebug::Split)
    for (const std::string &Path : M.SearchPaths)
      M.DebugPaths.push_back(debugArchivePath(Path));

  // Drop the optional parts that do not fit, the names first.
  M.Built = std::move(Built);
  Result<std::string> Bytes = kpack::encodeMarker(M);
  if (!Bytes && !M.Built.Names.empty()) {
    M.Built.Names.clear();
    Bytes = kpack::encodeMarker(M);
  }
  if (!Bytes && !M.Built.empty()) {
    M.Built = BuiltCode();
    Bytes = kpack::encodeMarker(M);
  }
  if (!Bytes)
    return toError(Bytes.status());
  if (Size == 0 || Bytes->size() == Size)
    return std::move(*Bytes);
  Bytes = kpack::encodeMarker(M, Size);
  return Bytes ? std::move(*Bytes) : std::string();
}

static std::string unknownId() { return std::string(ArchiveIdSize, '0'); }

/// Estimates the marker after the link. Its size is fixed by then; some extra
/// room for TUs that may or may not be linked saves a second link.
Expected<std::string> KpackLink::expectedMarker() const {
  constexpr size_t Room = 1024;
  Expected<std::string> Certain =
      encodeMarker(expectedCode(Inputs, /*WithLazy=*/false), unknownId());
  if (!Certain)
    return Certain;
  Expected<std::string> Possible =
      encodeMarker(expectedCode(Inputs, /*WithLazy=*/true), unknownId());
  if (Possible && Possible->size() > Certain->size() + Room)
    return Certain;
  return Possible;
}

/// True if the marker of the linked code fits into its place. Otherwise sets
/// Marker for another link.
Expected<bool> KpackLink::fitsMarker() {
  Built = builtCode(Inputs, Code);
  Expected<std::string> InPlace =
      encodeMarker(Built, unknownId(), Marker.size());
  if (!InPlace)
    return InPlace.takeError();
  if (Code.Wrappers.empty() || !InPlace->empty())
    return true;
  if (Error E = encodeMarker(Built, unknownId()).moveInto(Marker))
    return std::move(E);
  return false;
}

/// Makes the marker archive; nullopt if no input refers to a marker.
Expected<std::optional<MemoryFile>>
KpackLink::makeMarker(const TokenMap &Tokens, StringRef Marker) const {
  MarkerSymbols Symbols;
  bool IsWanted = false;
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects) {
      IsWanted |= Object.Contents.hasDeviceCode();
      // A token without device code stays undefined; lld reports it.
      for (uint64_t Token : Object.Contents.FatBinRefs)
        if (Tokens.find(Token))
          Symbols.Tokens.insert(Token);
      for (const std::string &Handle : Object.Contents.HandleRefs) {
        std::optional<uint64_t> Token =
            parseTokenSymbol(Handle, GpuBinHandlePrefix);
        const TokenMap::Entry *Entry = Token ? Tokens.find(*Token) : nullptr;
        bool IsShared = Entry && Entry->Payload->Kind == PayloadKind::Rdc;
        (IsShared ? Symbols.SharedHandles : Symbols.OwnHandles).insert(Handle);
      }
    }
  if (!IsWanted)
    return std::nullopt;
  Expected<std::string> Object =
      makeMarkerObject(Marker, Symbols, Inputs.machine());
  if (!Object)
    return Object.takeError();
  std::optional<MemoryFile> Archive;
  if (Error E = makeMarkerArchive(*Object).moveInto(Archive))
    return std::move(E);
  return Archive;
}

/// Runs lld until its inputs are complete: a file that only lld finds (linker
/// scripts) is known after the first run.
Expected<int> KpackLink::linkHost(HostLink &Lld, PendingFile &Output) {
  for (bool MarkerIsExact = false;;) {
    if (Error E = checkInputs())
      return std::move(E);
    if (!MarkerIsExact)
      if (Error E = expectedMarker().moveInto(Marker))
        return std::move(E);
    TokenMap Tokens(Inputs);
    if (Error E = Tokens.check())
      return std::move(E);
    Expected<std::optional<MemoryFile>> MarkerArchive =
        makeMarker(Tokens, Marker);
    if (!MarkerArchive)
      return MarkerArchive.takeError();
    int Status = Lld.run(Inputs, *MarkerArchive ? &**MarkerArchive : nullptr);

    Expected<std::vector<std::string>> Opened = Lld.openedFiles();
    if (!Opened)
      return Opened.takeError();
    Expected<bool> NeedsMore = Inputs.addMissed(*Opened);
    if (!NeedsMore)
      return NeedsMore.takeError();
    if (*NeedsMore)
      continue;

    Lld.release();
    if (Status != 0) {
      if (Lld.missedFatBin())
        Err << "ld.kpack: note: no input holds the device code of these "
               "__hip_fatbin symbols; recompile the objects that refer to "
               "them, without -fuse-cuid=none\n";
      if (Lld.repeatedCuid())
        Err << RepeatedCuidNote;
      return Status;
    }
    if (LinksIntoKept && !Sink)
      if (Error E =
              Kept->moveTo(Output, sys::path::filename(Options.Output).str()))
        return std::move(E);
    // An output without HIP objects has no wrappers.
    if (Sink || Inputs.files().empty())
      return 0;
    Expected<std::unique_ptr<MemoryBuffer>> Linked = Output.readWritten();
    if (!Linked)
      return Linked.takeError();
    if (Error E = checkOffloadEntries(Inputs, **Linked))
      return std::move(E);
    if (Error E = checkRegistration(Inputs, **Linked))
      return std::move(E);
    if (Error E = resolve(**Linked, Options.Output, Marker, TokenMap(Inputs))
                      .moveInto(Code))
      return std::move(E);
    Expected<bool> Fits = fitsMarker();
    if (!Fits)
      return Fits.takeError();
    if (*Fits)
      return 0;
    if (MarkerIsExact)
      return objectError(Options.Output,
                         "other device code was linked the second time; keep "
                         "the inputs as they are, and link again");
    MarkerIsExact = true;
  }
}

/// Returns all code objects of the output by index. The code of a device link
/// belongs to every wrapper whose TU took part in it.
Expected<std::vector<CodeObject>> KpackLink::collectCode() {
  if (Code.hasRdc())
    if (Error E = linkDeviceCode(Inputs, Code, Options, Kept.get())
                      .moveInto(DeviceImages))
      return std::move(E);
  std::vector<CodeObject> Objects;
  for (size_t I = 0; I != Code.Wrappers.size(); ++I) {
    const DevicePayload &Payload = *Code.Wrappers[I].Payload;
    uint32_t Index = static_cast<uint32_t>(I);
    std::string Source(Built.nameOf(I));
    if (Payload.Kind == PayloadKind::Rdc)
      for (const DeviceImageFile &Image : DeviceImages)
        Objects.push_back(
            {Index, Image.Target, Image.Bytes->getBuffer(), Source});
    else
      for (const DeviceImage &Image : Payload.Images)
        Objects.push_back({Index, Image.Target, Image.Bytes, Source});
  }
  return Objects;
}

/// Writes the archives and completes the linked file.
Error KpackLink::writeCode(PendingArchives &Archives,
                           const PendingFile &Output) {
  Expected<std::vector<CodeObject>> Objects = collectCode();
  if (!Objects)
    return Objects.takeError();
  std::string Id = computeArchiveId(*Objects);
  for (const CodeObject &Object : *Objects)
    if (Error E = Archives.add(Object))
      return E;
  if (Error E = Archives.finish(Id))
    return E;
  if (Code.Wrappers.empty())
    return Error::success();
  Expected<std::string> Final = encodeMarker(Built, Id, Marker.size());
  if (!Final)
    return Final.takeError();
  return patchLinkedFile(Output, Code, *Final);
}

/// Writes map and dependency file with the user's names.
Error KpackLink::writeReports(const HostLink &Lld) {
  if (!Options.MapFile.empty()) {
    Expected<std::unique_ptr<MemoryBuffer>> Text =
        MapFolder ? MapFolder->read(MapName.str()) : Map->readWritten();
    if (!Text)
      return Text.takeError();
    std::string WithNames = Lld.names().apply((*Text)->getBuffer());
    if (Options.MapFile == "-")
      Out << WithNames;
    else if (Error E = Map ? Map->write(WithNames)
                           : writeToDevice(Options.MapFile, WithNames))
      return E;
  }
  if (Options.DependencyFile.empty())
    return Error::success();
  Expected<std::vector<std::string>> Opened = Lld.openedFiles();
  if (!Opened)
    return Opened.takeError();
  std::string Text = formatDependencies(Options.Output, *Opened);
  if (!isReplaceable(Options.DependencyFile))
    return writeToDevice(Options.DependencyFile, Text);
  Dependencies = std::make_unique<PendingFile>(Options.DependencyFile);
  return Dependencies->write(Text);
}

/// Runs plain lld.
static int linkWithLld(ArrayRef<const char *> Argv, raw_ostream &Out,
                       raw_ostream &Err) {
  // lld's context holds the stream and flushes it when the process ends, so
  // these two objects are never destroyed.
  auto &NoNames = *new NameTable;
  auto &Messages = *new NameStream(Err, NoNames, /*HoldBack=*/false);
  bool Success = lld::elf::link(Argv, Out, Messages, /*exitEarly=*/true,
                                /*disableOutput=*/false);
  Messages.release();
  if (Messages.missedFatBin())
    Err << "ld.kpack: note: __hip_fatbin symbols stand for device code that is "
           "kept out of the output; pass --kpack=FILE (to clang: "
           "-Wl,--kpack=FILE) to write it to an archive\n";
  if (Messages.repeatedCuid())
    Err << RepeatedCuidNote;
  return Success ? 0 : 1;
}

int link(ArrayRef<const char *> Argv, raw_ostream &Out, raw_ostream &Err) {
  auto Fail = [&Err](const Twine &Message) {
    Err << "ld.kpack: error: " << printableLines(Message.str()) << "\n";
    return 1;
  };
  // clang calls the device linker as `lld -flavor gnu`.
  SmallVector<const char *, 256> Arguments(Argv);
  if (Arguments.size() > 2 && StringRef(Arguments[1]) == "-flavor") {
    if (StringRef(Arguments[2]) != "gnu" && StringRef(Arguments[2]) != "ld.lld")
      return Fail("-flavor " + Twine(Arguments[2]) +
                  ": only ELF is linked; use gnu");
    Arguments.erase(Arguments.begin() + 1, Arguments.begin() + 3);
  }

  BumpPtrAllocator Allocator;
  StringSaver Saver(Allocator);
  Expected<LinkOptions> Options = parseOptions(Arguments, Saver);
  if (!Options)
    return Fail(toString(Options.takeError()));
  if (Options->Help)
    printOwnHelp(Out);
  // On the same line as lld's version: build systems that probe the linker read
  // the first line.
  if (Options->Version)
    Out << "ld.kpack " KPACK_VERSION ", ";
  if (!Options->Enabled)
    return linkWithLld(Options->LldArguments, Out, Err);

  raiseOpenFileLimit();
  Expected<int> Status = KpackLink(*Options, Out, Err).run();
  if (!Status)
    return Fail(toString(Status.takeError()));
  return *Status;
}

} // namespace kpack::linker
