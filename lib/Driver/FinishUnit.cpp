//===- FinishUnit.cpp - device code into the host's object ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FinishUnit.h"
#include "kpack/Driver/AssemblyPayload.h"
#include "kpack/Offload/Errors.h"
#include "kpack/Offload/HipSymbols.h"
#include "kpack/Offload/HostObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using kpack::offload::objectError;

namespace kpack::driver {

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return objectError(Path, "cannot be read: " + Buffer.getError().message() +
                                 "; compile again");
  return std::move(*Buffer);
}

/// Writes all of it, or says what came in between.
static std::error_code writeAll(raw_fd_ostream &OS, StringRef Contents) {
  OS << Contents;
  OS.flush();
  std::error_code EC = OS.error();
  OS.clear_error();
  return EC;
}

/// A regular file is replaced in one step.
static Error replaceFile(StringRef Path, StringRef Contents) {
  Expected<sys::fs::TempFile> Temp = sys::fs::TempFile::create(
      Path + ".kpack-%%%%%%", sys::fs::all_read | sys::fs::all_write);
  if (!Temp)
    return Temp.takeError();
  std::error_code EC;
  {
    raw_fd_ostream OS(Temp->FD, /*shouldClose=*/false);
    EC = writeAll(OS, Contents);
  }
  if (!EC)
    return Temp->keep(Path);
  return joinErrors(errorCodeToError(EC), Temp->discard());
}

/// What is no file (a pipe, a device, "-") is written to as it stands.
static Error writeOutput(StringRef Path, StringRef Contents) {
  sys::fs::file_status Status;
  bool Special = Path == "-" || (!sys::fs::status(Path, Status) &&
                                 !sys::fs::is_regular_file(Status));
  Error Failure = Error::success();
  if (!Special) {
    Failure = joinErrors(std::move(Failure), replaceFile(Path, Contents));
  } else {
    std::error_code EC;
    raw_fd_ostream OS(Path, EC, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                      sys::fs::OF_None);
    if (!EC)
      EC = writeAll(OS, Contents);
    Failure = joinErrors(std::move(Failure), errorCodeToError(EC));
  }
  if (Failure)
    return objectError(Path,
                       "cannot be written: " + toString(std::move(Failure)) +
                           "; check the directory, its permissions and free "
                           "space");
  return Error::success();
}

/// The hash <h> of the undefined __hip_fatbin_<h> in a text; nothing when the
/// TU has no wrapper.
static std::optional<uint64_t> tokenOfText(StringRef Text) {
  std::string Prefix = (offload::FatBinPrefix + "_").str();
  for (size_t At = Text.find(Prefix); At != StringRef::npos;
       At = Text.find(Prefix, At + 1)) {
    StringRef Name = Text.substr(At).take_while(
        [](char C) { return isAlnum(C) || C == '_'; });
    if (std::optional<uint64_t> Token =
            offload::parseTokenSymbol(Name, offload::FatBinPrefix))
      return Token;
  }
  return std::nullopt;
}

static std::string finishText(StringRef Text,
                              std::vector<offload::DeviceImage> Images,
                              const TranslationUnit &Unit) {
  // -S of an LTO compile gives IR too, whatever the file's name.
  bool IsIR = Text.starts_with("; ModuleID");
  offload::DevicePayload Payload;
  Payload.Token = tokenOfText(Text);
  Payload.Kind = Unit.Kind;
  Payload.Images = std::move(Images);
  if (!Payload.Token && Unit.Kind == offload::PayloadKind::Image)
    return Text.str(); // no kernels: nobody could ask for the device code
  return appendPayload(Text, offload::writePayload(Payload), IsIR);
}

Error finishUnit(const TranslationUnit &Unit, const CommandLine &Command) {
  std::vector<std::unique_ptr<MemoryBuffer>> Storage;
  std::vector<offload::DeviceImage> Images;
  for (const DeviceCompile &Device : Unit.Devices) {
    std::unique_ptr<MemoryBuffer> Bytes;
    if (Error E = readFile(Device.Output).moveInto(Bytes))
      return E;
    Images.push_back({Device.Target, Bytes->getBuffer()});
    Storage.push_back(std::move(Bytes));
  }
  std::unique_ptr<MemoryBuffer> Host;
  if (Error E = readFile(Unit.HostOutput).moveInto(Host))
    return E;

  std::string Finished;
  if (Command.Mode == Action::Assembly) {
    Finished = finishText(Host->getBuffer(), std::move(Images), Unit);
  } else {
    MemoryBufferRef Object(Host->getBuffer(), Unit.Object);
    if (Error E = offload::finishHostObject(Object, Images, Unit.Kind)
                      .moveInto(Finished))
      return E;
  }
  return writeOutput(Unit.Object, Finished);
}

void removeOutputs(const TranslationUnit &Unit) {
  for (StringRef Path : {StringRef(Unit.HostOutput), StringRef(Unit.Object)}) {
    sys::fs::file_status Status;
    if (!sys::fs::status(Path, Status) && sys::fs::is_regular_file(Status))
      sys::fs::remove(Path);
  }
}

} // namespace kpack::driver
