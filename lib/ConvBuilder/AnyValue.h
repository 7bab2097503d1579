//===- AnyValue.h - untyped values of fields --------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists of Fields.h as data that includes offsets. Code that walks over
// the fields of a value at run time takes an AnyValue and is compiled once;
// with forEachField() the compiler would optimize a copy of it for each member
// of each struct.
//
//   for (const MemberInfo &M : Value.members())
//     use(M.Of.Name, Value.member(M));
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_ANYVALUE_H
#define KPACK_LIB_CONVBUILDER_ANYVALUE_H

#include "kpack/ConvBuilder/Describe.h"

#include <span>
#include <string_view>

namespace kpack::conv {

struct MemberInfo;

enum class TypeKind : unsigned char {
  Int,
  LongLong,
  Bool,
  Enum,
  Struct,
  Optional,
  List
};

/// The type of a field or an element. Each type has one object.
struct TypeInfo {
  TypeKind Is;
  std::string_view Name;     ///< in C++; empty for Optional and List
  std::string_view EnumName; ///< as printed, "data type"
  std::span<const EnumRow> Rows;
  std::span<const MemberInfo> Members;
  const void *Default = nullptr;     ///< of a struct
  const TypeInfo *Element = nullptr; ///< of Optional and List
  unsigned Capacity = 0;             ///< of List

  bool (*Equal)(const void *, const void *) = nullptr;
  void (*Reset)(void *) = nullptr; ///< to T{}

  // For Optional, which has zero or one elements, and for List.
  unsigned (*Size)(const void *) = nullptr;
  const void *(*At)(const void *, unsigned) = nullptr;
  /// Creates the optional value, or appends T{}; returns null if the list is
  /// full.
  void *(*Add)(void *) = nullptr;
};

struct MemberInfo {
  Field Of;
  const TypeInfo *Type = nullptr;
  std::size_t Offset = 0; ///< in its struct
};

/// Returns the table of T, for Signature, Algorithm, Problem, and Lowered with
/// its tensors and auxiliary tensors.
template <typename T> const TypeInfo &typeInfo();

/// Refers to a value of any field type. Does not own it.
class AnyValue {
public:
  template <Fielded T>
  explicit AnyValue(const T &Value) : AnyValue(typeInfo<T>(), &Value) {}
  AnyValue(const TypeInfo &Type, const void *Data) : Type(&Type), Data(Data) {}

  const TypeInfo &type() const { return *Type; }
  TypeKind kind() const { return Type->Is; }
  bool isStruct() const { return kind() == TypeKind::Struct; }

  /// Returns null if the value has another type.
  template <Fielded T> const T *as() const {
    return Type == &typeInfo<T>() ? static_cast<const T *>(Data) : nullptr;
  }

  int asInt() const { return *static_cast<const int *>(Data); }
  /// The value of an Int or LongLong.
  long long asNumber() const {
    return kind() == TypeKind::Int ? asInt()
                                   : *static_cast<const long long *>(Data);
  }
  bool asBool() const { return *static_cast<const bool *>(Data); }
  /// The value of an enumeration.
  unsigned enumerator() const {
    return *static_cast<const unsigned char *>(Data);
  }
  std::string_view enumeratorName() const {
    return enumerator() < Type->Rows.size() ? Type->Rows[enumerator()].Name
                                            : "?";
  }

  std::span<const MemberInfo> members() const { return Type->Members; }
  AnyValue member(const MemberInfo &M) const {
    return {*M.Type, static_cast<const char *>(Data) + M.Offset};
  }
  AnyValue getDefault(const MemberInfo &M) const {
    return AnyValue(*Type, Type->Default).member(M);
  }

  /// The number of elements of a list; 0 or 1 for an Optional.
  unsigned size() const { return Type->Size(Data); }
  AnyValue operator[](unsigned I) const {
    return {*Type->Element, Type->At(Data, I)};
  }
  /// The value of an Optional, which must be present.
  AnyValue operator*() const { return (*this)[0]; }

  /// Compares two values of the same type.
  friend bool operator==(const AnyValue &One, const AnyValue &Other) {
    return One.Type->Equal(One.Data, Other.Data);
  }

private:
  const TypeInfo *Type;
  const void *Data;
};

/// detail::isShown() of Text.h for member \p M of \p Value.
bool isShown(AnyValue Value, const MemberInfo &M, TextForm Form);

/// print() of Text.h.
void print(TextOut &Out, AnyValue Value, TextForm Form);

/// textOf() of Text.h.
std::string textOf(AnyValue Value, TextForm Form);

/// Returns the text after the = in a short text, for a number, an enumerator, a
/// list or a struct.
std::string valueText(AnyValue Value);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_ANYVALUE_H
