//===- MarkerReference.cpp - markers and marker-only files ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MarkerReference.h. Also implements unpackReference() of Unpack.h, which
// writes the file that a HIP runtime takes instead of the reference.
//
//===----------------------------------------------------------------------===//
#include "MarkerReference.h"

#include "Archive/LimitedRead.h"
#include "Bundles.h"
#include "HostRewrite/Unpack.h"
#include "Outputs/SearchPath.h"
#include "RewrittenFile.h"
#include "Support/MappedFile.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"

#include <csignal>

using namespace llvm;

namespace kpack::hostrewrite {

static Expected<std::vector<std::string>>
findSearchPaths(ArrayRef<std::string> Names, const MarkerFacts &Facts) {
  std::vector<std::string> Paths;
  for (const std::string &Name : Names) {
    Expected<std::string> Path = relativeSearchPath(Facts.ArchivePath, Name);
    if (!Path)
      return Path.takeError();
    if (!is_contained(Paths, *Path))
      Paths.push_back(std::move(*Path));
  }
  return expandFeatureTargets(Paths, Facts.Targets);
}

Expected<std::string> makeMarkerFor(ArrayRef<std::string> Names,
                                    const MarkerFacts &Facts) {
  Marker M;
  M.KernelName = Facts.KernelName;
  M.ArchiveId = Facts.ArchiveId;
  if (Error E = findSearchPaths(Names, Facts).moveInto(M.SearchPaths))
    return std::move(E);
  if (Facts.Debug == offload::DeviceDebug::Split)
    for (const std::string &Path : M.SearchPaths)
      M.DebugPaths.push_back(debugArchivePath(Path));
  // If the marker is too long, drop the list of built code, as the linker does.
  M.Built = Facts.Built;
  Result<std::string> Bytes = encodeMarker(M);
  if (!Bytes) {
    M.Built = BuiltCode();
    Bytes = encodeMarker(M);
  }
  if (!Bytes)
    return toError(Bytes.status());
  return std::move(*Bytes);
}

Expected<uint64_t> writeReference(int Input, const std::string &Output,
                                  StringRef Marker) {
  PendingFile File(Output);
  Expected<uint64_t> Size = writeLike(Input, File, [&](raw_pwrite_stream &OS) {
    OS << StringRef(ReferenceMagic) << Marker;
    return Error::success();
  });
  if (!Size)
    return Size.takeError();
  if (Error E = commitAlone(File))
    return std::move(E);
  return *Size;
}

/// Writes a single code object as it is; HIP runtimes expect several to be in
/// a bundle.
static Error writeObjects(ArrayRef<PackedObject> Objects, raw_ostream &OS) {
  if (Objects.size() == 1) {
    const PackedObject &Only = Objects.front();
    Result<Buffer> Bytes = readLimited(*Only.Archive, *Only.Entry);
    if (!Bytes)
      return toError(Bytes.status());
    OS << StringRef(Bytes->bytes());
    return Error::success();
  }
  Bundles All;
  Expected<uint64_t> Place = All.add(Objects.vec());
  if (!Place)
    return Place.takeError();
  return All.write(OS);
}

Expected<Unpacking> unpackReference(const UnpackOptions &Options,
                                    ArrayRef<PackedObject> Objects) {
  std::signal(SIGXFSZ, SIG_IGN); // an error of the write like a full disk
  InterruptHandler Handler;      // outlives the temporary file
  Unpacking Done;
  Result<UniqueFd> File = MappedFile::openToMap(Options.Input);
  if (!File)
    return toError(File.status());
  Result<MappedFile> Input = MappedFile::of(File->get(), Options.Input);
  if (!Input)
    return toError(Input.status());
  Done.InputSize = Input->bytes().size();
  PendingFile Output(Options.Output);
  if (Error E = writeLike(File->get(), Output, [&](raw_pwrite_stream &OS) {
                  return writeObjects(Objects, OS);
                }).moveInto(Done.OutputSize))
    return std::move(E);
  if (Error E = commitAlone(Output))
    return std::move(E);
  for (const PackedObject &Object : Objects)
    Done.DeviceSize += Object.Entry->OriginalSize;
  return Done;
}

} // namespace kpack::hostrewrite
