//===- FinishUnit.cpp - device code added to an object --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole output is composed in memory before the first byte is written. The
// host compiler usually writes to the user's path and replaces a symbolic link
// there by a file. So replacedObject() records the link before the compiles;
// afterwards the finished file is written to the link's target, and a rename
// restores the link.
//
// In an object the token comes from the wrapper (HostObject.cpp); in text, from
// the first name of the form __hip_fatbin_<h>. Text without one is left
// unchanged, since no wrapper refers to its device code; with -fgpu-rdc it gets
// its payload, since other TUs may call its functions. After a failure only
// regular files are removed: -o /dev/null leaves the device alone.
//
//===----------------------------------------------------------------------===//

#include "FinishUnit.h"
#include "AssemblyPayload.h"
#include "Offload/HipSymbols.h"
#include "Offload/HostObject.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace llvm;
using kpack::objectError;

namespace kpack::driver {

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return objectError(Path, "cannot be read: " + Buffer.getError().message() +
                                 "; check the compiler (--kpack-clang=) "
                                 "and TMPDIR");
  return std::move(*Buffer);
}

ReplacedObject replacedObject(const TranslationUnit &Unit) {
  ReplacedObject Before;
  Result<OutputPlace> Place = findOutputPlace(Unit.Object);
  if (!Place || Unit.Object == "-")
    return Before; // a pipe, a device
  Before.Place = std::move(*Place);
  std::error_code NoLink;
  Before.Link = std::filesystem::read_symlink(Unit.Object, NoLink).string();
  return Before;
}

/// Replaces the compiler's file \p Path by a link to the object.
static Error restoreLink(const std::string &Path, const std::string &Target) {
  std::string Temporary = temporaryStem(Path) + "0";
  if (::symlink(Target.c_str(), Temporary.c_str()) == 0 &&
      ::rename(Temporary.c_str(), Path.c_str()) == 0)
    return Error::success();
  std::error_code EC = errnoAsErrorCode();
  ::unlink(Temporary.c_str());
  return objectError(Path, "cannot link to " + Target +
                               " again: " + EC.message() +
                               "; check the directory and its permissions");
}

static Error writeObject(const TranslationUnit &Unit,
                         const ReplacedObject &Before, StringRef Contents) {
  if (!Before.Place)
    return writeOutput(Unit.Object, Contents);
  if (Error E = writeOutput(*Before.Place, Contents))
    return E;
  return Before.Link.empty() ? Error::success()
                             : restoreLink(Unit.Object, Before.Link);
}

/// Returns the hash <h> of the undefined __hip_fatbin_<h> in a text; nullopt if
/// the TU has no wrapper.
static std::optional<uint64_t> tokenOfText(StringRef Text) {
  std::string Prefix = (offload::FatBinPrefix + "_").str();
  for (size_t Offset = Text.find(Prefix); Offset != StringRef::npos;
       Offset = Text.find(Prefix, Offset + 1)) {
    StringRef Name = Text.substr(Offset).take_while(
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
    return Text.str(); // no wrapper refers to the device code
  std::string Whole = Text.str();
  if (!IsIR && Payload.Token) // like finishHostObject() for objects
    Whole += "\t.hidden\t" +
             offload::tokenSymbol(offload::FatBinPrefix, *Payload.Token) + "\n";
  return appendPayload(Whole, offload::writePayload(Payload), IsIR);
}

Error finishUnit(const TranslationUnit &Unit, const CommandLine &Command,
                 const ReplacedObject &Before) {
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
  return writeObject(Unit, Before, Finished);
}

void removeOutputs(const TranslationUnit &Unit) {
  for (StringRef Path : {StringRef(Unit.HostOutput), StringRef(Unit.Object)})
    if (sys::fs::is_regular_file(Path))
      sys::fs::remove(Path);
}

} // namespace kpack::driver
