//===- Json.cpp - descriptors as JSON and back ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the fields and names of texts, and the same messages for errors. The
// full form begins with the number of the schema.
//
//===----------------------------------------------------------------------===//
#include "kpack/Support/Json.h"
#include "AnyValue.h"
#include "ReadFailure.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::conv;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

std::string writeJson(AnyValue Value, TextForm Form);

void addMembers(JsonMembers &Members, AnyValue Value, TextForm Form) {
  for (const MemberInfo &M : Value.members())
    if (isShown(Value, M, Form))
      Members.emplace_back(M.Of.Name, writeJson(Value.member(M), Form));
}

std::string jsonOfList(AnyValue Values, TextForm Form) {
  std::vector<std::string> Items;
  for (unsigned I = 0; I != Values.size(); ++I)
    Items.push_back(writeJson(Values[I], Form));
  return jsonArray(Items);
}

std::string writeJson(AnyValue Value, TextForm Form) {
  switch (Value.kind()) {
  case TypeKind::Int:
  case TypeKind::LongLong:
    return std::to_string(Value.asNumber());
  case TypeKind::Bool:
    return Value.asBool() ? "true" : "false";
  case TypeKind::Enum:
    return jsonString(Value.enumeratorName());
  case TypeKind::Optional:
    return writeJson(*Value, Form);
  case TypeKind::List:
    return jsonOfList(Value, Form);
  case TypeKind::Struct:
    break;
  }
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

  /// Reads a value of \p Type, which is all of the text, into \p Value. Returns
  /// the first error, or a TextError that has not failed.
  TextError readAll(const TypeInfo &Type, void *Value) {
    if (Json.size() > MaxJson)
      fail(MaxJson) << "a text of more than " << MaxJson << " bytes";
    else if (In.next() != '{')
      fail(In.offset()) << "an object is expected";
    else if (!readObject(Type, Value, /*WithSchema=*/true))
      fail(In.offset()) << "this is not JSON";
    else if (!In.atEnd())
      fail(In.offset()) << "something stands behind the value";
    return Error;
  }

private:
  /// Returns the place for a message. Keeps the first one.
  FixedText<240> &fail(size_t Offset) {
    if (Error.failed())
      return Dropped = FixedText<240>();
    Error.Offset = Offset;
    return Error.Message;
  }

  /// True if the next value begins with \p C, the only first character of a
  /// \p Noun; else fails with a message that expects one.
  bool expect(char C, const Field &F, std::string_view Noun) {
    if (In.next() == C)
      return true;
    return fail(In.offset()) << F.Name << ": " << Noun << " is expected", false;
  }

  bool readNumber(size_t &Parsed, std::string_view Name, size_t Min,
                  size_t Max) {
    char First = In.next();
    size_t Start = In.offset();
    if (First < '0' || First > '9')
      return fail(Start) << Name << ": a number is expected", false;
    if (!In.index(Max + 1, Parsed))
      return fail(Start) << Name << ": at most " << Max, false;
    if (Parsed < Min)
      return fail(Start) << Name << ": at least " << Min, false;
    if (char After = In.next(); After == '.' || After == 'e' || After == 'E')
      return fail(Start) << Name << ": a whole number is expected", false;
    return true;
  }
  /// Reads a value of \p Type into \p Value.
  bool read(const TypeInfo &Type, void *Value, const Field &F) {
    switch (Type.Is) {
    case TypeKind::Int:
      return readInt(*static_cast<int *>(Value), F);
    case TypeKind::LongLong:
      return readOffset(*static_cast<long long *>(Value), F);
    case TypeKind::Bool:
      return readBool(*static_cast<bool *>(Value), F);
    case TypeKind::Enum:
      return readEnum(Type, *static_cast<unsigned char *>(Value), F);
    case TypeKind::Optional:
      if (In.next() != 'n')
        return read(*Type.Element, Type.Add(Value), F);
      Type.Reset(Value);
      return In.skip(); // null
    case TypeKind::List:
      return readList(Type, Value, F);
    case TypeKind::Struct:
      break;
    }
    return expect('{', F, "an object") && readObject(Type, Value, false);
  }

  bool readInt(int &Value, const Field &F) {
    size_t Parsed = 0;
    bool Ok = readNumber(Parsed, F.Name, size_t(F.Min), size_t(F.Max));
    Value = static_cast<int>(Parsed);
    return Ok;
  }
  bool readOffset(long long &Value, const Field &F) {
    size_t Parsed = 0;
    bool Ok = readNumber(Parsed, F.Name, 0, size_t(MaxOffset));
    Value = static_cast<long long>(Parsed);
    return Ok;
  }

  bool readBool(bool &Value, const Field &F) {
    char First = In.next();
    size_t Start = In.offset();
    Value = First == 't';
    if ((Value || First == 'f') && In.skip())
      return true;
    return fail(Start) << F.Name << ": true or false is expected", false;
  }

  bool readEnum(const TypeInfo &Type, unsigned char &Value, const Field &F) {
    std::string Name;
    if (!expect('"', F, "a string"))
      return false;
    size_t Start = In.offset();
    if (!In.string(Name))
      return false;
    auto Row = std::ranges::find(Type.Rows, Name, &EnumRow::Name);
    if (Row == Type.Rows.end()) {
      detail::sayNoEnumerator(fail(Start), F, Name, Type.EnumName,
                              Type.Rows.data(), Type.Rows.size());
      return false;
    }
    Value = static_cast<unsigned char>(Row - Type.Rows.begin());
    return true;
  }

  bool readList(const TypeInfo &Type, void *Values, const Field &F) {
    return expect('[', F, "an array") && In.array([&] {
      In.next();
      if (void *Item = Type.Add(Values))
        return read(*Type.Element, Item, F);
      return fail(In.offset())
                 << F.Name << ": at most " << Type.Capacity << " values",
             false;
    });
  }

  bool readObject(const TypeInfo &Type, void *Value, bool WithSchema) {
    Type.Reset(Value);
    unsigned long long Seen = 0;
    bool SchemaSeen = false;
    return In.object([&](const std::string &Name) {
      size_t Start = In.nameOffset();
      return WithSchema && Name == "schema"
                 ? readSchema(SchemaSeen, Start)
                 : readMember(Type, Value, Name, Start, Seen);
    });
  }

  bool readSchema(bool &Seen, size_t Start) {
    int Version = 0;
    if (std::exchange(Seen, true))
      return fail(Start) << "schema: is given twice", false;
    if (!readInt(Version, Field{.Name = "schema", .Text = ""}))
      return false;
    if (Version == SchemaVersion)
      return true;
    return fail(Start) << "schema: " << Version << " is not known; "
                       << SchemaVersion << " is",
           false;
  }

  bool readMember(const TypeInfo &Type, void *Value, std::string_view Name,
                  size_t Start, unsigned long long &Seen) {
    unsigned long long Bit = 1;
    for (const MemberInfo &M : Type.Members) {
      if (M.Of.Name == Name) {
        if (Seen & Bit)
          return fail(Start) << M.Of.Name << ": is given twice", false;
        Seen |= Bit;
        return read(*M.Type, static_cast<char *>(Value) + M.Offset, M.Of);
      }
      Bit <<= 1;
    }
    NearestName Near(Name);
    for (const MemberInfo &M : Type.Members)
      Near.offer(M.Of.Name);
    detail::sayNoField(fail(Start), Near);
    return false;
  }

  std::string_view Json;
  JsonReader In;
  TextError Error;
  FixedText<240> Dropped;
};

std::string toJson(AnyValue Value, TextForm Form) {
  JsonMembers Members;
  if (Form == TextForm::Full)
    Members.emplace_back("schema", std::to_string(SchemaVersion));
  addMembers(Members, Value, Form);
  return jsonObject(Members);
}

} // namespace

template <typename T>
std::string conv::detail::toJson(const T &Value, TextForm Form) {
  return ::toJson(AnyValue(Value), Form);
}

template <typename T>
TextError conv::detail::parseJson(std::string_view Json, T &Value) {
  return ValueReader(Json).readAll(typeInfo<T>(), &Value);
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
