//===- Describe.cpp - descriptors as one line or as a tree ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line: the fields that differ from the default, one part after the other.
// An enumerator has no field name if its field is the first one of that type in
// its struct; sizes in several directions are written 128x128x32.
//
// Tree: a line for each field, with its unit and its meaning.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Describe.h"

#include "AnyValue.h"
#include "Support/Texts.h"
#include "kpack/ConvBuilder/FieldTable.h"

#include <algorithm>
#include <iterator>

using namespace kpack;
using namespace kpack::conv;

namespace {

//===----------------------------------------------------------------------===//
// One line
//===----------------------------------------------------------------------===//

bool isPart(AnyValue Value) {
  return Value.isStruct() || Value.kind() == TypeKind::Optional;
}

/// True if all members are numbers with names of at most two letters:
/// directions.
bool isExtent(const TypeInfo &Type) {
  return Type.Is == TypeKind::Struct &&
         std::ranges::all_of(Type.Members, [](const MemberInfo &M) {
           return M.Type->Is == TypeKind::Int &&
                  std::string_view(M.Of.Name).size() <= 2;
         });
}

/// True if no member of \p Struct before \p M has the type of \p M.
bool isFirstOfType(const TypeInfo &Struct, const MemberInfo &M) {
  return &*std::ranges::find(Struct.Members, M.Type, &MemberInfo::Type) == &M;
}

/// Returns "NAME item" or "NAME (item, item)".
std::string group(std::string_view Name, const std::vector<std::string> &Items,
                  std::string_view Open, std::string_view Close) {
  std::string Text(Name);
  if (Items.empty())
    return Text + " default";
  Text += Items.size() == 1 ? " " : Open;
  Text += joined(Items);
  return Text += Items.size() == 1 ? "" : Close;
}

std::vector<std::string> getItems(AnyValue Value);

/// Returns " 128x128x32", for use after the name of the field.
std::string extentText(AnyValue Value) {
  std::string Text;
  for (const MemberInfo &M : Value.members())
    Text +=
        (Text.empty() ? " " : "x") + std::to_string(Value.member(M).asNumber());
  return Text;
}

std::string listText(AnyValue Values) {
  std::string Text;
  for (unsigned I = 0; I != Values.size(); ++I)
    Text += Values[I].isStruct() ? " (" + joined(getItems(Values[I])) + ')'
                                 : ' ' + valueText(Values[I]);
  return Text;
}

/// Adds the items of member \p M of \p Outer.
void addItems(std::vector<std::string> &Items, AnyValue Outer,
              const MemberInfo &M) {
  AnyValue Value = Outer.member(M);
  std::string Name(M.Of.Name);
  switch (Value.kind()) {
  case TypeKind::Int:
  case TypeKind::LongLong:
    Items.push_back(Name + ' ' + std::to_string(Value.asNumber()));
    return;
  case TypeKind::Bool:
    Items.push_back((Value.asBool() ? "" : "no ") + Name);
    return;
  case TypeKind::Enum:
    Items.push_back((isFirstOfType(Outer.type(), M) ? "" : Name + ' ') +
                    std::string(Value.enumeratorName()));
    return;
  case TypeKind::List:
    Items.push_back(Name + listText(Value));
    return;
  case TypeKind::Struct:
    if (isExtent(Value.type()))
      Items.push_back(Name + extentText(Value));
    else
      std::ranges::move(getItems(Value), std::back_inserter(Items));
    return;
  case TypeKind::Optional:
    if (isExtent((*Value).type()))
      Items.push_back(Name + extentText(*Value));
    else
      Items.push_back(group(Name, getItems(*Value), " (", ")"));
  }
}

std::vector<std::string> getItems(AnyValue Value) {
  std::vector<std::string> Items;
  for (const MemberInfo &M : Value.members())
    if (isShown(Value, M, TextForm::Short))
      addItems(Items, Value, M);
  return Items;
}

std::string describe(AnyValue Value) {
  std::vector<std::string> Plain, Parts;
  for (const MemberInfo &M : Value.members()) {
    if (!isShown(Value, M, TextForm::Short))
      continue;
    if (!isPart(Value.member(M))) {
      addItems(Plain, Value, M);
      continue;
    }
    std::vector<std::string> Items;
    addItems(Items, Value, M);
    // The name of the part stands before its items only once.
    std::string Text = joined(Items), Name(M.Of.Name);
    Parts.push_back(Text.starts_with(Name + ' ') ? Text : Name + ": " + Text);
  }
  if (Plain.empty() && Parts.empty())
    return "all default";
  std::string Text = joined(Plain);
  for (const std::string &Part : Parts)
    Text += (Text.empty() ? "" : "; ") + Part;
  return Text;
}

} // namespace

template <typename T> std::string conv::detail::describe(const T &Value) {
  return ::describe(AnyValue(Value));
}

//===----------------------------------------------------------------------===//
// Tree
//===----------------------------------------------------------------------===//

namespace {

/// Returns "128 elements", "1 element" or "2".
std::string withUnit(long long Value, Unit In) {
  std::string_view Name = nameOf(In);
  if (Value == 1 && !Name.empty())
    Name.remove_suffix(1);
  return std::to_string(Value) + (Name.empty() ? "" : " ") + std::string(Name);
}

class Tree {
public:
  explicit Tree(TextForm Form) : Form(Form) {}

  void addAll(AnyValue Value) {
    ++Depth;
    for (const MemberInfo &M : Value.members()) {
      AnyValue Member = Value.member(M);
      IsDefault = Member == Value.getDefault(M);
      if (Form == TextForm::Full || !IsDefault)
        add(Member, M.Of.Name, M.Of);
    }
    --Depth;
  }

  std::string print() const {
    size_t NameWidth = 0, ValueWidth = 0;
    for (const Row &R : Rows) {
      NameWidth = std::max(NameWidth, R.Name.size());
      ValueWidth = std::max(ValueWidth, R.Value.size());
    }
    std::string Text;
    for (const Row &R : Rows)
      ((((Text += R.Name).append(NameWidth + 2 - R.Name.size(), ' ') += R.Value)
            .append(ValueWidth + 2 - R.Value.size(), ' ')) += R.Meaning) +=
          '\n';
    return Text;
  }

private:
  struct Row {
    std::string Name; ///< indented by its depth
    std::string Value;
    std::string Meaning;
  };

  void addRow(const std::string &Name, std::string Value,
              std::string_view Meaning) {
    Rows.push_back({std::string(2 * Depth, ' ') + Name, std::move(Value),
                    std::string(Meaning) + (IsDefault ? " (default)" : "")});
  }

  void add(AnyValue Value, const std::string &Name, const Field &F) {
    switch (Value.kind()) {
    case TypeKind::Int:
    case TypeKind::LongLong:
      return addRow(Name,
                    withUnit(Value.asNumber(),
                             Inherited == Unit::None ? F.In : Inherited),
                    F.Text);
    case TypeKind::Bool:
      return addRow(Name, Value.asBool() ? "yes" : "no", F.Text);
    case TypeKind::Enum:
      return addEnumerator(Value, Name, F);
    case TypeKind::Struct:
      return addStruct(Value, Name, F);
    case TypeKind::Optional:
      if (Value.size())
        return add(*Value, Name, F);
      IsDefault = false; // "absent" implies it
      return addRow(Name, "absent", F.Text);
    case TypeKind::List:
      return addList(Value, Name, F);
    }
  }

  void addEnumerator(AnyValue Value, const std::string &Name, const Field &F) {
    // The text after the semicolon describes other values.
    std::string_view Whole = F.Text;
    std::string Meaning(Whole.substr(0, Whole.find(';')));
    Meaning += ": ";
    Meaning += Value.type().Rows[Value.enumerator()].Text;
    addRow(Name, std::string(Value.enumeratorName()), Meaning);
  }

  void addStruct(AnyValue Value, const std::string &Name, const Field &F) {
    addRow(Name, "", F.Text);
    Unit Outer = std::exchange(Inherited, F.In);
    addAll(Value);
    Inherited = Outer;
  }

  void addList(AnyValue Values, const std::string &Name, const Field &F) {
    bool HasStructs = Values.type().Element->Is == TypeKind::Struct;
    if (!HasStructs || Values.size() == 0)
      return addRow(Name, valueText(Values), F.Text);
    for (unsigned I = 0; I < Values.size(); ++I) {
      IsDefault = false;
      add(Values[I], Name + '[' + std::to_string(I) + ']', F);
    }
  }

  TextForm Form;
  unsigned Depth = 0;
  Unit Inherited = Unit::None; ///< the unit of the part's numbers
  bool IsDefault = false;      ///< of the current field
  std::vector<Row> Rows;
};

} // namespace

template <typename T>
std::string conv::detail::describeTree(const T &Value, TextForm Form) {
  Tree Lines(Form);
  Lines.addAll(AnyValue(Value));
  return std::string(ObjectName<T>) + '\n' + Lines.print();
}

template std::string conv::detail::describe(const Signature &);
template std::string conv::detail::describe(const Algorithm &);
template std::string conv::detail::describe(const Problem &);
template std::string conv::detail::describeTree(const Signature &, TextForm);
template std::string conv::detail::describeTree(const Algorithm &, TextForm);
template std::string conv::detail::describeTree(const Problem &, TextForm);
