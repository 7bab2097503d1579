//===- ConvBuilder/Text.h - descriptors as one line of text -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a Signature or an Algorithm as one line, and parses such a line:
//
//   {spatial_dim=2,data_type=FP16,input={config={layout=NHWGC}}}
//
// The short form omits defaults and is for people, logs and databases. The full
// form has every field, and begins with the schema version, so that a later
// change of a default cannot change its meaning. The parser accepts both, with
// fields in any order and with white space.
//
// docs/format/conv-text.md has the grammar. Everything here is constexpr, and
// knows structs only through Fields.h. Describe.h has functions with
// std::string and Result.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_TEXT_H
#define KPACK_CONVBUILDER_TEXT_H

#include "kpack/ConvBuilder/Fields.h"
#include "kpack/ConvBuilder/FixedText.h"
#include "kpack/ConvBuilder/NearestName.h"

namespace kpack::conv {

/// The maximal bytes of a text. Longer input is rejected.
inline constexpr std::size_t MaxText = 4096;

/// The largest stride, in elements.
inline constexpr long long MaxOffset = 1ll << 48;

enum class TextForm : unsigned char { Short, Full };

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

template <Enumeration Enum>
constexpr void print(TextOut &Out, Enum Value, TextForm) {
  Out << nameOf(Value);
}
constexpr void print(TextOut &Out, int Value, TextForm) { Out << Value; }
constexpr void print(TextOut &Out, long long Value, TextForm) { Out << Value; }
constexpr void print(TextOut &Out, bool Value, TextForm) {
  Out << (Value ? '1' : '0');
}
template <typename Type>
constexpr void print(TextOut &Out, const Optional<Type> &Value, TextForm Form);
template <typename Type, unsigned Capacity>
constexpr void print(TextOut &Out, const List<Type, Capacity> &Values,
                     TextForm Form);
template <Fielded Type>
constexpr void print(TextOut &Out, const Type &Value, TextForm Form);

namespace detail {

/// True if a field is printed. Absent parts never are.
template <typename Type>
constexpr bool isShown(const Type &Value, const Type &Default, TextForm Form) {
  return Form == TextForm::Full || !(Value == Default);
}
template <typename Type>
constexpr bool isShown(const Optional<Type> &Value, const Optional<Type> &,
                       TextForm) {
  return Value.has();
}

template <Fielded Type> inline constexpr Type DefaultOf{};

template <Fielded Type>
constexpr void printFields(TextOut &Out, const Type &Value, TextForm Form,
                           bool First) {
  forEachField<Type>([&](auto Member, const Field &F) {
    if (!isShown(Value.*Member, DefaultOf<Type>.*Member, Form))
      return;
    if (!First)
      Out << ',';
    First = false;
    Out << F.Name << '=';
    print(Out, Value.*Member, Form);
  });
}

} // namespace detail

template <typename Type>
constexpr void print(TextOut &Out, const Optional<Type> &Value, TextForm Form) {
  print(Out, *Value, Form);
}

template <typename Type, unsigned Capacity>
constexpr void print(TextOut &Out, const List<Type, Capacity> &Values,
                     TextForm Form) {
  Out << '[';
  for (unsigned I = 0; I < Values.size(); ++I) {
    if (I)
      Out << ',';
    print(Out, Values[I], Form);
  }
  Out << ']';
}

template <Fielded Type>
constexpr void print(TextOut &Out, const Type &Value, TextForm Form) {
  Out << '{';
  detail::printFields(Out, Value, Form, true);
  Out << '}';
}

/// Prints \p Value as one line. All values of parseText() fit.
template <Fielded Type>
constexpr FixedText<MaxText> textOf(const Type &Value,
                                    TextForm Form = TextForm::Short) {
  FixedText<MaxText> Text;
  TextOut Out(Text.Data, MaxText);
  Out << '{';
  if (Form == TextForm::Full)
    Out << "schema=" << SchemaVersion;
  detail::printFields(Out, Value, Form, Form != TextForm::Full);
  Out << '}';
  Text.Size = Out.overflowed() ? MaxText + 1 : Out.size();
  return Text;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The reason why a text is invalid; empty if it is valid.
struct TextError {
  std::size_t Offset = 0; ///< of the error, in bytes
  FixedText<240> Message;

  constexpr bool failed() const { return !Message.empty(); }
};

/// Reads a text from left to right, and stops at the first error.
class TextIn {
public:
  constexpr explicit TextIn(std::string_view Text) : Text(Text) {}

  constexpr const TextError &error() const { return Error; }
  constexpr std::size_t offset() const { return At; }

  /// Returns the next character after white space; zero at the end.
  constexpr char next() {
    while (At < Text.size() && (Text[At] == ' ' || Text[At] == '\t' ||
                                Text[At] == '\n' || Text[At] == '\r'))
      ++At;
    return At < Text.size() ? Text[At] : '\0';
  }
  constexpr bool take(char C) {
    if (next() != C || At == Text.size())
      return false;
    ++At;
    return true;
  }
  constexpr bool expect(char C, std::string_view Where) {
    if (take(C))
      return true;
    return fail(At) << "'" << C << "' is expected " << Where, false;
  }
  /// Reads letters, digits and underscores; may be empty.
  constexpr std::string_view word() {
    next();
    std::size_t Start = At;
    while (At < Text.size() && isWord(Text[At]))
      ++At;
    return Text.substr(Start, At - Start);
  }
  constexpr bool atEnd() { return next() == '\0' && At >= Text.size(); }

  /// Returns the buffer of the message; only the first message is kept.
  constexpr FixedText<240> &fail(std::size_t Offset) {
    if (Error.failed())
      return Dropped = FixedText<240>();
    Error.Offset = Offset;
    return Error.Message;
  }

private:
  static constexpr bool isWord(char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
           (C >= '0' && C <= '9') || C == '_';
  }

  std::string_view Text;
  std::size_t At = 0;
  TextError Error;
  FixedText<240> Dropped;
};

template <Enumeration Enum>
constexpr bool read(TextIn &In, Enum &Value, const Field &);
constexpr bool read(TextIn &In, int &Value, const Field &F);
constexpr bool read(TextIn &In, long long &Value, const Field &F);
constexpr bool read(TextIn &In, bool &Value, const Field &F);
template <typename Type>
constexpr bool read(TextIn &In, Optional<Type> &Value, const Field &F);
template <typename Type, unsigned Capacity>
constexpr bool read(TextIn &In, List<Type, Capacity> &Values, const Field &F);
template <Fielded Type>
constexpr bool read(TextIn &In, Type &Value, const Field &F);

namespace detail {

/// Writes the message for an unknown enumerator, also for JSON.
constexpr void sayNoEnumerator(FixedText<240> &Message, const Field &F,
                               std::string_view Name, std::string_view Type,
                               const EnumRow *Rows, std::size_t Count) {
  NearestName Near(Name);
  for (std::size_t I = 0; I != Count; ++I)
    Near.offer(Rows[I].Name);
  Message << F.Name << ": '" << Near.asked() << "' is no " << Type;
  if (!Near.found().empty())
    Message << "; did you mean " << Near.found() << "?";
}

/// Writes the message for an unknown field. \p Near has seen all names.
constexpr void sayNoField(FixedText<240> &Message, const NearestName &Near) {
  Message << "'" << Near.asked() << "' is no field";
  if (!Near.found().empty())
    Message << "; did you mean " << Near.found() << "?";
}

} // namespace detail

template <Enumeration Enum>
constexpr bool read(TextIn &In, Enum &Value, const Field &F) {
  In.next();
  std::size_t Start = In.offset();
  std::string_view Name = In.word();
  if (valueOf(Name, Value))
    return true;
  detail::sayNoEnumerator(In.fail(Start), F, Name, EnumTable<Enum>::Type,
                          EnumTable<Enum>::Rows, EnumCount<Enum>);
  return false;
}

namespace detail {

constexpr bool readNumber(TextIn &In, long long &Value, std::string_view Name,
                          long long Min, long long Max) {
  In.next();
  std::size_t Start = In.offset();
  std::string_view Digits = In.word();
  if (Digits.find_first_not_of("0123456789") != std::string_view::npos ||
      Digits.empty())
    return In.fail(Start) << Name << ": a number is expected", false;
  Value = 0;
  for (char C : Digits) {
    Value = Value * 10 + (C - '0');
    if (Value > Max)
      return In.fail(Start) << Name << ": at most " << Max, false;
  }
  if (Value < Min)
    return In.fail(Start) << Name << ": at least " << Min, false;
  return true;
}

} // namespace detail

constexpr bool read(TextIn &In, int &Value, const Field &F) {
  long long Parsed = 0;
  if (!detail::readNumber(In, Parsed, F.Name, F.Min, F.Max))
    return false;
  Value = static_cast<int>(Parsed);
  return true;
}

/// Offsets and strides exceed the bounds of a Field.
constexpr bool read(TextIn &In, long long &Value, const Field &F) {
  return detail::readNumber(In, Value, F.Name, 0, MaxOffset);
}

constexpr bool read(TextIn &In, bool &Value, const Field &F) {
  In.next();
  std::size_t Start = In.offset();
  std::string_view Word = In.word();
  Value = Word == "1" || Word == "true";
  if (Value || Word == "0" || Word == "false")
    return true;
  return In.fail(Start) << F.Name << ": 0 or 1 is expected", false;
}

template <typename Type>
constexpr bool read(TextIn &In, Optional<Type> &Value, const Field &F) {
  return read(In, Value.make(), F);
}

template <typename Type, unsigned Capacity>
constexpr bool read(TextIn &In, List<Type, Capacity> &Values, const Field &F) {
  if (!In.expect('[', "at the start of a list"))
    return false;
  Values = List<Type, Capacity>();
  if (In.take(']'))
    return true;
  do {
    if (Values.size() == Capacity)
      return In.fail(In.offset())
                 << F.Name << ": at most " << Capacity << " values",
             false;
    Values.push(Type{});
    if (!read(In, Values[Values.size() - 1], F))
      return false;
  } while (In.take(','));
  return In.expect(']', "at the end of a list");
}

namespace detail {

/// Reads the = of a field. \p Bit of \p Seen is set if the field occurred
/// before.
constexpr bool beginField(TextIn &In, const Field &F, std::size_t Start,
                          unsigned long long Bit, unsigned long long &Seen) {
  if (Seen & Bit)
    return In.fail(Start) << F.Name << ": is given twice", false;
  Seen |= Bit;
  return In.expect('=', "behind the name of a field");
}

/// Reads the value of the field \p Name.
template <Fielded Type>
constexpr bool readField(TextIn &In, Type &Value, std::string_view Name,
                         std::size_t Start, unsigned long long &Seen) {
  bool Found = false, Ok = false;
  unsigned Index = 0;
  forEachField<Type>([&](auto Member, const Field &F) {
    unsigned long long Bit = 1ull << Index++;
    if (Found || F.Name != Name)
      return;
    Found = true;
    Ok = beginField(In, F, Start, Bit, Seen) && read(In, Value.*Member, F);
  });
  if (Found)
    return Ok;
  if (Name.empty())
    return In.fail(Start) << "the name of a field is expected", false;
  NearestName Near(Name);
  forEachField<Type>([&](auto, const Field &F) { Near.offer(F.Name); });
  sayNoField(In.fail(Start), Near);
  return false;
}

constexpr bool readSchema(TextIn &In, bool &Seen, std::size_t Start) {
  int Version = 0;
  if (Seen)
    return In.fail(Start) << "schema: is given twice", false;
  Seen = true;
  if (!In.expect('=', "behind the name of a field") ||
      !read(In, Version, Field{.Name = "schema", .Text = ""}))
    return false;
  if (Version == SchemaVersion)
    return true;
  return In.fail(Start) << "schema: " << Version << " is not known; "
                        << SchemaVersion << " is",
         false;
}

template <Fielded Type>
constexpr bool readStruct(TextIn &In, Type &Value, bool WithSchema) {
  if (!In.expect('{', "at the start of a value"))
    return false;
  Value = Type{};
  unsigned long long Seen = 0;
  bool SchemaSeen = !WithSchema;
  if (In.take('}'))
    return true;
  do {
    In.next();
    std::size_t Start = In.offset();
    std::string_view Name = In.word();
    bool Ok = WithSchema && Name == "schema"
                  ? readSchema(In, SchemaSeen, Start)
                  : readField(In, Value, Name, Start, Seen);
    if (!Ok)
      return false;
  } while (In.take(','));
  return In.expect('}', "at the end of a value");
}

} // namespace detail

template <Fielded Type>
constexpr bool read(TextIn &In, Type &Value, const Field &) {
  return detail::readStruct(In, Value, false);
}

/// Parses \p Text. After an error \p Value is unspecified.
template <Fielded Type>
constexpr TextError parseText(std::string_view Text, Type &Value) {
  TextIn In(Text);
  if (Text.size() > MaxText)
    In.fail(MaxText) << "a text of more than " << MaxText << " bytes";
  else if (detail::readStruct(In, Value, true) && !In.atEnd())
    In.fail(In.offset()) << "something stands behind the value";
  return In.error();
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_TEXT_H
