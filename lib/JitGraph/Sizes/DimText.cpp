//===- DimText.cpp - symbolic sizes as text and as C++ --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both spellings are the same sum of products and differ only in atoms. C++'s /
// and % are used if they mean the same, for non-negative operands: a compiler
// turns them into shifts and masks.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Sizes/DimText.h"

#include "DimNode.h"

using namespace kpack;
using namespace kpack::jit;

namespace {

class Writer {
public:
  explicit Writer(bool IsSource) : IsSource(IsSource) {}
  std::string text(const DimNode *Node) const;

private:
  std::string product(int64_t Factor, const DimProduct &Atoms) const;
  std::string atom(const DimNode *Node) const;
  std::string operand(const DimNode *Node) const;
  std::string call(const char *Name, const DimProduct &Operands) const;

  bool IsSource;
};

} // namespace

/// \p Factor is positive; the caller has written the sign.
std::string Writer::product(int64_t Factor, const DimProduct &Atoms) const {
  std::string Text = Factor == 1 ? "" : std::to_string(Factor);
  for (const DimNode *Atom : Atoms)
    Text += (Text.empty() ? "" : "*") + atom(Atom);
  return Text;
}

/// Returns an operand for * and /.
std::string Writer::operand(const DimNode *Node) const {
  std::string Text = text(Node);
  bool IsSimple = Text.find_first_of(" *-") == std::string::npos;
  return IsSimple ? Text : "(" + Text + ")";
}

/// Nests calls of two operands, as C++ has no min of three.
std::string Writer::call(const char *Name, const DimProduct &Operands) const {
  std::string Text = text(Operands.front());
  for (size_t I = 1; I < Operands.size(); ++I)
    Text = std::string(Name) + "(" + Text + ", " + text(Operands[I]) + ")";
  return Text;
}

std::string Writer::atom(const DimNode *Node) const {
  using Kind = DimNode::Kind;
  if (Node->What == Kind::Variable)
    return Node->Context->variables()[Node->Variable].Name;
  if (Node->What == Kind::Min)
    return call(IsSource ? "kpack_min" : "min", Node->Operands);
  if (Node->What == Kind::Max)
    return call(IsSource ? "kpack_max" : "max", Node->Operands);
  bool IsDiv = Node->What == Kind::FloorDiv;
  if (!IsSource)
    return call(IsDiv ? "floordiv" : "mod", Node->Operands);
  if (Node->Operands[0]->Range.Lo < 0)
    return call(IsDiv ? "kpack_floordiv" : "kpack_mod", Node->Operands);
  return "(" + operand(Node->Operands[0]) + (IsDiv ? " / " : " % ") +
         operand(Node->Operands[1]) + ")";
}

std::string Writer::text(const DimNode *Node) const {
  if (Node->isAtom())
    return atom(Node);
  std::string Text;
  for (const auto &[Product, Factor] : Node->Sum.Terms) {
    if (Text.empty())
      Text = Factor < 0 ? "-" : "";
    else
      Text += Factor < 0 ? " - " : " + ";
    Text += product(Factor < 0 ? -Factor : Factor, Product);
  }
  int64_t Constant = Node->Sum.Constant;
  if (Text.empty())
    return std::to_string(Constant);
  if (Constant)
    Text += (Constant < 0 ? " - " : " + ") +
            std::to_string(Constant < 0 ? -Constant : Constant);
  return Text;
}

std::string kpack::jit::toText(Dim E) {
  return E.valid() ? Writer(false).text(E.node()) : "invalid";
}

std::string kpack::jit::toSource(Dim E) {
  assert(E.valid() && "source of an invalid Dim");
  return Writer(true).text(E.node());
}

std::string kpack::jit::sourcePrelude(std::string_view Qualifiers) {
  std::string Text;
  auto Define = [&](const char *Name, const char *Value) {
    Text += Qualifiers;
    Text += Qualifiers.empty() ? "" : " ";
    Text += std::string("inline long long ") + Name +
            "(long long a, long long b) { return " + Value + "; }\n";
  };
  Define("kpack_floordiv", "a / b - (a % b < 0)");
  Define("kpack_mod", "a % b < 0 ? a % b + b : a % b");
  Define("kpack_min", "a < b ? a : b");
  Define("kpack_max", "a < b ? b : a");
  return Text;
}
