//===- Corruption.h - random change of one field ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes one field, or adds or removes one part, of a signature or an
// algorithm, and says which. What comes of it is mostly not valid.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_CORRUPTION_H
#define KPACK_UNITTESTS_CONVBUILDER_CORRUPTION_H

#include "RandomAlgorithm.h"

#include <algorithm>
#include <string>

namespace kpack::conv {

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

/// Of a signature and an algorithm that are fine, others near them, mostly none
/// that are: one or two fields of the algorithm, and sometimes one of the
/// signature, have other values. 0: the same.
inline void vary(RandomAlgorithm &Random, unsigned Round, Signature &Sig,
                 Algorithm &Algo) {
  for (unsigned I = 0; Round && I < 1 + Round % 2; ++I)
    Corruption(Random, static_cast<int>(Random.below(110)))
        .visit(Algo, "algorithm");
  if (Round % 3 == 2) {
    Corruption(Random, static_cast<int>(Random.below(60)))
        .visit(Sig, "signature");
    Sig = resolveSignature(Sig);
  }
}

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_CORRUPTION_H
