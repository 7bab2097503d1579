//===- DimProgram.cpp - sizes as a stack machine program ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atoms are computed when they are first needed, before the sum that contains
// them. So the stack holds at most one unfinished sum: its value so far, the
// term to add next and an atom of the term, above the dividend of a division.
//
//===----------------------------------------------------------------------===//
#include "JitGraph/Sizes/DimProgram.h"

#include "DimNode.h"
#include "DimRange.h"

#include <bit>
#include <map>

using namespace kpack;
using namespace kpack::jit;

using Op = DimProgram::Op;

/// Dividend, sum, term, atom.
static constexpr size_t StackSize = 4;

static bool isComputed(const DimNode *Node) {
  return Node->isAtom() && Node->What != DimNode::Kind::Variable;
}

namespace {

class ProgramWriter {
public:
  ProgramWriter(std::vector<DimProgram::Instruction> &Code, size_t &Places)
      : Code(Code), Places(Places) {}

  void result(const DimNode *Node, size_t Place) {
    // A result that is an atom is kept at its place for all others.
    if (isComputed(Node) && !PlaceOf.count(Node))
      return compute(Node, Place);
    prepare(Node);
    push(Node);
    emit(Op::Keep, static_cast<int64_t>(Place));
  }

private:
  void emit(Op Operation, int64_t Value = 0) {
    Code.push_back({Operation, Value});
  }
  void prepare(const DimNode *Node);
  void compute(const DimNode *Atom, size_t Place);
  void divide(DimNode::Kind Kind, int64_t Divisor);
  void push(const DimNode *Node);
  void pushAtom(const DimNode *Atom);
  void pushTerm(const DimProduct &Product, int64_t Factor);

  std::vector<DimProgram::Instruction> &Code;
  size_t &Places;
  std::map<const DimNode *, size_t> PlaceOf;
};

} // namespace

/// Computes all parts of \p Node, and \p Node itself if it is an atom.
void ProgramWriter::prepare(const DimNode *Node) {
  if (isComputed(Node) && !PlaceOf.count(Node))
    return compute(Node, Places++);
  for (const auto &[Product, Factor] : Node->Sum.Terms)
    for (const DimNode *Atom : Product)
      prepare(Atom);
}

/// Divides by a number: with a shift or a mask for a power of two, which takes
/// a tenth of the time.
void ProgramWriter::divide(DimNode::Kind Kind, int64_t Divisor) {
  bool IsDiv = Kind == DimNode::Kind::FloorDiv;
  if (!std::has_single_bit(static_cast<uint64_t>(Divisor)))
    return emit(IsDiv ? Op::FloorDivNumber : Op::ModNumber, Divisor);
  if (IsDiv)
    emit(Op::ShiftRight, std::countr_zero(static_cast<uint64_t>(Divisor)));
  else
    emit(Op::AndNumber, Divisor - 1);
}

void ProgramWriter::compute(const DimNode *Atom, size_t Place) {
  using Kind = DimNode::Kind;
  const DimProduct &Operands = Atom->Operands;
  for (const DimNode *Operand : Operands)
    prepare(Operand);
  push(Operands.front());
  bool Divides = Atom->What == Kind::FloorDiv || Atom->What == Kind::Mod;
  if (DimRange By = Operands[1]->Range; Divides && By.Lo == By.Hi) {
    divide(Atom->What, By.Lo);
  } else {
    for (size_t I = 1; I < Operands.size(); ++I) {
      push(Operands[I]);
      emit(Atom->What == Kind::FloorDiv ? Op::FloorDiv
           : Atom->What == Kind::Mod    ? Op::Mod
           : Atom->What == Kind::Min    ? Op::Min
                                        : Op::Max);
    }
  }
  emit(Op::Keep, static_cast<int64_t>(Place));
  PlaceOf[Atom] = Place;
}

void ProgramWriter::pushAtom(const DimNode *Atom) {
  if (Atom->What == DimNode::Kind::Variable)
    emit(Op::Variable, Atom->Variable);
  else
    emit(Op::Kept, static_cast<int64_t>(PlaceOf.at(Atom)));
}

/// From left to right, the order of DimSum.h's bounds.
void ProgramWriter::pushTerm(const DimProduct &Product, int64_t Factor) {
  pushAtom(Product.front());
  if (Factor != 1)
    emit(Op::MulNumber, Factor);
  for (size_t I = 1; I < Product.size(); ++I) {
    pushAtom(Product[I]);
    emit(Op::Mul);
  }
}

void ProgramWriter::push(const DimNode *Node) {
  if (Node->isAtom())
    return pushAtom(Node);
  bool IsFirst = true;
  for (const auto &[Product, Factor] : Node->Sum.Terms) {
    pushTerm(Product, Factor);
    if (!IsFirst)
      emit(Op::Add);
    IsFirst = false;
  }
  if (IsFirst)
    emit(Op::Push, Node->Sum.Constant);
  else if (Node->Sum.Constant)
    emit(Op::AddNumber, Node->Sum.Constant);
}

DimProgram DimProgram::of(std::span<const Dim> Results) {
  DimProgram P;
  P.Results = P.Places = Results.size();
  ProgramWriter Writer(P.Code, P.Places);
  for (size_t I = 0; I < Results.size(); ++I)
    Writer.result(Results[I].node(), I);
  return P;
}

void DimProgram::run(const int64_t *Variables, int64_t *Kept) const {
  int64_t Stack[StackSize + 1] = {};
  int64_t *Top = Stack; // Stack[0] is below the first
  for (Instruction I : Code) {
    switch (I.Code) {
    case Op::Push:
      *++Top = I.Value;
      break;
    case Op::Variable:
      *++Top = Variables[I.Value];
      break;
    case Op::Kept:
      *++Top = Kept[I.Value];
      break;
    case Op::Add:
      --Top;
      Top[0] += Top[1];
      break;
    case Op::Mul:
      --Top;
      Top[0] *= Top[1];
      break;
    case Op::FloorDiv:
      --Top;
      Top[0] = floorQuotient(Top[0], Top[1]);
      break;
    case Op::Mod:
      --Top;
      Top[0] = floorRemainder(Top[0], Top[1]);
      break;
    case Op::Min:
      --Top;
      Top[0] = std::min(Top[0], Top[1]);
      break;
    case Op::Max:
      --Top;
      Top[0] = std::max(Top[0], Top[1]);
      break;
    case Op::AddNumber:
      *Top += I.Value;
      break;
    case Op::MulNumber:
      *Top *= I.Value;
      break;
    case Op::FloorDivNumber:
      *Top = floorQuotient(*Top, I.Value);
      break;
    case Op::ModNumber:
      *Top = floorRemainder(*Top, I.Value);
      break;
    case Op::ShiftRight: // rounds down, also negative numbers (C++20)
      *Top >>= I.Value;
      break;
    case Op::AndNumber:
      *Top &= I.Value;
      break;
    case Op::Keep:
      Kept[I.Value] = *Top--;
      break;
    }
  }
}

int64_t kpack::jit::valueOf(Dim E, std::span<const int64_t> Variables) {
  DimProgram P = DimProgram::of({&E, 1});
  std::vector<int64_t> Kept(P.places());
  P.run(Variables.data(), Kept.data());
  return Kept.front();
}
