//===- Convert.cpp - conversion of fat binaries to host-only --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at Converter::begin, write and commit. The archives come first:
// the marker holds the hash of their contents, and its size determines the
// layout. The input is mapped and read once from start to end. Of a large
// compressed bundle, memory holds one code object beside those being compressed
// for the archives. The verifier, which does not know how the output was made,
// checks it before it gets its name.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/Convert.h"

#include "HostFile.h"
#include "HostRewrite/HostCheck.h"
#include "MarkerReference.h"
#include "Offload/HipSymbols.h"
#include "Outputs/OlderArchives.h"
#include "Outputs/PendingArchives.h"
#include "RewrittenFile.h"
#include "Support/MappedFile.h"
#include "ToolSupport/Errors.h"
#include "WrapperBundle.h"
#include "kpack/Support/OutputPlace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <csignal>
#include <functional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace kpack::hostrewrite {

namespace {
class Converter : public StartedConversion {
public:
  /// Renames a host-only output and the files that belong to it.
  using CommitFunction = std::function<Error(PendingFile &Output)>;
  Converter(const ConvertOptions &Options, CommitFunction Commit)
      : Options(Options), Commit(std::move(Commit)) {}
  ~Converter() override;

  /// Does all work except for the file itself.
  Error begin(CodeSink &Sink, ArrayRef<std::string> OtherNames);
  void write() override;
  Expected<Conversion> commit() override;

private:
  Error packDeviceCode(CodeSink &Sink, ArrayRef<uint64_t> Pointers,
                       const CodePlace &Place);
  Expected<std::set<std::string>> packBundle(CodeSink &Sink, DeviceCode &Code,
                                             uint64_t Pointer, uint32_t First,
                                             uint32_t End);
  std::shared_ptr<const void> getOwner(StringRef Bytes) const;
  Error makeMarker(ArrayRef<std::string> OtherNames);
  Error writeFile(function_ref<Error(raw_pwrite_stream &)> Write) {
    return writeLike(InputFile->get(), *Output, Write)
        .moveInto(Done.OutputSize);
  }
  bool isInPlace() const { return Options.Input == Options.Output; }
  Error copyInput();
  Error readInput();
  Error takeCode(CodeSink &Sink, ArrayRef<std::string> OtherNames);
  Error writeHost(LayoutKind Kind);
  Error verify() const;

  const ConvertOptions Options;
  const CommitFunction Commit;
  /// Bytes and attributes are this file's, wherever the name leads later.
  std::shared_ptr<const UniqueFd> InputFile;
  /// Shared with kernels that are being compressed.
  std::shared_ptr<const MappedFile> Input;
  std::unique_ptr<HostFile> File;
  ArchiveIdHash Id;
  /// True if any bundle has a code object.
  bool HasCode = false;
  BuiltCode Built;
  std::string Marker;
  /// None if the input is also the output and stays unchanged.
  std::optional<PendingFile> Output;
  /// The result of write().
  std::optional<Error> Failure;
  Conversion Done;
};

/// The archives of a single binary.
class OwnArchives : public CodeSink {
public:
  explicit OwnArchives(const ConvertOptions &Options)
      : Archives({Options.ArchivePath, Options.KernelName, Options.Archives,
                  Options.Debug}),
        Options(Options) {}
  void limitTo(const Readers &Who) override { Archives.limitTo(Who); }
  Error add(const CodeObject &Object) override { return Archives.add(Object); }
  Error finish(StringRef Id) override {
    if (Error E = Archives.finish(Id))
      return E;
    return replaceOlder(Id);
  }

  PendingArchives Archives;
  std::vector<std::string> Older;

private:
  Error replaceOlder(StringRef Id);

  const ConvertOptions &Options;
};
} // namespace

/// Finds archives that an older conversion left for other targets.
Error OwnArchives::replaceOlder(StringRef Id) {
  ReplacedBuild Build{Options.KernelName, Options.Replaced, Id.str()};
  if (Error E = olderArchives(Options.ArchivePath, Archives.paths(), Build,
                              Options.Debug == offload::DeviceDebug::Split)
                    .moveInto(Older))
    return E;
  Archives.replaceToo(Older, Options.Replaced.Id);
  return Error::success();
}

CodeSink::~CodeSink() = default;
StartedConversion::~StartedConversion() = default;

Converter::~Converter() {
  if (Failure)
    consumeError(std::move(*Failure));
}

/// Returns the mapped file, or null if \p Bytes were decompressed from it.
std::shared_ptr<const void> Converter::getOwner(StringRef Bytes) const {
  StringRef All = Input->bytes();
  bool IsInside = Bytes.begin() >= All.begin() && Bytes.end() <= All.end();
  return IsInside ? Input : nullptr;
}

/// Returns the end of the range of wrappers that share a bundle with wrapper
/// \p First; with -fgpu-rdc they are adjacent.
static uint32_t endOfSharing(ArrayRef<uint64_t> Pointers, uint32_t First) {
  uint32_t End = First;
  while (End != Pointers.size() && Pointers[End] == Pointers[First])
    ++End;
  return End;
}

namespace {
/// Hashes of a bundle's code objects, by target.
class BundleHashes {
public:
  void add(const offload::StreamedImage &Image) {
    Hashes.emplace_back(Image.Target, CodeObjectHash::of(Image.Bytes));
  }
  /// Adds the code objects for each wrapper in [\p First, \p End).
  void addTo(ArchiveIdHash &Id, uint32_t First, uint32_t End) const {
    for (uint32_t I = First; I != End; ++I)
      for (const auto &[Target, Hash] : Hashes)
        Id.add(I, Target, Hash);
  }

private:
  std::vector<std::pair<std::string, CodeObjectHash>> Hashes;
};
} // namespace

/// Adds the code objects of the bundle at \p Pointer for wrappers [\p First,
/// \p End), and returns the targets that are kept.
Expected<std::set<std::string>>
Converter::packBundle(CodeSink &Sink, DeviceCode &Code, uint64_t Pointer,
                      uint32_t First, uint32_t End) {
  std::set<std::string> Targets;
  BundleHashes Hashes;
  auto Add = [&](offload::StreamedImage Image) -> Error {
    if (std::string Damage = findDamage({Image.Target, Image.Bytes});
        !Damage.empty())
      return objectError(Options.Input, "wrapper " + Twine(First) +
                                            ", code for " + Image.Target +
                                            ": " + Damage +
                                            "; build or install it again");
    HasCode = true;
    Hashes.add(Image);
    if (!Sink.wants(Image.Target))
      return Error::success();
    Targets.insert(Image.Target);
    CodeObject Object{First, Image.Target, Image.Bytes};
    Object.Owner = Image.Owner ? Image.Owner : getOwner(Image.Bytes);
    for (; Object.Index != End; ++Object.Index, Object.SameAs = First)
      if (Error E = Sink.add(Object))
        return objectError(Options.Input, std::move(E));
    return Error::success();
  };
  if (Error E = Code.stream(Pointer, Add,
                            [&](StringRef Read) { Input->forget(Read); }))
    return std::move(E);
  Hashes.addTo(Id, First, End);
  return Targets;
}

/// Adds every wrapper's code objects, in the order of the indices.
Error Converter::packDeviceCode(CodeSink &Sink, ArrayRef<uint64_t> Pointers,
                                const CodePlace &Place) {
  Sink.limitTo(Readers::of(InputFile->get()).value_or(Readers::ownerOnly()));
  DeviceCode Code(Place.Bytes, Place.Address, Options.Input);
  std::set<std::string> AllTargets;
  for (uint32_t First = 0, End; First != Pointers.size(); First = End) {
    End = endOfSharing(Pointers, First);
    Expected<std::set<std::string>> Targets =
        packBundle(Sink, Code, Pointers[First], First, End);
    if (!Targets)
      return Targets.takeError();
    AllTargets.insert(Targets->begin(), Targets->end());
    for (uint32_t I = First; I != End; ++I)
      Built.add({Targets->begin(), Targets->end()}, /*Name=*/"");
  }
  if (!HasCode) {
    // A conversion would have no archive.
    Done.Kind = InputKind::EmptyBundles;
    return Error::success();
  }
  Done.Targets.assign(AllTargets.begin(), AllTargets.end());
  return Sink.finish(Id.get());
}

Error Converter::makeMarker(ArrayRef<std::string> OtherNames) {
  std::vector<std::string> Names = {Options.Output};
  append_range(Names, OtherNames);
  return makeMarkerFor(Names,
                       {Options.KernelName, Id.get(), Options.ArchivePath,
                        Options.Debug, Done.Targets, Built})
      .moveInto(Marker);
}

/// Checks that the output is the same program except for its device code, and
/// that `kpack verify` accepts it.
Error Converter::verify() const {
  Result<MappedFile> Written =
      MappedFile::of(Output->descriptor(), Output->path());
  if (!Written)
    return toError(Written.status());
  StringRef After = Written->bytes();
  std::vector<std::string> Problems =
      outputProblems(After, Output->path(), offload::WrapperMagicKpack);
  if (Problems.empty())
    Problems = compareHost(Input->bytes(), After, Output->path());
  if (Problems.empty())
    return Error::success();
  return objectError(Options.Input, "its conversion would not be right (" +
                                        Problems.front() +
                                        "); keep it as it is, and report this");
}

Error Converter::copyInput() {
  return writeFile([&](raw_pwrite_stream &OS) {
    OS << Input->bytes();
    return Error::success();
  });
}

/// Writes and verifies the output. If a compact output fails verification, the
/// addresses of this file cannot move: writes it with unchanged addresses,
/// unless the caller asked for a compact one.
Error Converter::writeHost(LayoutKind Kind) {
  Expected<CodePlace> Place = File->planHostOnly(Marker.size(), Kind);
  if (!Place)
    return Place.takeError();
  if (Error E = writeFile([&](raw_pwrite_stream &OS) {
        return File->writeHostOnly(Marker, OS);
      }))
    return E;
  Error Wrong = verify();
  if (!Wrong || !File->movesAddresses() || Kind != LayoutKind::Smallest)
    return Wrong;
  consumeError(std::move(Wrong));
  return writeHost(LayoutKind::Keep);
}

Error Converter::takeCode(CodeSink &Sink, ArrayRef<std::string> OtherNames) {
  Expected<std::vector<uint64_t>> Pointers = File->readPointers();
  if (!Pointers)
    return Pointers.takeError();
  // Refuse an impossible layout before anything is compressed.
  Expected<CodePlace> Place =
      File->planHostOnly(/*MarkerSize=*/1, Options.Layout);
  if (!Place)
    return Place.takeError();
  Done.DeviceSize = Place->Bytes.size();
  if (Error E = packDeviceCode(Sink, *Pointers, *Place))
    return E;
  return HasCode ? makeMarker(OtherNames) : Error::success();
}

Error Converter::readInput() {
  // Refuse a device or a pipe before the work is done.
  if (Result<OutputPlace> Place = findOutputPlace(Options.Output); !Place)
    return toError(Place.status());
  InputFile = Options.OpenInput;
  if (!InputFile) {
    Result<UniqueFd> Opened = MappedFile::openToMap(Options.Input);
    if (!Opened)
      return toError(Opened.status());
    InputFile = std::make_shared<const UniqueFd>(std::move(*Opened));
  }
  Result<MappedFile> Mapped = MappedFile::of(InputFile->get(), Options.Input);
  if (!Mapped)
    return toError(Mapped.status());
  Input = std::make_shared<const MappedFile>(std::move(*Mapped));
  Done.InputSize = Input->bytes().size();
  if (Error E = HostFile::open(Input->bytes(), Options.Input).moveInto(File))
    return E;
  Done.Kind = File->kind();
  Done.WrapperCount = File->wrappers().size();
  return Error::success();
}

/// True if \p Path leads to the file open as \p File.
static bool isFile(int File, const std::string &Path) {
  struct stat Here, There;
  return ::fstat(File, &Here) == 0 && ::stat(Path.c_str(), &There) == 0 &&
         Here.st_dev == There.st_dev && Here.st_ino == There.st_ino;
}

Error Converter::begin(CodeSink &Sink, ArrayRef<std::string> OtherNames) {
  // Make a file size limit a write error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  if (Error E = readInput())
    return E;
  if (Done.Kind == InputKind::Fat)
    if (Error E = takeCode(Sink, OtherNames))
      return E;
  if (Done.Kind != InputKind::Fat) {
    Done.OutputSize = Done.InputSize;
    if (!isInPlace() && !isFile(InputFile->get(), Options.Output))
      Output.emplace(Options.Output);
    return Error::success();
  }
  Output.emplace(Options.Output);
  // If a link has replaced the input meanwhile, it may lead to a file of
  // another user.
  if (isInPlace() && !isFile(InputFile->get(), Output->finalPath()))
    return objectError(Options.Input, "was replaced by something else while it "
                                      "was read; convert it again when nobody "
                                      "changes it");
  return Error::success();
}

void Converter::write() {
  if (Output)
    Failure =
        Done.Kind == InputKind::Fat ? writeHost(Options.Layout) : copyInput();
  // Many files may wait for their names.
  InputFile.reset();
  if (Failure && !*Failure)
    Failure = Output->close();
}

Expected<Conversion> Converter::commit() {
  if (Failure && *Failure)
    return std::move(*Failure);
  bool IsFat = Done.Kind == InputKind::Fat;
  if (Output)
    if (Error E = IsFat ? Commit(*Output) : commitAlone(*Output))
      return std::move(E);
  if (IsFat) {
    Done.IsCompact = File->isCompact();
    Done.Losses = File->losses();
  }
  return std::move(Done);
}

Expected<Conversion> convertFile(const ConvertOptions &Options) {
  InterruptHandler Handler; // outlives all temporary files
  OwnArchives Own(Options);
  Converter Whole(Options, [&](PendingFile &Output) {
    return commitAll(Own.Archives, {&Output});
  });
  if (Error E = Whole.begin(Own, /*OtherNames=*/{}))
    return std::move(E);
  Whole.write();
  Expected<Conversion> Done = Whole.commit();
  if (!Done || Done->Kind != InputKind::Fat)
    return Done;
  Done->ArchivePaths = Own.Archives.paths();
  Done->RemovedPaths = Own.Older;
  // A folder of debug information may be empty now. A link to one stays, since
  // its owner placed it there.
  for (const std::string &Path : Own.Older)
    ::rmdir(sys::path::parent_path(Path).str().c_str());
  return Done;
}

Expected<std::unique_ptr<StartedConversion>>
startConversion(CodeSink &Sink, const ConvertOptions &Options,
                ArrayRef<std::string> OtherNames) {
  auto Started = std::make_unique<Converter>(Options, commitAlone);
  if (Error E = Started->begin(Sink, OtherNames))
    return std::move(E);
  return std::move(Started);
}

static Expected<std::string> findArchiveId(HostFile &File,
                                           const std::string &Path) {
  if (File.kind() != InputKind::Fat)
    return "";
  Expected<std::vector<uint64_t>> Pointers = File.readPointers();
  if (!Pointers)
    return Pointers.takeError();
  Expected<CodePlace> Place =
      File.planHostOnly(/*MarkerSize=*/1, LayoutKind::Keep);
  if (!Place)
    return Place.takeError();
  DeviceCode Code(Place->Bytes, Place->Address, Path);
  ArchiveIdHash Id;
  for (uint32_t First = 0, End; First != Pointers->size(); First = End) {
    End = endOfSharing(*Pointers, First);
    BundleHashes Hashes;
    auto Add = [&](const offload::StreamedImage &Image) {
      Hashes.add(Image);
      return Error::success();
    };
    if (Error E = Code.stream((*Pointers)[First], Add, [](StringRef) {}))
      return std::move(E);
    Hashes.addTo(Id, First, End);
  }
  return Id.get();
}

Expected<std::string> archiveIdOfFile(const std::string &Path) {
  Result<MappedFile> Mapped = MappedFile::open(Path);
  if (!Mapped)
    return toError(Mapped.status());
  Expected<std::unique_ptr<HostFile>> File =
      HostFile::open(Mapped->bytes(), Path);
  if (!File)
    return File.takeError();
  return findArchiveId(**File, Path);
}

} // namespace kpack::hostrewrite
