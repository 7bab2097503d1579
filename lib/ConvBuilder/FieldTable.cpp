//===- FieldTable.cpp - table of descriptors' fields ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct comes after the structs that contain it, so that a reader of the
// tables meets its name before its fields.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/FieldTable.h"

#include "AnyValue.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::conv;

std::string_view conv::nameOf(Unit In) {
  static constexpr std::string_view Names[] = {
      "",      "dimensions", "elements", "threads",
      "waves", "tiles",      "groups",   "positions"};
  return Names[static_cast<unsigned>(In)];
}

std::string_view conv::nameOf(FieldClass Class) {
  static constexpr std::string_view Names[] = {"meaning", "kernel", "hint"};
  return Names[static_cast<unsigned>(Class)];
}

namespace {

class Collector {
public:
  /// Adds a struct and all structs of its fields.
  void addAll(const TypeInfo &Outermost) {
    Waiting.push_back(&Outermost);
    for (size_t I = 0; I < Waiting.size(); ++I)
      add(*Waiting[I]);
  }

  FieldTable Table;

private:
  void add(const TypeInfo &Struct) {
    if (std::ranges::count(Table.Structs, Struct.Name, &StructFacts::Name))
      return;
    StructFacts Facts{Struct.Name, {}};
    for (const MemberInfo &M : Struct.Members) {
      FieldFacts One{.Of = M.Of, .Type = {}, .Default = {}};
      describe(One, AnyValue(Struct, Struct.Default).member(M));
      Facts.Fields.push_back(std::move(One));
    }
    Table.Structs.push_back(std::move(Facts));
  }

  void describe(FieldFacts &Facts, AnyValue Default) {
    const TypeInfo &Type = Default.type();
    switch (Type.Is) {
    case TypeKind::Optional:
      describeElement(Facts, *Type.Element);
      Facts.IsPart = true;
      Facts.Default = "absent";
      return;
    case TypeKind::List:
      describeElement(Facts, *Type.Element);
      Facts.Capacity = Type.Capacity;
      Facts.Default = "[]";
      return;
    default:
      describeElement(Facts, Type);
      if (Type.Is != TypeKind::Struct)
        Facts.Default = valueText(Default);
    }
  }

  /// Sets the type; for lists of lists it is that of the innermost elements.
  void describeElement(FieldFacts &Facts, const TypeInfo &Type) {
    if (Type.Is == TypeKind::Optional || Type.Is == TypeKind::List)
      return describeElement(Facts, *Type.Element);
    Facts.Type = Type.Name;
    Facts.IsNumber = Type.Is == TypeKind::Int;
    if (Type.Is == TypeKind::Struct)
      Waiting.push_back(&Type);
    if (Type.Is == TypeKind::Enum &&
        !std::ranges::count(Table.Enums, Type.Name, &EnumFacts::Name))
      Table.Enums.push_back({Type.Name, Type.EnumName, Type.Rows});
  }

  std::vector<const TypeInfo *> Waiting;
};

template <Described T> FieldTable getTable() {
  Collector All;
  All.addAll(typeInfo<T>());
  return std::move(All.Table);
}

} // namespace

FieldTable FieldTable::ofSignature() { return getTable<Signature>(); }
FieldTable FieldTable::ofAlgorithm() { return getTable<Algorithm>(); }
FieldTable FieldTable::ofProblem() { return getTable<Problem>(); }
