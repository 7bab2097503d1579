//===- FixedText.h - text in a buffer, for constexpr ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text in a buffer of fixed size, for constant expressions and template
// arguments. Text that does not fit is dropped, and overflowed() returns true;
// nothing is written past the end.
//
//   FixedText<64> T;
//   T << "tile " << 128 << "x" << 64;
//   T.view()                            "tile 128x64"
//
// TextOut writes to a buffer of the caller, so that functions that print are
// not templates over its size.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_FIXEDTEXT_H
#define KPACK_CONVBUILDER_FIXEDTEXT_H

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace kpack::conv {

/// Writes text into a buffer, which must outlive it.
class TextOut {
public:
  constexpr TextOut(char *Buffer, std::size_t Capacity)
      : Buffer(Buffer), Capacity(Capacity) {}

  constexpr TextOut &operator<<(char C) {
    if (Size < Capacity)
      Buffer[Size] = C;
    ++Size;
    return *this;
  }
  constexpr TextOut &operator<<(std::string_view Text) {
    for (char C : Text)
      *this << C;
    return *this;
  }
  constexpr TextOut &operator<<(const char *Text) {
    return *this << std::string_view(Text);
  }
  template <typename Integer>
    requires(std::is_integral_v<Integer> && sizeof(Integer) >= sizeof(int))
  constexpr TextOut &operator<<(Integer Value) {
    auto Rest = static_cast<unsigned long long>(Value);
    if (Value < 0) {
      *this << '-';
      Rest = 0 - Rest;
    }
    char Digits[20] = {};
    unsigned Count = 0;
    do
      Digits[Count++] = static_cast<char>('0' + Rest % 10);
    while (Rest /= 10);
    while (Count)
      *this << Digits[--Count];
    return *this;
  }

  /// Returns the bytes that fit.
  constexpr std::size_t size() const {
    return Size < Capacity ? Size : Capacity;
  }
  constexpr bool overflowed() const { return Size > Capacity; }
  constexpr std::string_view view() const {
    // The exact types of the constructor: otherwise compilers check whether the
    // arguments are iterators, which takes 50 ms.
    return {static_cast<const char *>(Buffer), size()};
  }

private:
  char *Buffer;
  std::size_t Capacity;
  std::size_t Size = 0; ///< of all text, including dropped bytes
};

/// Text of at most \p Capacity bytes, without a zero at its end.
template <std::size_t Capacity> struct FixedText {
  char Data[Capacity] = {};
  std::size_t Size = 0; ///< of all text, including dropped bytes

  constexpr FixedText() = default;
  constexpr FixedText(std::string_view Text) { *this << Text; }
  constexpr FixedText(const char *Text) { *this << std::string_view(Text); }

  /// Avoids an instance of the template for each length of a literal.
  constexpr FixedText &operator<<(const char *Text) {
    return *this << std::string_view(Text);
  }
  template <typename Type> constexpr FixedText &operator<<(const Type &Value) {
    std::size_t Used = size();
    TextOut Out(Data + Used, Capacity - Used);
    Out << Value;
    Size = overflowed() || Out.overflowed() ? Capacity + 1 : Used + Out.size();
    return *this;
  }

  constexpr std::size_t size() const {
    return Size < Capacity ? Size : Capacity;
  }
  constexpr bool empty() const { return Size == 0; }
  constexpr bool overflowed() const { return Size > Capacity; }
  constexpr std::string_view view() const { return {Data, size()}; }
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_FIXEDTEXT_H
