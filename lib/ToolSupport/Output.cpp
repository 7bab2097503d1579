//===- Output.cpp - output files of tools ---------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack::OutputFile with LLVM's signal handlers. Bytes are written instead of
// mapped, since a full disk raises SIGBUS in a mapping.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/Output.h"

#include "Support/HeldInterrupts.h"
#include "Support/SafePath.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

int kpack::finishOutput(StringRef Program, int Status, int Failed) {
  outs().flush();
  if (!outs().has_error())
    return Status;
  WithColor::error(errs(), Program)
      << "standard output: " << outs().error().message()
      << "; what was printed is not complete\n";
  outs().clear_error();
  return Failed;
}

namespace kpack {

/// Clears the error, because destroying a stream with one ends the process.
static std::error_code takeError(raw_fd_ostream &OS) {
  std::error_code EC = OS.error();
  OS.clear_error();
  return EC;
}

/// Writes all of \p Bytes and returns the result.
static std::error_code writeTo(raw_fd_ostream &OS, StringRef Bytes) {
  OS << Bytes;
  OS.flush();
  return takeError(OS);
}

std::error_code writeInPlace(StringRef Path, StringRef Bytes) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC, sys::fs::OF_None);
  if (EC)
    return EC;
  OS << Bytes;
  OS.close();
  return takeError(OS);
}

Error writeToDevice(StringRef Path, StringRef Bytes) {
  std::error_code EC;
  if (Path == "-") {
    EC = writeTo(outs(), Bytes);
  } else {
    Result<UniqueFd> File = openDeviceToWrite(Path.str());
    if (!File)
      return toError(File.status());
    raw_fd_ostream OS(File->get(), /*shouldClose=*/false);
    EC = writeTo(OS, Bytes);
  }
  return EC ? objectError(Path, "cannot write: " + EC.message() +
                                    "; choose another name")
            : Error::success();
}

bool isReplaceable(StringRef Path) {
  sys::fs::file_status Status;
  return Path != "-" &&
         (sys::fs::status(Path, Status) || sys::fs::is_regular_file(Status));
}

Error writeOutput(StringRef Path, StringRef Bytes, std::optional<Readers> Who) {
  if (!isReplaceable(Path))
    return writeToDevice(Path, Bytes);
  Result<OutputPlace> Place = findOutputPlace(Path.str());
  if (!Place)
    return toError(Place.status());
  return writeOutput(
      *Place,
      [&](OutputFile &File) {
        return File.append(std::string_view(Bytes.data(), Bytes.size()));
      },
      Who);
}

Error writeOutput(const OutputPlace &Place, StringRef Bytes) {
  return writeOutput(Place, [&](OutputFile &File) {
    return File.append(std::string_view(Bytes.data(), Bytes.size()));
  });
}

Error writeOutput(const OutputPlace &Place,
                  function_ref<Status(OutputFile &)> Write,
                  std::optional<Readers> Who) {
  removeLeftovers(Place.Path);
  std::optional<HeldInterrupts> Held(std::in_place);
  Result<std::unique_ptr<OutputFile>> File = OutputFile::create(Place, Who);
  if (!File)
    return toError(File.status());
  std::string Temporary = (*File)->temporaryPath();
  sys::RemoveFileOnSignal(Temporary);
  Held.reset(); // the file exists and is registered for removal
  Status S = Write(**File);
  if (S.ok())
    S = (*File)->commit();
  File->reset();
  sys::DontRemoveFileOnSignal(Temporary);
  return toError(S);
}

void printJson(raw_ostream &OS, StringRef Schema,
               function_ref<void(json::OStream &)> Print, unsigned Indent) {
  json::OStream J(OS, Indent);
  J.object([&] {
    J.attribute("schema", Schema);
    Print(J);
  });
  OS << '\n';
}

void writeResult(Session &S, StringRef Path, StringRef Text) {
  if (Path == "-")
    S.out() << Text;
  else
    S.error(writeOutput(Path, Text));
}

} // namespace kpack
