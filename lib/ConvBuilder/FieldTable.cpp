//===- FieldTable.cpp - which fields there are ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs come behind those that have them as members, so that a reader of the
// tables meets each one's name before its fields.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/FieldTable.h"

#include "TypeName.h"

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
  /// With all structs that its fields are made of.
  template <Fielded T> void addAll() {
    Waiting.push_back(&Collector::add<T>);
    for (size_t I = 0; I < Waiting.size(); ++I)
      (this->*Waiting[I])();
  }

  FieldTable Table;

private:
  template <Fielded T> void add() {
    if (std::ranges::count(Table.Structs, typeName<T>(), &StructFacts::Name))
      return;
    StructFacts Facts{typeName<T>(), {}};
    forEachField<T>([&](auto Member, const Field &F) {
      FieldFacts One{.Of = F, .Type = {}, .Default = {}};
      T Default{};
      describe(One, Default.*Member);
      Facts.Fields.push_back(std::move(One));
    });
    Table.Structs.push_back(std::move(Facts));
  }

  void describe(FieldFacts &Facts, int Default) {
    Facts.Type = "int";
    Facts.IsNumber = true;
    Facts.Default = std::to_string(Default);
  }
  void describe(FieldFacts &Facts, long long Default) {
    Facts.Type = "long long";
    Facts.Default = std::to_string(Default);
  }
  void describe(FieldFacts &Facts, bool Default) {
    Facts.Type = "bool";
    Facts.Default = Default ? "1" : "0";
  }
  template <Enumeration Enum> void describe(FieldFacts &Facts, Enum Default) {
    Facts.Type = typeName<Enum>();
    Facts.Default = conv::nameOf(Default);
    if (!std::ranges::count(Table.Enums, Facts.Type, &EnumFacts::Name))
      Table.Enums.push_back(
          {Facts.Type, EnumTable<Enum>::Type, EnumTable<Enum>::Rows});
  }
  template <Fielded T> void describe(FieldFacts &Facts, const T &) {
    Facts.Type = typeName<T>();
    Waiting.push_back(&Collector::add<T>);
  }
  template <typename T> void describe(FieldFacts &Facts, const Optional<T> &) {
    describe(Facts, T{});
    Facts.IsPart = true;
    Facts.Default = "absent";
  }
  template <typename T, unsigned N>
  void describe(FieldFacts &Facts, const List<T, N> &) {
    describe(Facts, T{});
    Facts.Capacity = N;
    Facts.Default = "[]";
  }

  std::vector<void (Collector::*)()> Waiting;
};

template <Fielded T> FieldTable tableOf() {
  Collector All;
  All.addAll<T>();
  return std::move(All.Table);
}

} // namespace

FieldTable FieldTable::ofSignature() { return tableOf<Signature>(); }
FieldTable FieldTable::ofAlgorithm() { return tableOf<Algorithm>(); }
FieldTable FieldTable::ofProblem() { return tableOf<Problem>(); }
