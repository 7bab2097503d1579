//===- offload-bundle-fuzzer.cpp - fuzzer of device code containers -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Containers of device code and device payloads from anywhere: must be parsed
// or refused, what is parsed must lie inside what was given, and no bytes
// belong to two of its parts. A good payload written again must read back as
// itself.
//
//===----------------------------------------------------------------------===//
#include "Offload/FatBinary.h"
#include "Offload/ImageStream.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace llvm;
using namespace kpack::offload;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

/// The next image of \p Stream; none after the last. False on an error.
static bool takeNext(ImageStream &Stream, std::optional<StreamedImage> &Image) {
  return !errorToBool(Stream.next().moveInto(Image));
}

/// A stream has the images that the container has when it is opened whole, or
/// fails like that one, which is null then.
static void checkStream(const Container &C, const OpenContainer *Open) {
  Expected<std::unique_ptr<ImageStream>> Stream =
      ImageStream::open(C, "input", /*MinSize=*/0);
  if (!Stream) {
    consumeError(Stream.takeError());
    return check(!Open);
  }
  std::optional<StreamedImage> Image;
  size_t Count = 0;
  bool IsGood = takeNext(**Stream, Image);
  for (; IsGood && Image; IsGood = takeNext(**Stream, Image), ++Count)
    check(!Open || (Count < Open->Images.size() &&
                    Image->Target == Open->Images[Count].Target &&
                    Image->Bytes == Open->Images[Count].Bytes));
  check(IsGood == (Open != nullptr));
  check(!Open || Count == Open->Images.size());
}

/// Containers in a row: none overlaps the next, and all lie in the section.
static void parseSection(StringRef Bytes) {
  Expected<std::vector<Container>> All = readContainers(Bytes, "input");
  if (!All) {
    consumeError(All.takeError());
    return;
  }
  uint64_t End = 0;
  for (const Container &C : *All) {
    check(C.Offset >= End && C.Bytes.begin() == Bytes.begin() + C.Offset);
    check(C.Bytes.size() <= Bytes.size() - C.Offset && !C.Bytes.empty());
    End = C.Offset + C.Bytes.size();
    Expected<OpenContainer> Open = openContainer(C, "input");
    if (!Open) {
      consumeError(Open.takeError());
      checkStream(C, nullptr);
      continue;
    }
    checkStream(C, &*Open);
    StringRef Owner = Open->Storage ? Open->Storage->getBuffer() : C.Bytes;
    uint64_t Total = 0;
    for (const DeviceImage &Image : Open->Images) {
      check(Image.Bytes.empty() || (Image.Bytes.begin() >= Owner.begin() &&
                                    Image.Bytes.end() <= Owner.end()));
      Total += Image.Bytes.size();
    }
    check(Total <= Owner.size());
  }
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
  parseSection(Bytes);
  parsePayloads(Bytes);
  return 0;
}
