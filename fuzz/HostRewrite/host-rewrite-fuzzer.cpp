//===- host-rewrite-fuzzer.cpp - fuzzer of conversions to host-only -------===//
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
#include "../../lib/HostRewrite/Elf/FatFile.h"
#include "../../lib/HostRewrite/Elf/HostPlan.h"
#include "../../lib/HostRewrite/Elf/Rewrite.h"
#include "../../lib/HostRewrite/HostFile.h"
#include "../../lib/HostRewrite/WrapperBundle.h"

#include "HostRewrite/Verifier/Verifier.h"
#include "Offload/PeImage.h"

#include "llvm/ADT/SmallString.h"

#include <cstdlib>

using namespace llvm;
using namespace kpack::hostrewrite;

static Error convert(StringRef Bytes, uint64_t MarkerSize, LayoutKind Kind) {
  Expected<FatFile> File = readFatFile(Bytes, "input");
  if (!File || File->Kind != InputKind::Fat)
    return File.takeError();
  Expected<PointerFacts> Pointers = readPointers(File->View, File->Wrappers);
  if (!Pointers)
    return Pointers.takeError();
  Expected<HostPlan> Plan = planHost(File->View, *Pointers, MarkerSize, Kind);
  if (!Plan)
    return Plan.takeError();
  SmallString<0> Out;
  raw_svector_ostream OS(Out);
  std::string Marker(MarkerSize, 'm');
  if (Error E = rewriteElf(File->View, *Pointers, Plan->Layout, Plan->Fields,
                           Marker, OS))
    return E;
  // Names of sections are written anew, and what shares bytes is written twice.
  if (Out.size() > 2 * Bytes.size() + 64 * File->View.Sections.size() + 8192)
    std::abort();
  verifyHost(Out, "output");
  compareHost(Bytes, Out, "output");
  return Error::success();
}

/// Windows files; with device code again, too.
static Error convertPe(StringRef Bytes, uint64_t Size) {
  Expected<std::unique_ptr<HostFile>> File = HostFile::open(Bytes, "input");
  if (!File || (*File)->kind() == InputKind::NoDeviceCode ||
      (*File)->kind() == InputKind::DebugFile)
    return File.takeError();
  if (Error E = (*File)->readPointers().takeError())
    return E;
  SmallString<0> Out;
  raw_svector_ostream OS(Out);
  std::string Content(Size, 'm');
  if ((*File)->kind() == InputKind::Fat) {
    if (Error E = (*File)->planHostOnly(Size, LayoutKind::Keep).takeError())
      return E;
    if (Error E = (*File)->writeHostOnly(Content, OS))
      return E;
  } else {
    if (Error E = (*File)->planFat(Size).takeError())
      return E;
    std::vector<uint64_t> Places((*File)->wrappers().size());
    auto Write = [&](raw_ostream &To) {
      To << Content;
      return Error::success();
    };
    if (Error E = (*File)->writeFat(Places, Write, OS))
      return E;
  }
  // Headers and the new section each take a multiple of the file's alignment.
  if (Out.size() > Bytes.size() + 3 * 65536)
    std::abort();
  verifyHost(Out, "output");
  compareHost(Bytes, Out, "output");
  return Error::success();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  bool IsPe = kpack::offload::PeImage::startsOne(Bytes);
  if (IsPe) {
    consumeError(convertPe(Bytes, /*Size=*/200));
    return 0;
  }
  for (LayoutKind Kind : {LayoutKind::Keep, LayoutKind::Compact})
    consumeError(convert(Bytes, /*MarkerSize=*/200, Kind));
  return 0;
}
