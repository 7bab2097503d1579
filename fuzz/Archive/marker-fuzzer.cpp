//===- marker-fuzzer.cpp - fuzzer of the marker decoder -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libFuzzer over the marker decoder. What it accepts, the encoder can say
// again.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/Marker.h"

#include <cstdint>

using namespace kpack;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Bytes(reinterpret_cast<const char *>(Data), Size);
  size_t Length = 0;
  Result<Marker> M = decodeMarker(Bytes, /*Exact=*/false, &Length);
  if (!M)
    return 0;
  if (Length > Size || M->SearchPaths.empty())
    __builtin_trap();
  Result<std::string> Again = encodeMarker(*M);
  if (!Again || !decodeMarker(*Again, /*Exact=*/true))
    __builtin_trap();
  return 0;
}
