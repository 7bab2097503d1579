//===- host-verifier-fuzzer.cpp - fuzzer of the verifier of binaries ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever is verified gets an answer. What is called right is the same as
// itself, and its marker stands within its bytes. Whether it would load is
// asked by unittests/HostRewrite/host-mutations.cpp.
//
//===----------------------------------------------------------------------===//
#include "HostRewrite/Verifier/Verifier.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace llvm;
using namespace kpack::hostrewrite;

static void check(bool Condition) {
  if (!Condition)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  VerifiedHost Host = verifyHost(Bytes, "input");
  for (const HostWrapper &W : Host.Wrappers)
    check(W.FileOffset + 24 <= Size);
  StringRef Marker = Host.MarkerBytes;
  check(Marker.empty() ||
        (Marker.begin() >= Bytes.begin() && Marker.end() <= Bytes.end()));
  std::vector<std::string> Differences = compareHost(Bytes, Bytes, "itself");
  check(Differences.empty() || !Host.ok());
  return 0;
}
