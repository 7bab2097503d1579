//===- StaleNumber.cpp - check of a library's copied constants ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that returns a constant is a handful of bytes, which contain the
// number for any parameters and without a call:
//
//   b8 80 00 00 00  mov $128, %eax
//   c3              ret                  -> 128
//
// NumberCode recognizes these few forms and gives up on any other. It reads
// byte by byte, as the memory after a short function may be unmapped. Only then
// is a function called, and only one without parameters.
//
// Integers must be equal. Floating-point numbers may differ by a few roundings:
// the blob's flags may compute them in another order than the index did.
//
//===----------------------------------------------------------------------===//
#include "StaleNumber.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cxxabi.h>
#include <initializer_list>
#include <limits>
#include <optional>

using namespace kpack;
using namespace kpack::ckjit;

/// Returns \p Bits of a type of \p Size bytes, without the bits above it.
static uint64_t cut(uint64_t Bits, unsigned Size) {
  return Size < sizeof(Bits) ? Bits & ((uint64_t(1) << (8 * Size)) - 1) : Bits;
}

template <typename Number> static uint64_t bitsOfCall(void *Function) {
  Number Answer = reinterpret_cast<Number (*)()>(Function)();
  uint64_t Bits = 0;
  std::memcpy(&Bits, &Answer, sizeof(Answer));
  return Bits;
}

/// Calls a function without parameters and returns its result. An integer of
/// any size is in the same register. A function that throws has no number; the
/// unwinding of an ending thread continues.
static std::optional<uint64_t> call(const ck_jit_constant &C, void *Function) {
  try {
    if (C.kind == CK_JIT_INTEGER)
      return bitsOfCall<uint64_t>(Function);
    return C.size == sizeof(float) ? bitsOfCall<float>(Function)
                                   : bitsOfCall<double>(Function);
  } catch (abi::__forced_unwind &) {
    throw;
  } catch (...) {
    return std::nullopt;
  }
}

#if defined(__x86_64__)
namespace {

/// The machine code of a function that only returns a number. Reads no byte
/// past the first one that does not match.
class NumberCode {
public:
  explicit NumberCode(const void *Start)
      : At(static_cast<const unsigned char *>(Start)) {}

  std::optional<uint64_t> number() {
    take({0xF3, 0x0F, 0x1E, 0xFA}); // endbr64
    bool HasFrame = take({0x55});
    if (HasFrame && !take({0x48, 0x89, 0xE5})) // mov %rsp, %rbp
      return std::nullopt;
    std::optional<uint64_t> Found = load();
    if (!Found || (HasFrame && !take({0x5D})) || !take({0xC3}))
      return std::nullopt;
    return Found;
  }

private:
  /// Skips the bytes if they are next. Compares them one by one: memory past
  /// the first difference may be unmapped.
  bool take(std::initializer_list<unsigned char> Bytes) {
    const volatile unsigned char *Next = At;
    for (unsigned char Byte : Bytes)
      if (*Next++ != Byte)
        return false;
    At += Bytes.size();
    return true;
  }
  template <typename Value> Value operand() {
    Value V;
    std::memcpy(&V, At, sizeof(V));
    At += sizeof(V);
    return V;
  }
  /// Reads a constant at an offset from the next instruction.
  template <typename Value> uint64_t nearby() {
    auto Distance = operand<int32_t>();
    uint64_t Bits = 0;
    std::memcpy(&Bits, At + Distance, sizeof(Value));
    return Bits;
  }
  std::optional<uint64_t> load() {
    if (take({0x31, 0xC0}) || take({0x0F, 0x57, 0xC0})) // xor, xorps
      return 0;
    if (take({0xB8}))
      return operand<uint32_t>();
    if (take({0xB0}))
      return operand<uint8_t>();
    if (take({0x66, 0xB8}))
      return operand<uint16_t>();
    if (take({0x48, 0xC7, 0xC0}))
      return uint64_t(int64_t(operand<int32_t>()));
    if (take({0x48, 0xB8}))
      return operand<uint64_t>();
    if (take({0xF3, 0x0F, 0x10, 0x05})) // movss to %xmm0
      return nearby<float>();
    if (take({0xF2, 0x0F, 0x10, 0x05})) // movsd to %xmm0
      return nearby<double>();
    return std::nullopt;
  }

  const unsigned char *At;
};

} // namespace

static std::optional<uint64_t> read(const void *Function) {
  return NumberCode(Function).number();
}
#else
static std::optional<uint64_t> read(const void *) { return std::nullopt; }
#endif

template <typename Number> static Number getNumber(uint64_t Bits) {
  Number N;
  std::memcpy(&N, &Bits, sizeof(N));
  return N;
}

/// Returns true if two numbers differ only by rounding: flags such as
/// -ffast-math may compute in another order than the link did.
template <typename Number> static bool isNear(uint64_t A, uint64_t B) {
  Number First = getNumber<Number>(A), Second = getNumber<Number>(B);
  constexpr Number Tolerance = 16 * std::numeric_limits<Number>::epsilon();
  if (First == Second || (std::isnan(First) && std::isnan(Second)))
    return true;
  return std::isfinite(First) && std::isfinite(Second) &&
         std::abs(First - Second) <= Tolerance * std::abs(Second);
}

static bool isSame(const ck_jit_constant &C, uint64_t Now) {
  if (cut(Now, C.size) == cut(C.bits, C.size))
    return true;
  if (C.kind == CK_JIT_INTEGER)
    return false;
  return C.size == sizeof(float) ? isNear<float>(Now, C.bits)
                                 : isNear<double>(Now, C.bits);
}

/// Formats the value for people.
static std::string text(const ck_jit_constant &C, uint64_t Bits) {
  if (C.kind == CK_JIT_INTEGER) {
    unsigned Shift = 64 - 8 * C.size;
    return std::to_string(int64_t(Bits << Shift) >> Shift);
  }
  bool IsFloat = C.size == sizeof(float);
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%.*g", IsFloat ? 9 : 17,
                IsFloat ? getNumber<float>(Bits) : getNumber<double>(Bits));
  return Text;
}

/// Returns a message; \p Does describes the present behaviour.
static std::string difference(const ck_jit_constant &C,
                              const std::string &Does) {
  return std::string(C.symbol) + " " + Does + " and was " + text(C, C.bits) +
         "; its source has changed since the library was linked with that "
         "number, or is not compiled as it was indexed: build the library "
         "again";
}

/// Returns empty if equal or unknown.
static std::string findDifference(const ck_jit_constant &C, void *Function) {
  std::optional<uint64_t> Now = read(Function);
  if (!Now && C.parameters != 0)
    return "";
  if (!Now)
    Now = call(C, Function);
  if (!Now)
    return difference(C, "throws");
  return isSame(C, *Now) ? "" : difference(C, "returns " + text(C, *Now));
}

std::string ckjit::staleNumber(const ck_jit_manifest &Manifest,
                               const char *Stem, const jit::LoadedCode &Code) {
  if (Manifest.abi < 2 || !Manifest.constants)
    return "";
  const ck_jit_constant *End = Manifest.constants + Manifest.constant_count;
  const ck_jit_constant *C =
      std::lower_bound(Manifest.constants, End, Stem,
                       [](const ck_jit_constant &Each, const char *Wanted) {
                         return std::strcmp(Each.blob, Wanted) < 0;
                       });
  for (; C != End && std::strcmp(C->blob, Stem) == 0; ++C) {
    if (C->size == 0 || C->size > sizeof(C->bits))
      continue;
    Result<void *> Function = Code.symbol(C->symbol);
    if (!Function && C->weak)
      continue; // an object that uses it contains it
    std::string Why = Function ? findDifference(*C, *Function)
                               : difference(*C, "is not defined any more");
    if (!Why.empty())
      return Why;
  }
  return "";
}
