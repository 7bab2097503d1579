//===- AnyValue.cpp - untyped values of fields ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the tables from the lists of Fields.h on first use.
//
//===----------------------------------------------------------------------===//
#include "AnyValue.h"

#include "TypeName.h"
#include "kpack/ConvBuilder/Lower.h"

#include <array>

using namespace kpack;
using namespace kpack::conv;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

/// Selects the overload for T: a null pointer to T.
template <typename T> constexpr const T *tag() { return nullptr; }

template <Fielded T> const TypeInfo &getInfo(const T *);
template <typename T> const TypeInfo &getInfo(const Optional<T> *);
template <typename T, unsigned N> const TypeInfo &getInfo(const List<T, N> *);

template <typename T> bool areEqual(const void *One, const void *Other) {
  return *static_cast<const T *>(One) == *static_cast<const T *>(Other);
}
template <typename T> void reset(void *Value) {
  *static_cast<T *>(Value) = T{};
}

template <typename T> TypeInfo basicInfo(TypeKind Kind) {
  return {.Is = Kind,
          .Name = {},
          .EnumName = {},
          .Rows = {},
          .Members = {},
          .Equal = areEqual<T>,
          .Reset = reset<T>};
}

template <typename T> TypeInfo namedInfo(TypeKind Kind, std::string_view Name) {
  TypeInfo Info = basicInfo<T>(Kind);
  Info.Name = Name;
  return Info;
}

const TypeInfo &getInfo(const int *) {
  static const TypeInfo Info = namedInfo<int>(TypeKind::Int, "int");
  return Info;
}
const TypeInfo &getInfo(const long long *) {
  static const TypeInfo Info =
      namedInfo<long long>(TypeKind::LongLong, "long long");
  return Info;
}
const TypeInfo &getInfo(const bool *) {
  static const TypeInfo Info = namedInfo<bool>(TypeKind::Bool, "bool");
  return Info;
}

template <Enumeration Enum> const TypeInfo &getInfo(const Enum *) {
  static_assert(sizeof(Enum) == 1, "AnyValue::enumerator() reads one byte");
  static const TypeInfo Info = [] {
    TypeInfo I = namedInfo<Enum>(TypeKind::Enum, typeName<Enum>());
    I.EnumName = EnumTable<Enum>::Type;
    I.Rows = EnumTable<Enum>::Rows;
    return I;
  }();
  return Info;
}

template <Fielded T> constexpr std::size_t countFields() {
  std::size_t Count = 0;
  forEachField<T>([&](auto, const Field &) { ++Count; });
  return Count;
}

template <Fielded T> std::array<MemberInfo, countFields<T>()> membersOf() {
  std::array<MemberInfo, countFields<T>()> Members;
  MemberInfo *Next = Members.data();
  const T &Default = detail::DefaultOf<T>;
  forEachField<T>([&](auto Member, const Field &F) {
    const auto *Address = &(Default.*Member);
    Next->Of = F;
    Next->Type = &getInfo(Address);
    Next->Offset =
        static_cast<std::size_t>(reinterpret_cast<const char *>(Address) -
                                 reinterpret_cast<const char *>(&Default));
    ++Next;
  });
  return Members;
}

template <Fielded T> const TypeInfo &getInfo(const T *) {
  static const auto Members = membersOf<T>();
  static const TypeInfo Info = [] {
    TypeInfo I = namedInfo<T>(TypeKind::Struct, typeName<T>());
    I.Members = Members;
    I.Default = &detail::DefaultOf<T>;
    return I;
  }();
  return Info;
}

template <typename T> const TypeInfo &getInfo(const Optional<T> *) {
  using Part = Optional<T>;
  static const TypeInfo Info = [] {
    TypeInfo I = basicInfo<Part>(TypeKind::Optional);
    I.Element = &getInfo(tag<T>());
    I.Size = [](const void *Value) -> unsigned {
      return static_cast<const Part *>(Value)->has();
    };
    I.At = [](const void *Value, unsigned) -> const void * {
      return &**static_cast<const Part *>(Value);
    };
    I.Add = [](void *Value) -> void * {
      return &static_cast<Part *>(Value)->make();
    };
    return I;
  }();
  return Info;
}

template <typename T, unsigned N> const TypeInfo &getInfo(const List<T, N> *) {
  using Values = List<T, N>;
  static const TypeInfo Info = [] {
    TypeInfo I = basicInfo<Values>(TypeKind::List);
    I.Element = &getInfo(tag<T>());
    I.Capacity = N;
    I.Size = [](const void *Value) {
      return static_cast<const Values *>(Value)->size();
    };
    I.At = [](const void *Value, unsigned Index) -> const void * {
      return &(*static_cast<const Values *>(Value))[Index];
    };
    I.Add = [](void *Value) -> void * {
      auto &Elements = *static_cast<Values *>(Value);
      return Elements.push(T{}) ? &Elements[Elements.size() - 1] : nullptr;
    };
    return I;
  }();
  return Info;
}

} // namespace

template <typename T> const TypeInfo &conv::typeInfo() {
  return getInfo(tag<T>());
}
template const TypeInfo &conv::typeInfo<Signature>();
template const TypeInfo &conv::typeInfo<Algorithm>();
template const TypeInfo &conv::typeInfo<Problem>();
template const TypeInfo &conv::typeInfo<Lowered>();
template const TypeInfo &conv::typeInfo<LoweredTensor>();
template const TypeInfo &conv::typeInfo<LoweredAuxiliary>();

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

bool conv::isShown(AnyValue Value, const MemberInfo &M, TextForm Form) {
  AnyValue Member = Value.member(M);
  if (Member.kind() == TypeKind::Optional)
    return Member.size() != 0;
  return Form == TextForm::Full || !(Member == Value.getDefault(M));
}

static void printMembers(TextOut &Out, AnyValue Value, TextForm Form,
                         bool First = true) {
  for (const MemberInfo &M : Value.members()) {
    if (!isShown(Value, M, Form))
      continue;
    if (!std::exchange(First, false))
      Out << ',';
    Out << M.Of.Name << '=';
    print(Out, Value.member(M), Form);
  }
}

void conv::print(TextOut &Out, AnyValue Value, TextForm Form) {
  switch (Value.kind()) {
  case TypeKind::Int:
  case TypeKind::LongLong:
    Out << Value.asNumber();
    return;
  case TypeKind::Bool:
    Out << (Value.asBool() ? '1' : '0');
    return;
  case TypeKind::Enum:
    Out << Value.enumeratorName();
    return;
  case TypeKind::Struct:
    Out << '{';
    printMembers(Out, Value, Form);
    Out << '}';
    return;
  case TypeKind::Optional:
    return print(Out, *Value, Form);
  case TypeKind::List:
    Out << '[';
    for (unsigned I = 0; I < Value.size(); ++I) {
      if (I)
        Out << ',';
      print(Out, Value[I], Form);
    }
    Out << ']';
  }
}

std::string conv::textOf(AnyValue Value, TextForm Form) {
  std::string Text(MaxText, '\0');
  TextOut Out(Text.data(), Text.size());
  Out << '{';
  if (Form == TextForm::Full)
    Out << "schema=" << SchemaVersion;
  printMembers(Out, Value, Form, Form != TextForm::Full);
  Out << '}';
  Text.resize(Out.size());
  return Text;
}

std::string conv::valueText(AnyValue Value) {
  std::string Text(MaxText, '\0');
  TextOut Out(Text.data(), Text.size());
  print(Out, Value, TextForm::Short);
  Text.resize(Out.size());
  return Text;
}
