//===- offload-bundle-fuzzer.cpp - hostile offload bundles ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bundles and device payloads from anywhere: must be parsed or refused, and
// what is parsed must lie inside what was given. A good payload written again
// must read back as itself.
//
//===----------------------------------------------------------------------===//
#include "kpack/Offload/OffloadBundle.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace llvm;
using namespace kpack::offload;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

static void parseBundle(StringRef Bytes) {
  Expected<OffloadBundle> Bundle = parseOffloadBundle(Bytes, "input");
  if (!Bundle) {
    consumeError(Bundle.takeError());
    return;
  }
  check(Bundle->Size <= Bytes.size());
  StringRef Owner = Bundle->Storage ? Bundle->Storage->getBuffer() : Bytes;
  for (const DeviceImage &Image : Bundle->Images)
    check(Image.Bytes.empty() || (Image.Bytes.begin() >= Owner.begin() &&
                                  Image.Bytes.end() <= Owner.end()));
}

static void parsePayloads(StringRef Bytes) {
  Expected<std::vector<DevicePayload>> Payloads = readPayloads(Bytes, "input");
  if (!Payloads) {
    consumeError(Payloads.takeError());
    return;
  }
  for (const DevicePayload &Payload : *Payloads) {
    std::string Written = writePayload(Payload);
    Expected<std::vector<DevicePayload>> Again = readPayloads(Written, "again");
    check(bool(Again));
    check(Again->size() == 1 && (*Again)[0].Token == Payload.Token &&
          (*Again)[0].Images.size() == Payload.Images.size());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  parseBundle(Bytes);
  parsePayloads(Bytes);
  return 0;
}
