//===- kpack/Support/Json.h - JSON reader and writer, no LLVM ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writer: each function makes the text of a value, without spaces, from the
// texts of its parts:
//   jsonObject({{"name", jsonString(Name)}, {"count", std::to_string(Count)}})
// Reader: builds no tree. The caller reads the value that it expects, takes the
// members that it knows, and skips the others, so nothing else is stored. False
// is an error at offset(). The input is untrusted: nesting is limited to a few
// levels, and strings are UTF-8 without zeros, since they become paths.
//
// Header-only, as kpack.h is. The LLVM side has llvm/Support/JSON.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_JSON_H
#define KPACK_SUPPORT_JSON_H

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kpack {

/// Returns the bytes of the character at the start of \p Text; 0 if it is not
/// UTF-8.
inline size_t utf8Length(std::string_view Text) {
  auto ByteAt = [&](size_t I) {
    return I < Text.size() ? static_cast<unsigned char>(Text[I]) : 0u;
  };
  unsigned C = ByteAt(0);
  size_t Length = C < 0x80   ? 1
                  : C < 0xC2 ? 0
                  : C < 0xE0 ? 2
                  : C < 0xF0 ? 3
                  : C < 0xF5 ? 4
                             : 0;
  for (size_t I = 1; I < Length; ++I)
    if ((ByteAt(I) & 0xC0) != 0x80)
      return 0;
  // Overlong forms, surrogates, numbers after the last character.
  if ((C == 0xE0 && ByteAt(1) < 0xA0) || (C == 0xED && ByteAt(1) > 0x9F) ||
      (C == 0xF0 && ByteAt(1) < 0x90) || (C == 0xF4 && ByteAt(1) > 0x8F))
    return 0;
  return Length;
}

inline bool isUtf8(std::string_view Text) {
  while (size_t Length = Text.empty() ? 0 : utf8Length(Text))
    Text.remove_prefix(Length);
  return Text.empty();
}

/// Quotes any bytes; invalid UTF-8 becomes the replacement character.
inline std::string jsonString(std::string_view Text) {
  static constexpr char Digits[] = "0123456789abcdef";
  std::string Out = "\"";
  while (!Text.empty()) {
    char C = Text.front();
    size_t Length = utf8Length(Text);
    if (C == '"' || C == '\\')
      (Out += '\\') += C;
    else if (static_cast<unsigned char>(C) < 0x20)
      ((Out += "\\u00") += Digits[C >> 4]) += Digits[C & 15];
    else
      Out += Length ? Text.substr(0, Length) : "\xEF\xBF\xBD";
    Text.remove_prefix(std::max<size_t>(Length, 1));
  }
  return Out + '"';
}

/// Joins texts that are JSON.
inline std::string jsonArray(const std::vector<std::string> &Values) {
  std::string Out;
  for (const std::string &Value : Values)
    (Out += Out.empty() ? '[' : ',') += Value;
  return Out.empty() ? "[]" : Out + ']';
}

/// Quotes and joins texts.
inline std::string jsonStrings(std::vector<std::string> Texts) {
  for (std::string &Text : Texts)
    Text = jsonString(Text);
  return jsonArray(Texts);
}

/// Pairs of a name and a text that is JSON.
using JsonMembers = std::vector<std::pair<std::string_view, std::string>>;
inline std::string jsonObject(const JsonMembers &Members) {
  std::string Out;
  for (const auto &[Name, Value] : Members)
    (((Out += Out.empty() ? '{' : ',') += jsonString(Name)) += ':') += Value;
  return Out.empty() ? "{}" : Out + '}';
}

class JsonReader {
public:
  explicit JsonReader(std::string_view Text) : Text(Text) {}

  size_t offset() const { return At; }
  /// The offset of the name that the last OnMember of object() got.
  size_t nameOffset() const { return NameAt; }
  /// Returns the first character of the next value; zero at the end.
  char next() {
    while (At != Text.size() && isOneOf(" \t\n\r"))
      ++At;
    return peek();
  }
  bool atEnd() { return next() == '\0' && At == Text.size(); }

  bool string(std::string &Out) {
    static constexpr std::string_view Escapes = "\"\\/bfnrt",
                                      Meanings = "\"\\/\b\f\n\r\t";
    if (!take('"'))
      return false;
    while (At != Text.size() && Text[At] != '"') {
      size_t Length = utf8Length(Text.substr(At));
      if (Length == 0 || static_cast<unsigned char>(Text[At]) < 0x20)
        return false;
      if (Text[At] != '\\') {
        Out += Text.substr(At, Length);
        At += Length;
        continue;
      }
      ++At;
      size_t Which = Escapes.find(peek());
      bool IsUnicode = peek() == 'u';
      if (Which == std::string_view::npos && !IsUnicode)
        return false;
      ++At;
      if (!IsUnicode)
        Out += Meanings[Which];
      else if (!unicode(Out))
        return false;
    }
    return take('"');
  }
  bool strings(std::vector<std::string> &Items) {
    return array([&] { return string(Items.emplace_back()); });
  }
  /// Reads a number below \p End, without sign, point or exponent.
  bool index(size_t End, size_t &Value) {
    next();
    Value = 0;
    size_t Start = At;
    for (; isDigit(peek()) && Value < End; ++At)
      Value = Value * 10 + size_t(peek() - '0');
    return At != Start && Value < End;
  }
  /// Reads an object; \p OnMember gets each name and reads its value.
  template <typename Function> bool object(const Function &OnMember) {
    return list('{', '}', [&] {
      std::string Name;
      next();
      NameAt = At;
      return string(Name) && take(':') && OnMember(Name);
    });
  }
  /// Reads an array; \p OnItem reads an item.
  template <typename Function> bool array(const Function &OnItem) {
    return list('[', ']', OnItem);
  }
  /// Skips any value.
  bool skip() {
    std::string Ignored;
    switch (next()) {
    case '{':
      return object([&](const std::string &) { return skip(); });
    case '[':
      return array([&] { return skip(); });
    case '"':
      return string(Ignored);
    default:
      return number() || word("true") || word("false") || word("null");
    }
  }

private:
  /// The limit of nesting.
  static constexpr unsigned MaxDepth = 32;

  char peek() const { return At < Text.size() ? Text[At] : '\0'; }
  static bool isDigit(char C) { return C >= '0' && C <= '9'; }
  bool isOneOf(std::string_view Some) const {
    return At < Text.size() && Some.find(Text[At]) != std::string_view::npos;
  }
  bool take(char C) {
    if (next() != C)
      return false;
    ++At;
    return true;
  }
  bool word(std::string_view Word) {
    if (Text.substr(At, Word.size()) != Word)
      return false;
    At += Word.size();
    return true;
  }
  bool digits() {
    size_t Start = At;
    while (isDigit(peek()))
      ++At;
    return At != Start;
  }
  bool number() {
    At += peek() == '-';
    if (!digits() || (word(".") && !digits()))
      return false;
    if (!isOneOf("eE"))
      return true;
    ++At;
    At += isOneOf("+-");
    return digits();
  }

  template <typename Function>
  bool list(char Open, char Close, const Function &OnItem) {
    if (Depth == MaxDepth || !take(Open))
      return false;
    if (take(Close))
      return true;
    ++Depth;
    do
      if (!OnItem())
        return false;
    while (take(','));
    --Depth;
    return take(Close);
  }

  bool hex4(unsigned &Value) {
    static constexpr std::string_view Digits = "0123456789abcdef";
    Value = 0;
    for (unsigned I = 0; I != 4; ++I, ++At) {
      char C = peek();
      size_t Digit = Digits.find(C >= 'A' && C <= 'F' ? char(C | 0x20) : C);
      if (Digit == std::string_view::npos)
        return false;
      Value = Value * 16 + unsigned(Digit);
    }
    return true;
  }
  /// Reads an escape after its backslash and u.
  bool unicode(std::string &Out) {
    unsigned Code, Low;
    if (!hex4(Code))
      return false;
    if (Code >= 0xD800 && Code < 0xDC00) {
      if (!word("\\u") || !hex4(Low) || Low < 0xDC00 || Low > 0xDFFF)
        return false;
      Code = 0x10000 + ((Code - 0xD800) << 10) + (Low - 0xDC00);
    } else if (Code == 0 || (Code >= 0xDC00 && Code < 0xE000)) {
      return false;
    }
    unsigned More = Code < 0x80 ? 0 : Code < 0x800 ? 1 : Code < 0x10000 ? 2 : 3;
    static constexpr unsigned Lead[] = {0, 0xC0, 0xE0, 0xF0};
    Out += char(Lead[More] | (Code >> (6 * More)));
    while (More-- != 0)
      Out += char(0x80 | ((Code >> (6 * More)) & 0x3F));
    return true;
  }

  std::string_view Text;
  size_t At = 0, NameAt = 0;
  unsigned Depth = 0;
};

} // namespace kpack

#endif // KPACK_SUPPORT_JSON_H
