//===- Outputs.cpp - marker and wrappers' indices in the output -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linked file is patched in place with writes; a mapping would turn a full
// disk into a SIGBUS. The marker has had its final size since before the link.
// Outputs/PendingArchives.h explains how all files of a link appear together.
//
//===----------------------------------------------------------------------===//
#include "Outputs.h"

#include "Offload/HipSymbols.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>

using namespace llvm;

namespace kpack::linker {

Error patchLinkedFile(const PendingFile &Output, const LinkedCode &Code,
                      StringRef Marker) {
  assert(Marker.size() == Code.MarkerSize && "the marker's place is fixed");
  Expected<UniqueFd> File = Output.openWritten(O_WRONLY);
  if (!File)
    return File.takeError();
  raw_fd_ostream OS(File->release(), /*shouldClose=*/true);
  OS.pwrite(Marker.data(), Marker.size(), Code.MarkerOffset);
  for (size_t I = 0; I != Code.Wrappers.size(); ++I) {
    char Index[sizeof(uint64_t)];
    support::endian::write64le(Index, I);
    OS.pwrite(Index, sizeof(Index),
              Code.Wrappers[I].FileOffset + offload::WrapperReservedOffset);
  }
  OS.close();
  std::error_code EC = OS.error();
  OS.clear_error();
  return EC ? fileError(Output.path(), "cannot write", EC) : Error::success();
}

} // namespace kpack::linker
