//===- CorruptionTest.cpp - tests that messages name the wrong field ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One field of a valid signature or algorithm gets another value, so that it is
// not valid any more: the first thing that is said names the field, or names it
// as a party of the relation that is broken.
//
//===----------------------------------------------------------------------===//
#include "Corruption.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <gtest/gtest.h>

using namespace kpack::conv;

namespace {

bool contains(std::string_view Text, std::string_view Part) {
  return Text.find(Part) != std::string_view::npos;
}

/// Whether a text has the field: its path, or that of a part of it or around
/// it, without what they begin with: "wave.waves" for algorithm.wave.waves.m.
bool names(const Finding &F, std::string_view Text, const std::string &Path) {
  if (Path.starts_with(F.Path) || F.Path.starts_with(Path))
    return true;
  // Of a list, all numbers together.
  std::string Rest = Path.substr(Path.find('.') + 1);
  if (Rest.ends_with(']'))
    Rest.resize(Rest.rfind('['));
  if (contains(Text, Rest))
    return true;
  // Of a tensor: "the output", and which of its fields.
  std::size_t Last = Rest.rfind('.');
  if (Last == std::string::npos)
    return false;
  std::string Part = Rest.substr(0, Last), Leaf = Rest.substr(Last + 1);
  if (contains(Part, "."))
    if (contains(Text, Part))
      return true;
  return contains(Text, Rest.substr(0, Rest.find('.'))) && contains(Text, Leaf);
}

TEST(CorruptionTest, FirstMessageNamesTheCorruptedField) {
  RandomAlgorithm Random(14);
  constexpr int Wanted = 200;
  int Broken = 0, Named = 0;
  std::string NotNamed;
  while (Broken < Wanted) {
    std::string_view Gpu = ProcessorNames[Random.below(8)];
    Resolved Base = resolve(Random.signature(), {}, Gpu);
    ASSERT_TRUE(Base.ok());
    Corruption C(Random, static_cast<int>(Random.below(90)));
    if (Random.below(3) == 0)
      C.visit(Base.Sig, "signature");
    else
      C.visit(Base.Algo, "algorithm");
    Report R = validate(Base.Sig, Base.Algo, Gpu);
    if (C.Changed.empty() || R.ok())
      continue;
    ++Broken;
    bool IsNamed = names(R[0], R.textOf(0), C.Changed);
    Named += IsNamed;
    if (!IsNamed)
      NotNamed += C.Changed + ": " + std::string(R.textOf(0)) + "\n";
  }
  std::printf("%d of %d first messages name the field (%.1f %%)\n", Named,
              Broken, 100.0 * Named / Broken);
  EXPECT_GE(Named * 100, Broken * 95) << NotNamed;
}

} // namespace
