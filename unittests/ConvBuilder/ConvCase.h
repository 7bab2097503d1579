//===- ConvCase.h - random convolution and its reference --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A signature, a problem and tensors in memory, made of a seed, and what the
// host reference says of them: a thin face of kpack/ConvBuilder/TestData.h, and
// random cases whose results are exact.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_CONVCASE_H
#define KPACK_UNITTESTS_CONVBUILDER_CONVCASE_H

#include "kpack/ConvBuilder/ResolveSignature.h"
#include "kpack/ConvBuilder/TestData.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace kpack::conv {

struct ConvCase {
  Signature Sig; ///< resolved
  Problem P;
  Args Numbers; ///< without tensors
  /// Input, weight, output, then the auxiliary operands of each.
  std::vector<TensorBytes> Memory;
  Fp8Form Form = Fp8Form::Ocp;

  /// The case as text.
  std::string text() const;
  /// Which of Memory is the result.
  unsigned result() const;
  /// Numbers, with tensors of the process.
  Args args(std::vector<TensorBytes> &Contents) const;

  /// Tensors for Sig and P. False: the sizes make no sense.
  bool fill(unsigned Seed, TestNumbers Which = TestNumbers::Integers);

  /// Memory with the reference's result in it.
  std::vector<TensorBytes> expected() const;
  /// What differs from \p Expected in the result; empty: nothing does.
  std::string compare(const std::vector<TensorBytes> &Expected,
                      const TensorBytes &Result) const;
  /// The same, where each element may be off by that and one ulp of the
  /// result's type.
  std::string compareNearly(const TensorBytes &Result,
                            const Tolerance &By) const;
};

/// Memory of a workspace with what nobody may rely on, and a guard behind it.
struct Workspace {
  static constexpr size_t Guard = 64;
  explicit Workspace(long long Bytes)
      : Memory(static_cast<size_t>(Bytes) + Guard, std::byte{0x7f}) {}
  bool isInside() const {
    return std::all_of(Memory.end() - Guard, Memory.end(),
                       [](std::byte B) { return B == std::byte{0x7f}; });
  }
  std::vector<std::byte> Memory;
};

/// What a random case has. Factor(i) of a case says which of its choices it is,
/// so that a test can say that each pair has been there.
class RandomCase {
public:
  explicit RandomCase(unsigned Seed) : Random(Seed) {}

  /// Channels are multiples of it; where it is more than 1, few.
  int ChannelStep = 1;
  int MostGroups = 3;

  /// Any types, layouts, sizes and operations whose results are exact.
  ConvCase next();
  /// The choices of the last one.
  const std::vector<int> &choices() const { return Choices; }

  /// Strides without overlaps, in any order, with gaps.
  Strides stridesFor(TensorLayout Layout, const Problem &P,
                     const Signature &Sig);

private:
  int below(int End) {
    return std::uniform_int_distribution<int>(0, End - 1)(Random);
  }
  /// One of \p Count, which is a choice of the case.
  int choose(int Count) {
    Choices.push_back(below(Count));
    return Choices.back();
  }
  TensorLayout layout(Role TensorRole, int Dims);
  void chooseTypes(Signature &Sig);
  void chooseOperation(Tensor &T, Role TensorRole, bool IsResult,
                       unsigned &Left);
  void chooseProblem(ConvCase &Case);

  std::mt19937 Random;
  std::vector<int> Choices;
};

/// A kernel's body as a part of the test, without a compile: the integers that
/// it is made for are read at run time.
void runNatively(const Lowered &Kernel, const KernelLaunch &Launch);

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_CONVCASE_H
