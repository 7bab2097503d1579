//===- verify-original-fuzzer.cpp - fuzzer of kpack verify --against ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host-only binary and its original, of which either may be damaged, as
// `kpack verify --against=` reads them. An input is the size of the original in
// four bytes, the original, and the binary; one that is too short for that is
// both.
//
//===----------------------------------------------------------------------===//
#include "../InputFile.h"
#include "Tool/Verify/Verify.h"

#include "llvm/Support/Endian.h"

#include <cstddef>
#include <cstdint>

using namespace llvm;
using namespace kpack::tool;

static std::string_view makeView(StringRef Text) {
  return {Text.data(), Text.size()};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const InputFile First, Second;
  StringRef Original(reinterpret_cast<const char *>(Data), Size);
  StringRef Converted = Original;
  if (Size >= 4) {
    size_t OriginalSize = support::endian::read32le(Data);
    if (OriginalSize <= Size - 4) {
      Original = Converted.substr(4, OriginalSize);
      Converted = Converted.drop_front(4 + OriginalSize);
    }
  }
  std::string OriginalPath = First.with(makeView(Original));
  Expected<HostBinary> Binary =
      readHostBinary(Second.with(makeView(Converted)));
  if (!Binary) {
    consumeError(Binary.takeError());
    return 0;
  }
  compareWithOriginal(*Binary, OriginalPath);
  return 0;
}
