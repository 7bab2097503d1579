//===- Link.cpp - ld.kpack: lld and the kpack link step -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at KpackLink::run. The idea that keeps it simple is the token:
// every wrapper carries the hash of its TU, so the output itself says after the
// link which TUs live and in which order. No map is read and no symbol table;
// the linker stays lld as it is, and what it writes stays ordinary.
//
//===----------------------------------------------------------------------===//
#include "kpack/Linker/Link.h"

#include "DependencyFile.h"
#include "DeviceLink.h"
#include "HostLink.h"
#include "InputFiles.h"
#include "Interrupts.h"
#include "MarkerObject.h"
#include "NameStream.h"
#include "OffloadEntries.h"
#include "Options.h"
#include "Outputs.h"
#include "Resolve.h"
#include "SearchPath.h"
#include "kpack/Archive/Marker.h"
#include "kpack/Offload/Errors.h"
#include "kpack/Offload/HipSymbols.h"
#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"

#include <csignal>

LLD_HAS_DRIVER(elf)

using namespace llvm;
using namespace kpack::offload;

namespace kpack::linker {

namespace {
/// One link with --kpack=.
class KpackLink {
public:
  KpackLink(const LinkOptions &Options, raw_ostream &Out, raw_ostream &Err)
      : Options(Options), Out(Out), Err(Err), Inputs(Options) {}

  /// The exit code; an Error is about the kpack step.
  Expected<int> run();

private:
  Error checkOutput();
  Error checkInputs() const;
  Expected<std::string> encodeMarker(StringRef ArchiveId) const;
  Expected<std::optional<MemoryFile>> makeMarker(const TokenMap &Tokens,
                                                 StringRef Marker) const;
  Expected<int> linkHost(HostLink &Lld, StringRef LinkedPath);
  Expected<std::vector<CodeObject>> collectCode();
  Error writeCode(PendingArchives &Archives, const PendingFile &Output);
  Error writeReports(const HostLink &Lld);
  void explainMissedFatBin();

  const LinkOptions &Options;
  raw_ostream &Out, &Err;
  InputFiles Inputs;
  /// As it is linked, with an id that is not known yet.
  std::string Marker;
  LinkedCode Code;
  InterruptHandler Handler; // outlives all temporary files
  /// Reports of lld; null when not asked for or not to a file.
  std::unique_ptr<PendingFile> Map, Dependencies;
  /// Results of the device link.
  std::vector<DeviceImageFile> DeviceImages;
  /// A character device: what is linked goes nowhere.
  bool OutputIsSink = false;
};
} // namespace

/// True for a file that can be written under another name and renamed.
static bool isReplaceable(StringRef Path) {
  return Path != "-" &&
         (!sys::fs::exists(Path) || sys::fs::is_regular_file(Path));
}

Expected<int> KpackLink::run() {
  // What is linked, and whether the kpack step can deal with it.
  if (Error E = checkOutput())
    return std::move(E);
  if (Error E = Inputs.addCommandLine())
    return std::move(E);

  // The host link, under a temporary name. It says which TUs are alive.
  PendingFile Output(Options.Output, Options.HasCompanionFiles);
  // A file size limit is an error of the write like a full disk. After the
  // signal handlers of LLVM that PendingFile needs are set.
  std::signal(SIGXFSZ, SIG_IGN);
  StringRef LinkedPath = OutputIsSink ? StringRef(Options.Output)
                                      : StringRef(Output.temporaryPath());
  if (Options.MapFile == "-" && !OutputIsSink)
    Map = std::make_unique<PendingFile>(Options.Output + ".map");
  else if (!Options.MapFile.empty() && isReplaceable(Options.MapFile))
    Map = std::make_unique<PendingFile>(Options.MapFile);
  Expected<std::unique_ptr<HostLink>> Lld = HostLink::create(
      Options, LinkedPath.str(), Map ? Map->temporaryPath() : "", Out, Err);
  if (!Lld)
    return Lld.takeError();
  Expected<int> Status = linkHost(**Lld, LinkedPath);
  if (!Status || *Status != 0)
    return Status;
  if (Error E = writeReports(**Lld))
    return std::move(E);

  // The archives; then everything gets its name, the output last.
  PendingArchives Archives(Options);
  if (OutputIsSink)
    Err << "ld.kpack: warning: " << Options.Output
        << ": not a regular file, no archive is written; name one with -o\n";
  else if (Error E = writeCode(Archives, Output))
    return std::move(E);
  if (Error E = commitAll(Archives, {Map.get(), Dependencies.get(),
                                     OutputIsSink ? nullptr : &Output}))
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
    return Error::success(); // not there yet
  switch (Status.type()) {
  case sys::fs::file_type::regular_file:
    return Error::success();
  case sys::fs::file_type::character_file:
    OutputIsSink = true;
    return Error::success();
  default:
    return objectError(Options.Output, "is no regular file; name one with -o");
  }
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

Expected<std::string> KpackLink::encodeMarker(StringRef ArchiveId) const {
  kpack::Marker M;
  M.KernelName = Options.KernelName;
  M.SearchPaths = Options.SearchPaths;
  M.ArchiveId = ArchiveId.str();
  if (M.SearchPaths.empty()) {
    Expected<std::string> Path =
        relativeSearchPath(Options.ArchivePath, Options.Output);
    if (!Path)
      return Path.takeError();
    M.SearchPaths.push_back(std::move(*Path));
  }
  Result<std::string> Bytes = kpack::encodeMarker(M);
  if (!Bytes)
    return toError(Bytes.status());
  return std::move(*Bytes);
}

/// The marker archive; nothing when no input asks for a marker.
Expected<std::optional<MemoryFile>>
KpackLink::makeMarker(const TokenMap &Tokens, StringRef Marker) const {
  MarkerSymbols Symbols;
  bool IsWanted = false;
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    for (const InputObject &Object : File->Objects) {
      IsWanted |= Object.Contents.hasDeviceCode();
      // A token without device code stays undefined, for lld to report.
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
  Expected<MemoryFile> Archive = makeMarkerArchive(*Object);
  if (!Archive)
    return Archive.takeError();
  return std::optional<MemoryFile>(std::move(*Archive));
}

/// Runs lld until it has been given all it needs: a file that only lld finds
/// (linker scripts) is known after the first run.
Expected<int> KpackLink::linkHost(HostLink &Lld, StringRef LinkedPath) {
  Expected<std::string> Bytes = encodeMarker(std::string(ArchiveIdSize, '0'));
  if (!Bytes)
    return Bytes.takeError();
  Marker = std::move(*Bytes);
  for (;;) {
    if (Error E = checkInputs())
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
        explainMissedFatBin();
      return Status;
    }
    // Nothing to look for in what was linked without any HIP object.
    if (OutputIsSink || Inputs.files().empty())
      return 0;
    ErrorOr<std::unique_ptr<MemoryBuffer>> Linked = MemoryBuffer::getFile(
        LinkedPath, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!Linked)
      return objectError(Options.Output,
                         "cannot be read back: " + Linked.getError().message() +
                             "; link again");
    if (Error E = checkOffloadEntries(Inputs, **Linked))
      return std::move(E);
    Expected<LinkedCode> Resolved =
        resolve(**Linked, Options.Output, Marker, TokenMap(Inputs));
    if (!Resolved)
      return Resolved.takeError();
    Code = std::move(*Resolved);
    return 0;
  }
}

/// All code objects of the output by index. The code of a device link belongs
/// to every wrapper whose TU took part in it.
Expected<std::vector<CodeObject>> KpackLink::collectCode() {
  if (Code.hasRdc()) {
    Expected<std::vector<DeviceImageFile>> Images =
        linkDeviceCode(Inputs, Code, Options);
    if (!Images)
      return Images.takeError();
    DeviceImages = std::move(*Images);
  }
  std::vector<CodeObject> Objects;
  for (size_t I = 0; I != Code.Wrappers.size(); ++I) {
    const DevicePayload &Payload = *Code.Wrappers[I].Payload;
    uint32_t Index = static_cast<uint32_t>(I);
    if (Payload.Kind == PayloadKind::Rdc)
      for (const DeviceImageFile &Image : DeviceImages)
        Objects.push_back({Index, Image.Target, Image.Bytes->getBuffer()});
    else
      for (const DeviceImage &Image : Payload.Images)
        Objects.push_back({Index, Image.Target, Image.Bytes});
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
  if (Error E = Archives.write(*Objects, Id))
    return E;
  if (Code.Wrappers.empty())
    return Error::success();
  Expected<std::string> Final = encodeMarker(Id);
  if (!Final)
    return Final.takeError();
  return patchLinkedFile(Output.temporaryPath(), Options.Output, Code, *Final);
}

/// Map and dependency file, with the user's names in them.
Error KpackLink::writeReports(const HostLink &Lld) {
  if (Map) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
        MemoryBuffer::getFile(Map->temporaryPath());
    if (!Text)
      return objectError(Options.MapFile,
                         "cannot be read back: " + Text.getError().message() +
                             "; link again");
    std::string WithNames = Lld.names().apply((*Text)->getBuffer());
    if (Options.MapFile == "-") {
      Out << WithNames;
      Map.reset();
    } else if (Error E = Map->write(WithNames)) {
      return E;
    }
  }
  if (Options.DependencyFile.empty())
    return Error::success();
  Expected<std::vector<std::string>> Opened = Lld.openedFiles();
  if (!Opened)
    return Opened.takeError();
  std::string Text = formatDependencies(Options.Output, *Opened);
  if (!isReplaceable(Options.DependencyFile))
    return writeFile(Options.DependencyFile, Options.DependencyFile, Text);
  Dependencies = std::make_unique<PendingFile>(Options.DependencyFile);
  return Dependencies->write(Text);
}

void KpackLink::explainMissedFatBin() {
  Err << "ld.kpack: note: no input holds the device code of these __hip_fatbin "
         "symbols; recompile the objects that refer to them, without "
         "-fuse-cuid=none\n";
}

/// lld and nothing else.
static int linkWithLld(ArrayRef<const char *> Argv, raw_ostream &Out,
                       raw_ostream &Err) {
  // lld's context holds the stream and flushes it when the process ends, so
  // the two live that long.
  auto &NoNames = *new NameTable;
  auto &Messages = *new NameStream(Err, NoNames, /*HoldBack=*/false);
  bool Success = lld::elf::link(Argv, Out, Messages, /*exitEarly=*/true,
                                /*disableOutput=*/false);
  Messages.release();
  if (Messages.missedFatBin())
    Err << "ld.kpack: note: __hip_fatbin symbols stand for device code that is "
           "kept out of the output; pass --kpack=FILE (to clang: "
           "-Wl,--kpack=FILE) to write it to an archive\n";
  return Success ? 0 : 1;
}

int link(ArrayRef<const char *> Argv, raw_ostream &Out, raw_ostream &Err) {
  auto Fail = [&Err](const Twine &Message) {
    Err << "ld.kpack: error: " << Message << "\n";
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
  // On lld's own line: who asks a linker for its kind reads the first one.
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
