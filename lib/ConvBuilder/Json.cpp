//===- Json.cpp - values as JSON, and back --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same fields as in texts, by the same names, and the same messages about
// what cannot be read. Full has the number of the schema first, too.
//
//===----------------------------------------------------------------------===//
#include "kpack/Support/Json.h"
#include "Errors.h"

using namespace kpack;
using namespace kpack::conv;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

std::string jsonOf(long long Value, TextForm) { return std::to_string(Value); }
std::string jsonOf(int Value, TextForm) { return std::to_string(Value); }
std::string jsonOf(bool Value, TextForm) { return Value ? "true" : "false"; }
template <Enumeration Enum> std::string jsonOf(Enum Value, TextForm) {
  return jsonString(nameOf(Value));
}
template <typename T>
std::string jsonOf(const Optional<T> &Value, TextForm Form);
template <typename T, unsigned N>
std::string jsonOf(const List<T, N> &Values, TextForm Form);
template <Fielded T> std::string jsonOf(const T &Value, TextForm Form);

template <Fielded T>
void addMembers(JsonMembers &Members, const T &Value, TextForm Form) {
  forEachField<T>([&](auto Member, const Field &F) {
    if (detail::isShown(Value.*Member, detail::DefaultOf<T>.*Member, Form))
      Members.emplace_back(F.Name, jsonOf(Value.*Member, Form));
  });
}

template <typename T>
std::string jsonOf(const Optional<T> &Value, TextForm Form) {
  return jsonOf(*Value, Form);
}

template <typename T, unsigned N>
std::string jsonOf(const List<T, N> &Values, TextForm Form) {
  std::vector<std::string> Items;
  for (const T &Value : Values)
    Items.push_back(jsonOf(Value, Form));
  return jsonArray(Items);
}

template <Fielded T> std::string jsonOf(const T &Value, TextForm Form) {
  JsonMembers Members;
  addMembers(Members, Value, Form);
  return jsonObject(Members);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

class ValueReader {
public:
  explicit ValueReader(std::string_view Json) : Json(Json), In(Json) {}

  /// Not failed: all of the text is a value, which is in \p Value.
  template <Fielded T> TextError readAll(T &Value) {
    if (Json.size() > MaxJson)
      fail(MaxJson) << "a text of more than " << MaxJson << " bytes";
    else if (In.next() != '{')
      fail(In.offset()) << "an object is expected";
    else if (!readObject(Value, /*WithSchema=*/true))
      fail(In.offset()) << "this is not JSON";
    else if (!In.atEnd())
      fail(In.offset()) << "something stands behind the value";
    return Error;
  }

private:
  /// Where the message goes. The first one stays.
  FixedText<240> &fail(size_t Offset) {
    if (Error.failed())
      return Dropped = FixedText<240>();
    Error.Offset = Offset;
    return Error.Message;
  }

  /// Whether the next value begins with \p C, which is the only one that
  /// \p What does.
  bool expect(char C, const Field &F, std::string_view What) {
    if (In.next() == C)
      return true;
    return fail(In.offset()) << F.Name << ": " << What << " is expected", false;
  }

  bool readNumber(size_t &Number, std::string_view Name, size_t Min,
                  size_t Max) {
    char First = In.next();
    size_t Start = In.offset();
    if (First < '0' || First > '9')
      return fail(Start) << Name << ": a number is expected", false;
    if (!In.index(Max + 1, Number))
      return fail(Start) << Name << ": at most " << Max, false;
    if (Number < Min)
      return fail(Start) << Name << ": at least " << Min, false;
    if (char After = In.next(); After == '.' || After == 'e' || After == 'E')
      return fail(Start) << Name << ": a whole number is expected", false;
    return true;
  }
  bool read(int &Value, const Field &F) {
    size_t Number = 0;
    bool Ok = readNumber(Number, F.Name, size_t(F.Min), size_t(F.Max));
    Value = static_cast<int>(Number);
    return Ok;
  }
  bool read(long long &Value, const Field &F) {
    size_t Number = 0;
    bool Ok = readNumber(Number, F.Name, 0, size_t(MaxOffset));
    Value = static_cast<long long>(Number);
    return Ok;
  }

  bool read(bool &Value, const Field &F) {
    char First = In.next();
    size_t Start = In.offset();
    Value = First == 't';
    if ((Value || First == 'f') && In.skip())
      return true;
    return fail(Start) << F.Name << ": true or false is expected", false;
  }

  template <Enumeration Enum> bool read(Enum &Value, const Field &F) {
    std::string Name;
    if (!expect('"', F, "a string"))
      return false;
    size_t Start = In.offset();
    if (!In.string(Name))
      return false;
    if (valueOf(Name, Value))
      return true;
    detail::sayNoEnumerator<Enum>(fail(Start), F, Name);
    return false;
  }

  template <typename T> bool read(Optional<T> &Value, const Field &F) {
    if (In.next() != 'n')
      return read(Value.make(), F);
    Value.reset();
    return In.skip(); // null
  }

  template <typename T, unsigned N>
  bool read(List<T, N> &Values, const Field &F) {
    return expect('[', F, "an array") && In.array([&] {
      In.next();
      if (!Values.push(T{}))
        return fail(In.offset()) << F.Name << ": at most " << N << " values",
               false;
      return read(Values[Values.size() - 1], F);
    });
  }

  template <Fielded T> bool read(T &Value, const Field &F) {
    return expect('{', F, "an object") && readObject(Value, false);
  }

  template <Fielded T> bool readObject(T &Value, bool WithSchema) {
    Value = T{};
    unsigned long long Seen = 0;
    bool SchemaSeen = false;
    return In.object([&](const std::string &Name) {
      size_t Start = In.nameOffset();
      return WithSchema && Name == "schema"
                 ? readSchema(SchemaSeen, Start)
                 : readMember(Value, Name, Start, Seen);
    });
  }

  bool readSchema(bool &Seen, size_t Start) {
    int Number = 0;
    if (std::exchange(Seen, true))
      return fail(Start) << "schema: is given twice", false;
    if (!read(Number, Field{.Name = "schema", .Text = ""}))
      return false;
    if (Number == SchemaVersion)
      return true;
    return fail(Start) << "schema: " << Number << " is not known; "
                       << SchemaVersion << " is",
           false;
  }

  template <Fielded T>
  bool readMember(T &Value, std::string_view Name, size_t Start,
                  unsigned long long &Seen) {
    bool Found = false, Ok = false;
    unsigned Number = 0;
    forEachField<T>([&](auto Member, const Field &F) {
      unsigned long long Bit = 1ull << Number++;
      if (Found || F.Name != Name)
        return;
      Found = true;
      if (Seen & Bit)
        fail(Start) << F.Name << ": is given twice";
      else
        Ok = read(Value.*Member, F);
      Seen |= Bit;
    });
    if (!Found)
      detail::sayNoField<T>(fail(Start), Name);
    return Ok;
  }

  std::string_view Json;
  JsonReader In;
  TextError Error;
  FixedText<240> Dropped;
};

} // namespace

template <typename T>
std::string conv::detail::toJson(const T &Value, TextForm Form) {
  JsonMembers Members;
  if (Form == TextForm::Full)
    Members.emplace_back("schema", std::to_string(SchemaVersion));
  addMembers(Members, Value, Form);
  return jsonObject(Members);
}

template <typename T>
TextError conv::detail::parseJson(std::string_view Json, T &Value) {
  return ValueReader(Json).readAll(Value);
}

template <typename T> Result<T> conv::detail::fromJson(std::string_view Json) {
  T Value;
  TextError Error = detail::parseJson(Json, Value);
  if (Error.failed())
    return failure<T>(Error);
  return Value;
}

template std::string conv::detail::toJson(const Signature &, TextForm);
template std::string conv::detail::toJson(const Algorithm &, TextForm);
template std::string conv::detail::toJson(const Problem &, TextForm);
template TextError conv::detail::parseJson(std::string_view, Signature &);
template TextError conv::detail::parseJson(std::string_view, Algorithm &);
template TextError conv::detail::parseJson(std::string_view, Problem &);
template Result<Signature> conv::detail::fromJson(std::string_view);
template Result<Algorithm> conv::detail::fromJson(std::string_view);
template Result<Problem> conv::detail::fromJson(std::string_view);
