// Formatted buffers: what a resource's or an instruction's format makes of memory, on each generation's own numbers.
// RUN: %clang++ -x c++ -std=c++20 -O1 -ffp-contract=off -Wall -Werror %s -I %S/Inputs -o %t.host
// RUN: %python %S/Inputs/run-kernels.py --levels=02 --host %t.host --softgpu-run %softgpu_run \
// RUN:   --source %s --prefix %t -- %clang++ %hipflags -I %S/Inputs
#include "kernel_test.h"

enum Number { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float = 7 };

// Components of a format, lowest bits first, and what each generation calls it.
struct Format {
  Number Kind;
  u8 Bits[4];
  u8 Data9; // data format of gfx9
  u8 Unified10, Unified11;
};
constexpr Format Formats[] = {
    {Unorm, {8}, 1, 1, 1},
    {Snorm, {8, 8}, 3, 15, 15},
    {Float, {16}, 2, 13, 13},
    {Uint, {16, 16}, 5, 27, 27},
    {Unorm, {10, 10, 10, 2}, 9, 50, 36},
    {Sint, {8, 8, 8, 8}, 10, 61, 47},
    {Float, {32}, 4, 22, 22},
    {Sint, {32, 32}, 11, 63, 49},
    {Sscaled, {16, 16, 16, 16}, 12, 68, 54},
    {Float, {11, 11, 10}, 6, 36, 30},
    {Float, {32, 32, 32}, 13, 74, 60},
};
constexpr u32 FormatCount = sizeof(Formats) / sizeof(*Formats);
constexpr u32 Records = 40; // of 64 threads, what the others access is out of bounds

DEVICE constexpr u32 bytesOf(const Format &F) { return (F.Bits[0] + F.Bits[1] + F.Bits[2] + F.Bits[3]) / 8u; }
DEVICE static inline u32 withoutNan(u32 Bits) { return (Bits & 0x7fffffff) > 0x7f800000 ? 0 : Bits; }
DEVICE static inline u32 loaded(const Format &F, u32 Bits) { return F.Kind == Float ? withoutNan(Bits) : Bits; }
// To store: numbers in and out of range, and integers.
DEVICE static inline u32 stored(const Format &F, u32 Bits) {
  if (F.Kind == Uint || F.Kind == Sint)
    return Bits;
  float Scale = F.Kind == Sscaled ? 512.0f : 1 / 64.0f;
  return cast<u32>(float(i32(Bits << 16) >> 16) * Scale / 64.0f);
}

#ifdef __HIP__
typedef u32 U4 __attribute__((ext_vector_type(4)));
typedef float F2 __attribute__((ext_vector_type(2)));
typedef float F4 __attribute__((ext_vector_type(4)));
typedef _Float16 H4 __attribute__((ext_vector_type(4)));
extern "C" {
DEVICE F4 loadFormat(U4, i32, i32, i32, i32) __asm("llvm.amdgcn.struct.buffer.load.format.v4f32");
DEVICE H4 loadHalves(U4, i32, i32, i32, i32) __asm("llvm.amdgcn.struct.buffer.load.format.v4f16");
DEVICE void storeFormat(F4, U4, i32, i32, i32, i32) __asm("llvm.amdgcn.struct.buffer.store.format.v4f32");
DEVICE F2 loadTyped(U4, i32, i32, i32, i32, i32) __asm("llvm.amdgcn.struct.tbuffer.load.v2f32");
DEVICE void storeTyped(F4, U4, i32, i32, i32, i32, i32) __asm("llvm.amdgcn.struct.tbuffer.store.v4f32");
}

#if defined(__GFX9__)
#define IN_RESOURCE(F) (u32(F.Data9) << 15 | u32(F.Kind) << 12)
#define IN_INSTRUCTION(F) (F.Data9 | F.Kind << 4)
#elif defined(__GFX10__)
#define IN_RESOURCE(F) (u32(F.Unified10) << 12)
#define IN_INSTRUCTION(F) F.Unified10
#else
#define IN_RESOURCE(F) (u32(F.Unified11) << 12)
#define IN_INSTRUCTION(F) F.Unified11
#endif
// Formats[] is the host's: constants come by value.
DEVICE static inline U4 resource(const u32 *Base, u32 Stride, u32 Format) {
  constexpr u32 Identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  u64 Address = (u64)Base;
  return U4{u32(Address), u32(Address >> 32) | Stride << 16, Records, Identity | Format};
}

template <u32 K> DEVICE static void loadOne(const u32 *In, u32 *Out) {
  constexpr Format F = Formats[K];
  F4 V = loadFormat(resource(In + K, bytesOf(F), IN_RESOURCE(F)), i32(LOCAL), 0, 0, 0);
  for (u32 C = 0; C < 4; ++C)
    Out[(K * 64 + LOCAL) * 4 + C] = loaded(F, cast<u32>(V[C]));
  if constexpr (K)
    loadOne<K - 1>(In, Out);
}
KERNEL(loads) { loadOne<FormatCount - 1>(In, Out); }

template <u32 K> DEVICE static void storeOne(const u32 *In, u32 *Out) {
  constexpr Format F = Formats[K];
  F4 V;
  for (u32 C = 0; C < 4; ++C)
    V[C] = cast<float>(stored(F, In[LOCAL * 4 + C]));
  storeFormat(V, resource(Out + K * 256, bytesOf(F), IN_RESOURCE(F)), i32(LOCAL), 0, 0, 0);
  if constexpr (K)
    storeOne<K - 1>(In, Out);
}
KERNEL(stores) { storeOne<FormatCount - 1>(In, Out); }

KERNEL(typed) {
  constexpr Format L = Formats[1], S = Formats[4];
  F2 V = loadTyped(resource(In, 2, 0), i32(LOCAL), 0, 0, IN_INSTRUCTION(L), 0);
  Out[LOCAL * 2] = cast<u32>(V[0]);
  Out[LOCAL * 2 + 1] = cast<u32>(V[1]);
  F4 T;
  for (u32 C = 0; C < 4; ++C)
    T[C] = cast<float>(stored(S, In[LOCAL * 4 + C]));
  storeTyped(T, resource(Out + 256, 4, 0), i32(LOCAL), 0, 0, IN_INSTRUCTION(S), 0);
}

KERNEL(halves) {
  constexpr Format F = Formats[8]; // 16_16_16_16, made small enough for an f16
  H4 V = loadHalves(resource(In, 8, IN_RESOURCE(F)), i32(LOCAL), 0, 0, 0);
  for (u32 C = 0; C < 4; ++C)
    Out[LOCAL * 4 + C] = cast<u16>(V[C]);
}
#else
#include <cmath>
static u32 field(const u8 *Element, u32 Bit, u32 Bits) {
  u64 Word = 0;
  std::memcpy(&Word, Element + Bit / 32 * 4, 4);
  return u32(Word >> Bit % 32 & ((u64(1) << Bits) - 1));
}
static i32 signedField(u32 Raw, u32 Bits) { return i32(Raw << (32 - Bits)) >> (32 - Bits); }
// A float of five exponent bits; the sign is the highest bit of a 16-bit one.
static float smallFloat(u32 Raw, u32 Bits) {
  u32 Mantissa = Bits == 16 ? 10 : Bits - 5, Exponent = Raw >> Mantissa & 31;
  float Fraction = float(Raw & ((1u << Mantissa) - 1));
  float Value = Exponent ? std::ldexp(Fraction + float(1u << Mantissa), int(Exponent) - 15 - int(Mantissa))
                         : std::ldexp(Fraction, -14 - int(Mantissa));
  if (Exponent == 31)
    Value = Fraction != 0 ? NAN : INFINITY;
  return Bits == 16 && Raw >> 15 ? -Value : Value;
}
static u32 unpack(const Format &F, u32 Raw, u32 Bits) {
  double Most = double((u64(1) << Bits) - 1), MostSigned = double((u64(1) << (Bits - 1)) - 1);
  switch (F.Kind) {
  case Unorm: return cast<u32>(float(Raw / Most));
  case Snorm: return cast<u32>(float(std::fmax(-1, signedField(Raw, Bits) / MostSigned)));
  case Uscaled: return cast<u32>(float(Raw));
  case Sscaled: return cast<u32>(float(signedField(Raw, Bits)));
  case Uint: return Raw;
  case Sint: return u32(signedField(Raw, Bits));
  case Float: return Bits == 32 ? Raw : cast<u32>(smallFloat(Raw, Bits));
  }
  return 0;
}
static u32 component(const Format &F, const u8 *Element, u32 C) {
  u32 Bit = 0;
  for (u32 B = 0; B < C; ++B)
    Bit += F.Bits[B];
  if (F.Bits[C])
    return unpack(F, field(Element, Bit, F.Bits[C]), F.Bits[C]);
  return C == 3 ? (F.Kind == Uint || F.Kind == Sint ? 1 : 0x3f800000) : 0;
}
EXPECT(loads, 1, 64, 0) {
  for (u32 K = 0; K < FormatCount; ++K)
    for (u32 I = 0; I < Records; ++I)
      for (u32 C = 0; C < 4; ++C)
        Out[(K * 64 + I) * 4 + C] =
            loaded(Formats[K], component(Formats[K], (const u8 *)(In + K) + I * bytesOf(Formats[K]), C));
}

// The nearest of all positive floats of so many bits, by trying them.
static u32 nearestSmallFloat(float Value, u32 Bits) {
  u32 Best = 0, Infinity = Bits == 16 ? 31u << 10 : 31u << (Bits - 5);
  for (u32 Raw = 0; Raw < Infinity; ++Raw) {
    float Far = std::fabs(smallFloat(Best, Bits) - Value), Near = std::fabs(smallFloat(Raw, Bits) - Value);
    if (Near < Far || (Near == Far && Raw % 2 == 0))
      Best = Raw;
  }
  return Best;
}
static u32 pack(const Format &F, u32 Value, u32 Bits) {
  double Number = cast<float>(Value), Most = double((u64(1) << Bits) - 1), MostSigned = double((u64(1) << (Bits - 1)) - 1);
  double Result = 0;
  switch (F.Kind) {
  case Unorm: Result = std::rint(std::fmin(std::fmax(Number, 0), 1) * Most); break;
  case Snorm: Result = std::rint(std::fmin(std::fmax(Number, -1), 1) * MostSigned); break;
  case Uscaled: Result = std::trunc(std::fmin(std::fmax(Number, 0), Most)); break;
  case Sscaled: Result = std::trunc(std::fmin(std::fmax(Number, -MostSigned - 1), MostSigned)); break;
  case Uint: Result = std::fmin(double(Value), Most); break;
  case Sint: Result = std::fmin(std::fmax(double(i32(Value)), -MostSigned - 1), MostSigned); break;
  case Float:
    if (Bits == 32)
      return Value;
    if (Bits == 16)
      return nearestSmallFloat(float(std::fabs(Number)), 16) | Value >> 31 << 15;
    return Number > 0 ? nearestSmallFloat(float(Number), Bits) : 0;
  }
  return u32(i64(Result)) & u32((u64(1) << Bits) - 1);
}
static void store(const Format &F, const u32 *Values, u8 *Element) {
  u32 Words[4] = {}, Bit = 0;
  for (u32 C = 0; C < 4 && F.Bits[C]; Bit += F.Bits[C++])
    Words[Bit / 32] |= pack(F, stored(F, Values[C]), F.Bits[C]) << Bit % 32;
  std::memcpy(Element, Words, bytesOf(F));
}
EXPECT(stores, 1, 64, 0) {
  for (u32 K = 0; K < FormatCount; ++K)
    for (u32 I = 0; I < Records; ++I)
      store(Formats[K], In + I * 4, (u8 *)(Out + K * 256) + I * bytesOf(Formats[K]));
}

EXPECT(typed, 1, 64, 0) {
  for (u32 I = 0; I < Records; ++I) {
    for (u32 C = 0; C < 2; ++C)
      Out[I * 2 + C] = component(Formats[1], (const u8 *)In + I * 2, C);
    store(Formats[4], In + I * 4, (u8 *)(Out + 256 + I));
  }
}

EXPECT(halves, 1, 64, 0) {
  for (u32 I = 0; I < Records; ++I)
    for (u32 C = 0; C < 4; ++C) {
      float Value = cast<float>(component(Formats[8], (const u8 *)(In + I * 2), C));
      Out[I * 4 + C] = nearestSmallFloat(std::fabs(Value), 16) | (Value < 0 ? 0x8000 : 0);
    }
}
#endif
