//===- device-code-fuzzer.cpp - fuzzer of kpack inspect's file readers ----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `kpack inspect` does to a file: finds its device code, opens each part,
// reads the metadata of each code object. All parts together are no larger than
// the file, unless it is an archive of kpack, whose entries share their bytes.
// Bitcode is left out: its reader is LLVM's, which makes no promise about
// hostile files. Sibling: offload-bundle-fuzzer.cpp, containers alone.
//
//===----------------------------------------------------------------------===//
#include "Offload/CodeObjectHeader.h"
#include "Offload/DeviceCode.h"
#include "Offload/KernelFacts.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace llvm;
using namespace kpack::offload;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

static void open(const DeviceCode &Code, const DevicePart &Part) {
  // Decompression is slow, and bounded elsewhere.
  if (Part.PlainSize > (1 << 20))
    return;
  uint64_t Total = 0;
  auto Read = [&](const StreamedImage &Image) -> Error {
    Total += Image.Bytes.size();
    if (!isCodeObject(Image.Bytes))
      return Error::success();
    Expected<CodeObjectFacts> Facts = readKernelFacts(Image.Bytes);
    if (!Facts)
      consumeError(Facts.takeError());
    else
      check(Facts->Kernels.size() <= Image.Bytes.size());
    return Error::success();
  };
  consumeError(forEachImage(Code, Part, "input", Read));
  check(Total <= Part.PlainSize);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  if (Bytes.contains("BC\xC0\xDE") || Bytes.contains("\xDE\xC0\x17\x0B"))
    return 0;
  Expected<DeviceCode> Code =
      findDeviceCode(MemoryBufferRef(Bytes, "input"), "input");
  if (!Code) {
    consumeError(Code.takeError());
    return 0;
  }
  uint64_t Total = 0;
  for (const DevicePart &Part : Code->Parts) {
    check(Part.Offset <= Size && Part.Size <= Size - Part.Offset);
    Total += Part.Size;
    open(*Code, Part);
  }
  check(Code->Archive || Total <= Size);
  return 0;
}
