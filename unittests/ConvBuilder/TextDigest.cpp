//===- TextDigest.cpp - test tool: hash of random descriptors' texts ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// text-digest SEED COUNT: prints a hash of the full texts, and of the hashes,
// of random signatures, algorithms and problems. Nothing but headers:
// `scripts/accept conv` compiles it with clang and with g++, and compares what
// they print.
//
//===----------------------------------------------------------------------===//
#include "RandomValue.h"

#include "kpack/ConvBuilder/Hash.h"
#include "kpack/ConvBuilder/Problem.h"
#include "kpack/ConvBuilder/Text.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace kpack::conv;

/// FNV-1a, which is not the hash that is looked at.
static void add(std::uint64_t &Digest, std::string_view Bytes) {
  for (unsigned char Byte : Bytes)
    Digest = (Digest ^ Byte) * 0x100000001b3;
}

template <typename T> static void add(std::uint64_t &Digest, const T &Value) {
  add(Digest, textOf(Value, TextForm::Full).view());
  std::uint64_t Hash = hashOf(Value);
  add(Digest, {reinterpret_cast<const char *>(&Hash), sizeof(Hash)});
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  RandomValue Random(unsigned(std::strtoul(Argv[1], nullptr, 10)));
  std::uint64_t Digest = 0xcbf29ce484222325;
  for (unsigned long Left = std::strtoul(Argv[2], nullptr, 10); Left; --Left) {
    add(Digest, Random.make<Signature>());
    add(Digest, Random.make<Algorithm>());
    add(Digest, Random.make<Problem>());
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(Digest));
}
