//===- Requirements/Context.h - input and texts of all checks ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of checks, and text that many of them share. A check is a
// function of a Context. It writes a finding for each violation, and ignores
// absent parts unless it is about absence. So all checks can run, whatever the
// others find.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_CONTEXT_H
#define KPACK_CONVBUILDER_REQUIREMENTS_CONTEXT_H

#include "kpack/ConvBuilder/CodeFacts.h"
#include "kpack/ConvBuilder/Report.h"
#include "kpack/ConvBuilder/Resources.h"

namespace kpack::conv {

/// Known VERSIONs: the schema of texts, of which there is one so far, and
/// versions of CK's builder, whose programs compile unchanged.
inline constexpr std::string_view NewestVersion = "1";
inline constexpr std::string_view CkVersions[] = {"0.0.0", "0.1.0"};

constexpr bool isKnownVersion(std::string_view Name) {
  for (std::string_view Known : CkVersions)
    if (Name == Known)
      return true;
  return Name == NewestVersion;
}

/// Whether parts of an algorithm may be absent, for resolve() to choose.
enum class Absent : unsigned char { IsRefused, IsOpen };

/// Conditions of the caller besides the three tensors.
struct Conditions {
  Absent Parts = Absent::IsRefused;
  std::string_view Version = NewestVersion;
  long long WorkspaceLimit = Huge;
  bool Deterministic = false;
};

/// An optional reference to a value of the caller. Not a pointer, because g++
/// cannot compare the address of a temporary object with null at compile time.
template <typename Type> struct Known {
  const Type *Value = nullptr;
  bool Is = false;

  constexpr Known() = default;
  constexpr Known(const Type &Value) : Value(&Value), Is(true) {}

  constexpr explicit operator bool() const { return Is; }
  constexpr const Type &operator*() const { return *Value; }
  constexpr const Type *operator->() const { return Value; }
};

namespace checks {

/// The input of all checks. Sizes and Code are absent, and Gpu is null, if
/// unknown. Functions here make few calls: each call costs compilers time and
/// memory.
struct Context {
  const Signature &Given; ///< before resolving
  const Signature &Sig;   ///< resolved
  const Algorithm *Algo;  ///< if HasAlgo; no check compares it with null
  Target For;
  const Processor *Gpu;
  Known<Problem> Sizes;
  Conditions Want;
  Report &Out;
  bool HasAlgo;
  std::string_view Id{};   ///< of the requirement that is checked
  Known<CodeFacts> Code{}; ///< of the compiled kernel
  /// Facts of Sizes; computed once, since a context serves many algorithms.
  ProblemFacts Facts = Sizes ? ProblemFacts(Sig, *Sizes) : ProblemFacts();

  constexpr FindingOut find() const { return FindingOut(Out, Id); }
  constexpr FindingOut find(std::string_view Path, long long Limit = 0) const {
    FindingOut Finding(Out, Id);
    Finding << Path;
    Finding.fact(Limit);
    return Finding;
  }

  constexpr bool is(Kind Wanted) const { return Algo->kind == Wanted; }
  constexpr bool is(Isa Wanted) const { return Algo->isa == Wanted; }
  constexpr bool isGemm() const { return Algo->kind == Kind::IMPLICIT_GEMM; }
  /// The wave size of the isa, else of the processor; 0 if neither is known.
  constexpr int waveSize() const {
    Isa IsaKind = Algo->isa;
    return IsaKind == Isa::MFMA   ? 64
           : IsaKind == Isa::WMMA ? 32
           : Gpu                  ? Gpu->WaveSize
                                  : 0;
  }
  /// Pieces of the sum that the problem requests.
  constexpr int piecesAsked() const { return Sizes ? Sizes->k_batch : 0; }
  constexpr std::string_view gpuName() const {
    return Gpu ? Gpu->Name : std::string_view("every processor");
  }
  constexpr const Tensor &a() const { return tensorOfA(Sig); }
  constexpr const Tensor &b() const { return tensorOfB(Sig); }
  constexpr const Tensor &result() const { return tensorOfResult(Sig); }
};

} // namespace checks

namespace detail {
using checks::Context;
} // namespace detail

/// The three tensors, for loops.
inline constexpr Role TensorRoles[] = {Role::Input, Role::Weight, Role::Output};

constexpr bool isResult(const checks::Context &C, Role TensorRole) {
  return TensorRole == roleOfResult(C.Sig.direction);
}

/// Returns the operation of a resolved tensor.
constexpr ElementwiseOperation operationOf(const Tensor &Given) {
  return Given.operation->elementwise_operation;
}

namespace detail {

/// An operand of the product. Its rows are m for A and n for B; "m" and "n" in
/// texts.
struct OperandWay {
  const Operand *Way; ///< null if absent
  Role From;
  Literal Name; ///< "a", "b"
  char Rows;    ///< 'm', 'n'

  constexpr int rows(const MNK &Sizes) const {
    return Rows == 'm' ? Sizes.m : Sizes.n;
  }
};

/// Returns operand 0 (A) or 1 (B).
constexpr OperandWay wayOf(const Context &C, int Which) {
  const Optional<Operand> &Part = Which ? C.Algo->b : C.Algo->a;
  return {Part.Has ? &Part.Value : nullptr,
          Which ? roleOfB(C.Sig.direction) : roleOfA(C.Sig.direction),
          Which ? "b" : "a", Which ? 'n' : 'm'};
}

constexpr bool isPointwise(const Algorithm &Algo) {
  return Algo.specialization == ConvSpecialization::FILTER_1X1_STRIDE1_PAD0;
}

} // namespace detail

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REQUIREMENTS_CONTEXT_H
