//===- linker-input-fuzzer.cpp - fuzzer of the readers of link inputs -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ELF files as the linker, the driver and `kpack ref` read them. Rewritten
// objects must be readable again and need no further rewriting. Bitcode is
// left out: its reader is LLVM's, which makes no promise about hostile files.
//
//===----------------------------------------------------------------------===//
#include "Offload/HostObject.h"
#include "Offload/LinkerInput.h"
#include "Offload/Wrappers.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace llvm;
using namespace kpack::offload;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

static void readInput(MemoryBufferRef File) {
  Expected<LinkerInput> Input = readLinkerInput(File, "input");
  if (!Input) {
    consumeError(Input.takeError());
    return;
  }
  if (Input->hasDeviceCode())
    if (Expected<bool> Changed = changeToken(*Input, Input->Payloads.front(),
                                             /*Token=*/1, File, "input");
        !Changed)
      consumeError(Changed.takeError());
  if (!Input->Rewritten)
    return;
  check(Input->Rewritten->getBufferSize() <= 4 * File.getBufferSize() + 4096);
  Expected<LinkerInput> Again =
      readLinkerInput(Input->Rewritten->getMemBufferRef(), "again");
  // Two wrapper sections whose relocations overlap can still be refused, but
  // never be fat again.
  if (!Again)
    consumeError(Again.takeError());
  else
    check(!Again->Rewritten);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (!Bytes.starts_with("\x7f"
                         "ELF") ||
      Bytes.contains("BC\xC0\xDE"))
    return 0;
  MemoryBufferRef File(Bytes, "input");
  readInput(File);
  DeviceImage Image = {"gfx1100", "code"};
  if (Expected<std::string> Out =
          finishHostObject(File, Image, PayloadKind::Rdc);
      !Out)
    consumeError(Out.takeError());
  if (Expected<LinkedBinary> Binary = readLinkedBinary(File, "input"); !Binary)
    consumeError(Binary.takeError());
  return 0;
}
