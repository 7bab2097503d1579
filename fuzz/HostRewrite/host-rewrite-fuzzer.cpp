//===- host-rewrite-fuzzer.cpp - hostile files that are converted ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever is converted gets a message, or a file that is hardly larger than it
// was. Archives are left out: their parts have fuzzers of their own. Whether a
// conversion still loads is asked by test/HostRewrite/convert-mutations.test.
//
//===----------------------------------------------------------------------===//
#include "../../lib/HostRewrite/DeviceCode.h"
#include "../../lib/HostRewrite/Elf/FatFile.h"
#include "../../lib/HostRewrite/Elf/Rewrite.h"

#include "kpack/HostRewrite/Verifier.h"

#include "llvm/ADT/SmallString.h"

#include <cstdlib>

using namespace llvm;
using namespace kpack::hostrewrite;

static Error convert(StringRef Bytes, uint64_t MarkerSize) {
  Expected<FatFile> File = readFatFile(Bytes, "input");
  if (!File || File->Kind != InputKind::Fat)
    return File.takeError();
  Expected<PointerFacts> Pointers = readPointers(File->View, File->Wrappers);
  if (!Pointers)
    return Pointers.takeError();
  Expected<ElfLayout> Layout = planLayout(File->View, *Pointers, MarkerSize);
  if (!Layout)
    return Layout.takeError();
  SmallString<0> Out;
  raw_svector_ostream OS(Out);
  std::string Marker(MarkerSize, 'm');
  if (Error E = rewriteElf(File->View, *Pointers, *Layout, Marker, OS))
    return E;
  // Names of sections are written anew, and what shares bytes is written twice.
  if (Out.size() > 2 * Bytes.size() + 64 * File->View.Sections.size() + 8192)
    std::abort();
  verifyHost(Out, "output");
  return Error::success();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  consumeError(convert(Bytes, /*MarkerSize=*/200));
  return 0;
}
