//===- Unpack.cpp - conversion of host-only binaries to fat ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inverse of Convert.cpp. The bundles are planned from the tables of the
// archives and written with the rest of the file. The verifier and the reader
// of bundles read the output back before it gets its name.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/Unpack.h"

#include "Bundles.h"
#include "HostFile.h"
#include "HostRewrite/HostCheck.h"
#include "Offload/HipSymbols.h"
#include "Outputs/PendingFile.h"
#include "RewrittenFile.h"
#include "Support/MappedFile.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <csignal>

using namespace llvm;

namespace kpack::hostrewrite {

using ObjectsFunction =
    function_ref<Expected<std::vector<PackedObject>>(uint32_t)>;

namespace {
class Unpacker {
public:
  explicit Unpacker(const UnpackOptions &Options) : Options(Options) {}
  Expected<Unpacking> run(ObjectsFunction ObjectsOf);

private:
  Error planBundles(const HostFile &File, ObjectsFunction ObjectsOf);
  Error writeFile(PendingFile &Output, HostFile &File);
  Error verify(StringRef After, uint64_t CodeAddress) const;
  Error wrong(const Twine &Problem) const {
    return objectError(Options.Input, "its fat binary would not be right (" +
                                          Problem + "); report this");
  }

  const UnpackOptions &Options;
  UniqueFd InputFile;
  MappedFile Input;
  Bundles Code;
  std::vector<uint64_t> Places; // offsets of the wrappers' bundles
  Unpacking Done;
};
} // namespace

Error Unpacker::planBundles(const HostFile &File, ObjectsFunction ObjectsOf) {
  for (const offload::Wrapper &W : File.wrappers()) {
    if (W.Reserved1 > UINT32_MAX)
      return objectError(Options.Input, "wrapper with index " +
                                            Twine(W.Reserved1) +
                                            "; it is damaged, get it again");
    Expected<std::vector<PackedObject>> Objects = ObjectsOf(W.Reserved1);
    if (!Objects)
      return Objects.takeError();
    Expected<uint64_t> Place = Code.add(std::move(*Objects));
    if (!Place)
      return Place.takeError();
    Places.push_back(*Place);
  }
  return Error::success();
}

Error Unpacker::writeFile(PendingFile &Output, HostFile &File) {
  return writeLike(
             InputFile.get(), Output,
             [&](raw_pwrite_stream &OS) {
               return File.writeFat(
                   Places,
                   [&](raw_ostream &Stream) { return Code.write(Stream); }, OS);
             })
      .moveInto(Done.OutputSize);
}

/// Checks that the host part is unchanged and the device code is the archives'.
Error Unpacker::verify(StringRef After, uint64_t CodeAddress) const {
  std::vector<std::string> Problems =
      outputProblems(After, Options.Output, offload::WrapperMagicFat);
  if (!Problems.empty() &&
      !hostProblems(Input.bytes(), Options.Output,
                    verifyHost(Input.bytes(), Options.Output))
           .empty())
    return objectError(Options.Input, "is not as it was written ('kpack "
                                      "verify' says why); get it again");
  // A conversion of the output has to give the input.
  if (Problems.empty())
    Problems = compareHost(After, Input.bytes(), Options.Output);
  if (!Problems.empty())
    return wrong(Problems.front());
  Expected<std::unique_ptr<HostFile>> File =
      HostFile::open(After, Options.Output);
  if (!File)
    return File.takeError();
  Expected<std::vector<uint64_t>> Pointers = (*File)->readPointers();
  if (!Pointers)
    return Pointers.takeError();
  if ((*File)->kind() != InputKind::Fat || Pointers->size() != Places.size())
    return wrong("its wrappers are others");
  for (const auto &[Pointer, Place] : zip_equal(*Pointers, Places))
    if (Pointer != CodeAddress + Place)
      return wrong("a wrapper leads to 0x" + Twine::utohexstr(Pointer));
  std::optional<StringRef> Bytes = (*File)->bytesAt(CodeAddress, Code.size());
  if (!Bytes)
    return wrong("its device code is not loaded");
  return Code.verify(*Bytes, Options.Output);
}

Expected<Unpacking> Unpacker::run(ObjectsFunction ObjectsOf) {
  // Make a file size limit a write error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  if (Result<OutputPlace> Place = findOutputPlace(Options.Output); !Place)
    return toError(Place.status());
  Result<UniqueFd> Opened = MappedFile::openToMap(Options.Input);
  if (!Opened)
    return toError(Opened.status());
  InputFile = std::move(*Opened);
  Result<MappedFile> Mapped = MappedFile::of(InputFile.get(), Options.Input);
  if (!Mapped)
    return toError(Mapped.status());
  Input = std::move(*Mapped);
  Expected<std::unique_ptr<HostFile>> File =
      HostFile::open(Input.bytes(), Options.Input);
  if (!File)
    return File.takeError();
  if ((*File)->kind() != InputKind::HostOnly)
    return objectError(Options.Input,
                       "not host-only; give a binary that ld.kpack or "
                       "'kpack convert' has written");
  if (Error E = (*File)->readPointers().takeError())
    return std::move(E);
  Code = Bundles((*File)->hostTriple());
  if (Error E = planBundles(**File, ObjectsOf))
    return std::move(E);
  Expected<uint64_t> CodeAddress = (*File)->planFat(Code.size());
  if (!CodeAddress)
    return CodeAddress.takeError();
  PendingFile Output(Options.Output);
  if (Error E = writeFile(Output, **File))
    return std::move(E);
  Result<MappedFile> Written =
      MappedFile::of(Output.descriptor(), Output.path());
  if (!Written)
    return toError(Written.status());
  if (Error E = verify(Written->bytes(), *CodeAddress))
    return std::move(E);
  if (Error E = commitAlone(Output))
    return std::move(E);
  Done.WrapperCount = Places.size();
  Done.InputSize = Input.bytes().size();
  Done.DeviceSize = Code.size();
  Done.Losses = (*File)->losses();
  return Done;
}

Expected<Unpacking> unpackFile(const UnpackOptions &Options,
                               ObjectsFunction ObjectsOf) {
  InterruptHandler Handler; // outlives the temporary file
  return Unpacker(Options).run(ObjectsOf);
}

} // namespace kpack::hostrewrite
