//===- CxxText.cpp - descriptors as C++ initializers ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes designated initialisers of fields that differ from the default.
// Optional parts and elements of lists begin with the name of their type:
// without it `{}` could be a part with default values, or none.
//
//===----------------------------------------------------------------------===//
#include "AnyValue.h"

#include <utility>

using namespace kpack;
using namespace kpack::conv;

namespace {

class CxxWriter {
public:
  /// Writes the outermost struct: its name, and a line for each of its members.
  void writeAll(AnyValue Value) {
    Out += Value.type().Name;
    writeMembers(Value, ",\n" + std::string(Out.size() + 1, ' '));
  }

  std::string Out;

private:
  void write(AnyValue Value) {
    switch (Value.kind()) {
    case TypeKind::Int:
    case TypeKind::LongLong:
      Out += std::to_string(Value.asNumber());
      return;
    case TypeKind::Bool:
      Out += Value.asBool() ? "true" : "false";
      return;
    case TypeKind::Enum:
      ((Out += Value.type().Name) += "::") += Value.enumeratorName();
      return;
    case TypeKind::Struct:
      return writeMembers(Value, ", ");
    case TypeKind::Optional:
      return writeNamed(*Value);
    case TypeKind::List:
      Out += '{';
      for (unsigned I = 0; I != Value.size(); ++I) {
        if (I)
          Out += ", ";
        writeNamed(Value[I]);
      }
      Out += '}';
    }
  }

  void writeNamed(AnyValue Value) {
    if (Value.isStruct())
      Out += Value.type().Name;
    write(Value);
  }

  void writeMembers(AnyValue Value, const std::string &Between) {
    bool First = true;
    Out += '{';
    for (const MemberInfo &M : Value.members()) {
      if (!isShown(Value, M, TextForm::Short))
        continue;
      if (!std::exchange(First, false))
        Out += Between;
      ((Out += '.') += M.Of.Name) += " = ";
      write(Value.member(M));
    }
    Out += '}';
  }
};

} // namespace

template <typename T> std::string conv::detail::cxxText(const T &Value) {
  CxxWriter Writer;
  Writer.writeAll(AnyValue(Value));
  return std::move(Writer.Out);
}

template std::string conv::detail::cxxText(const Signature &);
template std::string conv::detail::cxxText(const Algorithm &);
template std::string conv::detail::cxxText(const Problem &);
