//===- VectorTemplates.h - vector handlers from lane functions --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a Handler from a function on one lane's numbers, so that a line of a
// table is an instruction. A kind (U32, I16, F64...) converts rows of an
// operand to numbers and back. Plain registers take a fast path here; the rest
// is in Lanes.h. The code is compiled with the variant's instructions and must
// not be shared by the linker, so it is in the variant's namespace.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_LANES_VECTORTEMPLATES_H
#define KPACK_LIB_SOFTGPU_MACHINE_LANES_VECTORTEMPLATES_H

#include "Lanes.h"
#include "SoftGpu/Machine/Opcodes.h"
#include <limits>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Does blend() for 32 lanes.
inline void blendHalf(uint32_t *Row, const uint32_t *Value, uint32_t Mask) {
  if (Mask == ~0u) {
    std::memcpy(Row, Value, 32 * sizeof(uint32_t));
    return;
  }
#ifdef __AVX512F__
  // A mask register selects sixteen lanes.
  using Lanes = uint32_t __attribute__((ext_vector_type(16)));
  using Choice = bool __attribute__((ext_vector_type(16)));
#else
  using Lanes = uint32_t __attribute__((ext_vector_type(8)));
  using Choice = int32_t __attribute__((ext_vector_type(8)));
#endif
  constexpr unsigned Count = sizeof(Lanes) / sizeof(uint32_t);
  for (unsigned N = 0; N < 32; N += Count) {
    Lanes Old, New;
    std::memcpy(&Old, Row + N, sizeof Old);
    std::memcpy(&New, Value + N, sizeof New);
#ifdef __AVX512F__
    Choice Taken = std::bit_cast<Choice>(uint16_t(Mask >> N));
#else
    Lanes Bits = {1, 2, 4, 8, 16, 32, 64, 128};
    Choice Taken = (Bits & (Mask >> N)) != 0;
#endif
    Old = Taken ? New : Old;
    std::memcpy(Row + N, &Old, sizeof Old);
  }
}

/// Replaces lanes of \p Row by those of \p Value whose bits in \p Mask are set.
/// Reads nothing of 32 lanes without a bit: they may be a wave32's upper half.
inline void blend(Lanes32 &Row, const Lanes32 &Value, uint64_t Mask) {
  for (unsigned First = 0; First < 64; First += 32, Mask >>= 32)
    if (uint32_t Half = uint32_t(Mask))
      blendHalf(Row.V + First, Value.V + First, Half);
}

inline void blend64(Lanes32 &Low, Lanes32 &High, const Lanes64 &Value,
                    uint64_t Mask) {
  for (unsigned First = 0; First < 64; First += 32, Mask >>= 32) {
    uint32_t Half = uint32_t(Mask);
    if (Half == 0)
      continue;
    alignas(64) uint32_t L[32], H[32];
    for (unsigned N = 0; N < 32; ++N) {
      L[N] = uint32_t(Value.V[First + N]);
      H[N] = uint32_t(Value.V[First + N] >> 32);
    }
    blendHalf(Low.V + First, L, Half);
    blendHalf(High.V + First, H, Half);
  }
}

/// True if no modifier of \p I selects or masks lanes or bits, and no register
/// is relative.
inline bool isPlain(const Wave &W, const Instruction &I) {
  return TakesShortWays && !(I.Modifiers & (ModDpp | ModSdwa)) &&
         !W.GprIndexMode;
}

/// Like sourceBits32().
inline const Lanes32 &source32(Wave &W, const Instruction &I, unsigned N,
                               Lanes32 &Scratch) {
  const Operand &O = I.Operands[N];
  if (!isPlain(W, I))
    return sourceBits32(W, I, N, Scratch);
  if (O.What == Operand::Kind::Vgpr)
    return W.Vectors[O.Index];
  uint32_t Value =
      O.What == Operand::Kind::Sgpr ? W.Scalars[O.Index] : scalarBits32(W, O);
  forLanes(W, [&](unsigned Lane) { Scratch.V[Lane] = Value; });
  return Scratch;
}

/// Like writeResult32().
inline void store32(Wave &W, const Instruction &I, const Lanes32 &Value,
                    unsigned N = 0) {
  const Operand &O = I.Operands[N];
  if (isPlain(W, I) && O.What == Operand::Kind::Vgpr)
    blend(W.Vectors[O.Index], Value, W.exec());
  else
    writeResult32(W, I, Value, N);
}

/// Like sourceBits64().
inline void source64(Wave &W, const Instruction &I, unsigned N, Lanes64 &Row,
                     bool LiteralIsHigh, bool SignExtend) {
  const Operand &O = I.Operands[N];
  if (!isPlain(W, I) || O.What != Operand::Kind::Vgpr || O.Dwords < 2) {
    sourceBits64(W, I, N, Row, LiteralIsHigh, SignExtend);
    return;
  }
  const Lanes32 &Low = W.Vectors[O.Index], &High = W.Vectors[O.Index + 1];
  forLanes(W, [&](unsigned Lane) {
    Row.V[Lane] = Low.V[Lane] | uint64_t(High.V[Lane]) << 32;
  });
}

/// Like writeResult64().
inline void store64(Wave &W, const Instruction &I, const Lanes64 &Value,
                    unsigned N = 0) {
  const Operand &O = I.Operands[N];
  if (isPlain(W, I) && O.What == Operand::Kind::Vgpr && O.Dwords >= 2)
    blend64(W.Vectors[O.Index], W.Vectors[O.Index + 1], Value, W.exec());
  else
    writeResult64(W, I, Value, N);
}

/// Like sourceBits16(), for registers without op_sel, halves or SDWA.
inline const Lanes32 &source16(Wave &W, const Instruction &I, unsigned N,
                               Lanes32 &Scratch) {
  const Operand &O = I.Operands[N];
  if (!isPlain(W, I) || O.What != Operand::Kind::Vgpr || I.OpSel ||
      O.Part == Operand::Half::High)
    return sourceBits16(W, I, N, Scratch);
  const Lanes32 &Row = W.Vectors[O.Index];
  forLanes(W, [&](unsigned Lane) { Scratch.V[Lane] = Row.V[Lane] & 0xffff; });
  return Scratch;
}

/// Returns a mask of the lanes for which \p Test(lane) holds.
template <class Predicate>
inline uint64_t laneMask(const Wave &W, const Predicate &Test) {
  using Bytes = uint8_t __attribute__((ext_vector_type(32)));
  using Bits = bool __attribute__((ext_vector_type(32)));
  uint64_t Mask = 0;
  for (unsigned First = 0; First < W.Lanes; First += 32) {
    alignas(32) uint8_t Results[32];
    for (unsigned N = 0; N < 32; ++N)
      Results[N] = Test(First + N) ? 0xff : 0;
    Bytes All;
    std::memcpy(&All, Results, sizeof All);
    Bits Set = __builtin_convertvector(All != 0, Bits);
    Mask |= uint64_t(std::bit_cast<uint32_t>(Set)) << First;
  }
  return Mask;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//
// read() returns the row of an operand (itself or in \p Scratch), number()
// converts one lane of it, bits() converts back, write() stores a row of
// results.

template <class T> struct Kind32 {
  using Row = Lanes32;
  using Number = T;
  static const Row &read(Wave &W, const Instruction &I, unsigned N,
                         Row &Scratch) {
    return source32(W, I, N, Scratch);
  }
  static T number(uint32_t Bits) { return std::bit_cast<T>(Bits); }
  static uint32_t bits(T Value) { return std::bit_cast<uint32_t>(Value); }
  static void write(Wave &W, const Instruction &I, const Row &Value) {
    store32(W, I, Value);
  }
};
using U32 = Kind32<uint32_t>;
using I32 = Kind32<int32_t>;

template <class T, bool LiteralIsHigh, bool SignExtend> struct Kind64 {
  using Row = Lanes64;
  using Number = T;
  static const Row &read(Wave &W, const Instruction &I, unsigned N,
                         Row &Scratch) {
    source64(W, I, N, Scratch, LiteralIsHigh, SignExtend);
    return Scratch;
  }
  static T number(uint64_t Bits) { return std::bit_cast<T>(Bits); }
  static uint64_t bits(T Value) { return std::bit_cast<uint64_t>(Value); }
  static void write(Wave &W, const Instruction &I, const Row &Value) {
    store64(W, I, Value);
  }
};
using U64 = Kind64<uint64_t, false, false>;
using I64 = Kind64<int64_t, false, true>;

/// \p KeepHigh: a result keeps the other half of its register on gfx9, too.
template <class T, bool KeepHigh = false> struct Kind16 {
  using Row = Lanes32;
  using Number = T;
  static const Row &read(Wave &W, const Instruction &I, unsigned N,
                         Row &Scratch) {
    return source16(W, I, N, Scratch);
  }
  static T number(uint32_t Bits) { return T(uint16_t(Bits)); }
  static uint32_t bits(T Value) { return uint16_t(Value); }
  static void write(Wave &W, const Instruction &I, const Row &Value) {
    writeResult16(W, I, Value, 0, KeepHigh);
  }
};
using U16 = Kind16<uint16_t>;
using I16 = Kind16<int16_t>;

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//
// Op is a function or a captureless lambda on the sources' numbers, without a
// branch. Operand 0 is the result, sources follow.

template <auto Op, class R, class A> void unary(Wave &W, const Instruction &I) {
  typename A::Row SA;
  typename R::Row Result;
  const auto &X = A::read(W, I, 1, SA);
  forLanes(W, [&](unsigned Lane) {
    Result.V[Lane] = R::bits(Op(A::number(X.V[Lane])));
  });
  R::write(W, I, Result);
}

/// True if operand \p N has the same value \p Bits for all lanes, so that no
/// row is needed.
inline bool isUniform32(Wave &W, const Instruction &I, unsigned N,
                        uint32_t &Bits) {
  const Operand &O = I.Operands[N];
  if (!isPlain(W, I) || O.What == Operand::Kind::Vgpr)
    return false;
  Bits =
      O.What == Operand::Kind::Sgpr ? W.Scalars[O.Index] : scalarBits32(W, O);
  return true;
}

/// Fast path for a scalar source, often the first: each encoding has room for
/// one there.
template <auto Op, class R, class A, class B>
bool binaryOfUniform(Wave &W, const Instruction &I) {
  typename R::Row Result;
  typename A::Row Scratch;
  uint32_t Bits;
  if (isUniform32(W, I, 1, Bits)) {
    auto X = A::number(Bits);
    const auto &Y = B::read(W, I, 2, Scratch);
    forLanes(W, [&](unsigned Lane) {
      Result.V[Lane] = R::bits(Op(X, B::number(Y.V[Lane])));
    });
  } else if (isUniform32(W, I, 2, Bits)) {
    auto Y = B::number(Bits);
    const auto &X = A::read(W, I, 1, Scratch);
    forLanes(W, [&](unsigned Lane) {
      Result.V[Lane] = R::bits(Op(A::number(X.V[Lane]), Y));
    });
  } else {
    return false;
  }
  R::write(W, I, Result);
  return true;
}

template <class K> constexpr bool IsKind32 = false;
template <class T> constexpr bool IsKind32<Kind32<T>> = true;

template <auto Op, class R, class A, class B>
void binary(Wave &W, const Instruction &I) {
  if constexpr (IsKind32<A> && IsKind32<B> && IsKind32<R>)
    if (binaryOfUniform<Op, R, A, B>(W, I))
      return;
  typename A::Row SA;
  typename B::Row SB;
  typename R::Row Result;
  const auto &X = A::read(W, I, 1, SA);
  const auto &Y = B::read(W, I, 2, SB);
  forLanes(W, [&](unsigned Lane) {
    Result.V[Lane] = R::bits(Op(A::number(X.V[Lane]), B::number(Y.V[Lane])));
  });
  R::write(W, I, Result);
}

template <auto Op, class R, class A, class B, class C>
void ternary(Wave &W, const Instruction &I) {
  typename A::Row SA;
  typename B::Row SB;
  typename C::Row SC;
  typename R::Row Result;
  const auto &X = A::read(W, I, 1, SA);
  const auto &Y = B::read(W, I, 2, SB);
  const auto &Z = C::read(W, I, 3, SC);
  forLanes(W, [&](unsigned Lane) {
    Result.V[Lane] = R::bits(
        Op(A::number(X.V[Lane]), B::number(Y.V[Lane]), C::number(Z.V[Lane])));
  });
  R::write(W, I, Result);
}

/// Handlers of Op for sources and result of one kind.
template <auto Op, class K> constexpr Handler UnaryOf = unary<Op, K, K>;
template <auto Op, class K> constexpr Handler BinaryOf = binary<Op, K, K, K>;
template <auto Op, class K>
constexpr Handler TernaryOf = ternary<Op, K, K, K, K>;

/// Op computes in 64 bits without overflow; the result is truncated to T, or
/// clamped to T's range.
template <auto Op, class T>
constexpr auto Truncated = [](auto... X) { return T(Op(int64_t(X)...)); };
template <auto Op, class T>
constexpr auto Saturated = [](auto... X) {
  int64_t Value = Op(int64_t(X)...);
  constexpr int64_t Low = std::numeric_limits<T>::min();
  constexpr int64_t High = std::numeric_limits<T>::max();
  return T(Value < Low ? Low : Value > High ? High : Value);
};

/// Handler of integer arithmetic that "clamp" saturates; Op as above.
template <auto Op, class R, class... Sources>
void clampable(Wave &W, const Instruction &I) {
  constexpr auto Plain = Truncated<Op, typename R::Number>;
  constexpr auto Clamped = Saturated<Op, typename R::Number>;
  if constexpr (sizeof...(Sources) == 2)
    (I.has(ModClamp) ? binary<Clamped, R, Sources...>
                     : binary<Plain, R, Sources...>)(W, I);
  else
    (I.has(ModClamp) ? ternary<Clamped, R, Sources...>
                     : ternary<Plain, R, Sources...>)(W, I);
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_LANES_VECTORTEMPLATES_H
