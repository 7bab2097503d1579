//===- CorruptionTest.cpp - the message is about what is wrong ------------===//
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
#include "RandomAlgorithm.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace kpack::conv;

namespace {

/// Changes the field number Chosen, and notes its path.
class Corruption {
public:
  Corruption(RandomAlgorithm &Random, int Chosen)
      : Random(Random), Left(Chosen) {}

  template <typename T> void visit(T &Value, const std::string &Path) {
    if constexpr (Fielded<T>)
      forEachField<T>([&](auto Member, const Field &F) {
        Bounds = F;
        visit(Value.*Member, Path + "." + std::string(F.Name));
      });
    else if (Left-- == 0)
      change(Value, Path);
  }
  template <typename T>
  void visit(Optional<T> &Value, const std::string &Path) {
    // The part as a whole: it appears, or it is gone.
    if (Left-- == 0) {
      Changed = Path;
      Value = Value ? Optional<T>() : Optional<T>(T{});
    } else if (Value) {
      visit(*Value, Path);
    }
  }
  template <typename T, unsigned N>
  void visit(List<T, N> &Values, const std::string &Path) {
    if (Left-- == 0) {
      Changed = Path;
      if (Values.empty())
        Values.push(T{});
      else
        Values = List<T, N>();
    } else {
      for (unsigned I = 0; I < Values.size(); ++I)
        visit(Values[I], Path + "[" + std::to_string(I) + "]");
    }
  }

  /// Empty where there is no such field.
  std::string Changed;

private:
  void change(bool &Value, const std::string &Path) {
    Value = !Value;
    Changed = Path;
  }
  void change(int &Value, const std::string &Path) {
    int Others[] = {Value * 2, Value + 1, Value - 1, Value * 3, 0, 7, 1000};
    int Next = Others[Random.below(7)];
    Value = std::clamp(Next, Bounds.Min, Bounds.Max);
    Changed = Path;
  }
  template <Enumeration Enum>
  void change(Enum &Value, const std::string &Path) {
    Value = static_cast<Enum>(Random.below(EnumCount<Enum>));
    Changed = Path;
  }

  RandomAlgorithm &Random;
  int Left;
  Field Bounds;
};

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

TEST(CorruptionTest, TheFirstMessageNamesTheField) {
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
