//===- Describe.cpp - a value in one line, and as a tree ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line: what differs from the default, parts one after the other. An
// enumerator stands alone where its field is the first of that type in its
// struct, since its name says what it is; sizes in several directions are
// written 128x128x32.
//
// Tree: a line for each field, with its unit and its meaning.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Describe.h"

#include "ValueText.h"
#include "kpack/ConvBuilder/FieldTable.h"
#include "kpack/Support/Texts.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::conv;

namespace {

//===----------------------------------------------------------------------===//
// One line
//===----------------------------------------------------------------------===//

template <typename T> inline constexpr bool IsPart = Fielded<T>;
template <typename T> inline constexpr bool IsPart<Optional<T>> = true;

/// Whether all members are numbers whose names are letters: directions.
template <Fielded T> constexpr bool isExtent() {
  bool All = true;
  forEachField<T>([&](auto Member, const Field &F) {
    All &= std::is_same_v<decltype(Member), int T::*> &&
           std::string_view(F.Name).size() <= 2;
  });
  return All;
}

/// Whether no field of T in front of \p F has the type Enum.
template <Fielded T, typename Enum> bool isFirstOfType(const Field &F) {
  std::string_view First;
  forEachField<T>([&](auto Member, const Field &Other) {
    if (std::is_same_v<decltype(Member), Enum T::*> && First.empty())
      First = Other.Name;
  });
  return First == F.Name;
}

/// "NAME item", "NAME (item, item)".
std::string group(std::string_view Name, const std::vector<std::string> &Items,
                  std::string_view Open, std::string_view Close) {
  std::string Text(Name);
  if (Items.empty())
    return Text + " default";
  Text += Items.size() == 1 ? " " : Open;
  Text += joined(Items);
  return Text += Items.size() == 1 ? "" : Close;
}

template <Fielded T> std::vector<std::string> itemsOf(const T &Value);

template <Fielded T>
void addItem(std::vector<std::string> &Items, long long Value, const Field &F) {
  Items.push_back(std::string(F.Name) + ' ' + std::to_string(Value));
}
template <Fielded T>
void addItem(std::vector<std::string> &Items, int Value, const Field &F) {
  addItem<T>(Items, static_cast<long long>(Value), F);
}
template <Fielded T>
void addItem(std::vector<std::string> &Items, bool Value, const Field &F) {
  Items.push_back((Value ? "" : "no ") + std::string(F.Name));
}
template <Fielded T, Enumeration Enum>
void addItem(std::vector<std::string> &Items, Enum Value, const Field &F) {
  std::string Name(nameOf(Value));
  Items.push_back(isFirstOfType<T, Enum>(F) ? Name
                                            : std::string(F.Name) + ' ' + Name);
}
template <Fielded T, typename Item, unsigned N>
void addItem(std::vector<std::string> &Items, const List<Item, N> &Values,
             const Field &F) {
  std::string Text(F.Name);
  for (const Item &One : Values)
    if constexpr (Fielded<Item>)
      Text += " (" + joined(itemsOf(One)) + ')';
    else
      Text += ' ' + valueText(One);
  Items.push_back(Text);
}
template <Fielded T, Fielded Part>
void addItem(std::vector<std::string> &Items, const Part &Value,
             const Field &F) {
  if constexpr (isExtent<Part>()) {
    std::string Text;
    forEachField<Part>([&](auto Member, const Field &) {
      Text += (Text.empty() ? " " : "x") + std::to_string(Value.*Member);
    });
    Items.push_back(std::string(F.Name) + Text);
  } else {
    for (std::string &Item : itemsOf(Value))
      Items.push_back(std::move(Item));
  }
}
template <Fielded T, typename Part>
void addItem(std::vector<std::string> &Items, const Optional<Part> &Value,
             const Field &F) {
  if constexpr (isExtent<Part>())
    addItem<T>(Items, *Value, F);
  else
    Items.push_back(group(F.Name, itemsOf(*Value), " (", ")"));
}

template <Fielded T> std::vector<std::string> itemsOf(const T &Value) {
  std::vector<std::string> Items;
  forEachField<T>([&](auto Member, const Field &F) {
    if (detail::isShown(Value.*Member, detail::DefaultOf<T>.*Member,
                        TextForm::Short))
      addItem<T>(Items, Value.*Member, F);
  });
  return Items;
}

} // namespace

template <typename T> std::string conv::detail::describe(const T &Value) {
  std::vector<std::string> Plain, Parts;
  forEachField<T>([&](auto Member, const Field &F) {
    if (!detail::isShown(Value.*Member, detail::DefaultOf<T>.*Member,
                         TextForm::Short))
      return;
    if constexpr (IsPart<std::remove_cvref_t<decltype(Value.*Member)>>) {
      std::vector<std::string> Items;
      addItem<T>(Items, Value.*Member, F);
      // The name in front is that of the part, once.
      std::string Text = joined(Items), Name(F.Name);
      Parts.push_back(Text.starts_with(Name + ' ') ? Text : Name + ": " + Text);
    } else {
      addItem<T>(Plain, Value.*Member, F);
    }
  });
  if (Plain.empty() && Parts.empty())
    return "all default";
  std::string Text = joined(Plain);
  for (const std::string &Part : Parts)
    Text += (Text.empty() ? "" : "; ") + Part;
  return Text;
}

//===----------------------------------------------------------------------===//
// Tree
//===----------------------------------------------------------------------===//

namespace {

/// "128 elements", "1 element", "2".
std::string withUnit(long long Value, Unit In) {
  std::string_view Name = nameOf(In);
  if (Value == 1 && !Name.empty())
    Name.remove_suffix(1);
  return std::to_string(Value) + (Name.empty() ? "" : " ") + std::string(Name);
}

class Tree {
public:
  explicit Tree(TextForm Form) : Form(Form) {}

  template <Fielded T> void addAll(const T &Value) {
    ++Depth;
    forEachField<T>([&](auto Member, const Field &F) {
      using Type = std::remove_cvref_t<decltype(Value.*Member)>;
      const Type &Default = detail::DefaultOf<T>.*Member;
      IsDefault = Value.*Member == Default;
      if (Form == TextForm::Full || !IsDefault)
        add(Value.*Member, std::string(F.Name), F);
    });
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
    std::string Name; ///< with spaces in front, as deep as it is
    std::string Value;
    std::string Meaning;
  };

  void addRow(const std::string &Name, std::string Value,
              std::string_view Meaning) {
    Rows.push_back({std::string(2 * Depth, ' ') + Name, std::move(Value),
                    std::string(Meaning) + (IsDefault ? " (default)" : "")});
  }

  void add(long long Value, const std::string &Name, const Field &F) {
    addRow(Name, withUnit(Value, Inherited == Unit::None ? F.In : Inherited),
           F.Text);
  }
  void add(int Value, const std::string &Name, const Field &F) {
    add(static_cast<long long>(Value), Name, F);
  }
  void add(bool Value, const std::string &Name, const Field &F) {
    addRow(Name, Value ? "yes" : "no", F.Text);
  }
  template <Enumeration Enum>
  void add(Enum Value, const std::string &Name, const Field &F) {
    // What other values would mean is of no interest.
    std::string_view Whole = F.Text;
    std::string Meaning(Whole.substr(0, Whole.find(';')));
    Meaning += ": ";
    Meaning += EnumTable<Enum>::Rows[static_cast<size_t>(Value)].Text;
    addRow(Name, std::string(nameOf(Value)), Meaning);
  }
  template <Fielded T>
  void add(const T &Value, const std::string &Name, const Field &F) {
    addRow(Name, "", F.Text);
    Unit Outer = std::exchange(Inherited, F.In);
    addAll(Value);
    Inherited = Outer;
  }
  template <typename T>
  void add(const Optional<T> &Value, const std::string &Name, const Field &F) {
    if (Value)
      return add(*Value, Name, F);
    IsDefault = false; // "absent" says it
    addRow(Name, "absent", F.Text);
  }
  template <typename T, unsigned N>
  void add(const List<T, N> &Values, const std::string &Name, const Field &F) {
    if constexpr (Fielded<T>)
      for (unsigned I = 0; I < Values.size(); ++I) {
        IsDefault = false;
        add(Values[I], Name + '[' + std::to_string(I) + ']', F);
      }
    if (!Fielded<T> || Values.empty())
      addRow(Name, valueText(Values), F.Text);
  }

  TextForm Form;
  unsigned Depth = 0;
  Unit Inherited = Unit::None; ///< of the part: what its numbers count
  bool IsDefault = false;      ///< of the field that is added
  std::vector<Row> Rows;
};

} // namespace

template <typename T>
std::string conv::detail::describeTree(const T &Value, TextForm Form) {
  Tree Lines(Form);
  Lines.addAll(Value);
  return std::string(ObjectName<T>) + '\n' + Lines.print();
}

template std::string conv::detail::describe(const Signature &);
template std::string conv::detail::describe(const Algorithm &);
template std::string conv::detail::describe(const Problem &);
template std::string conv::detail::describeTree(const Signature &, TextForm);
template std::string conv::detail::describeTree(const Algorithm &, TextForm);
template std::string conv::detail::describeTree(const Problem &, TextForm);
