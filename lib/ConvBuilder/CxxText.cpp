//===- CxxText.cpp - values as C++ ----------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Designated initialisers of what differs from the default. Parts that may be
// absent and elements of lists have the name of their type in front: without it
// `{}` could be a part with nothing in it, or none.
//
//===----------------------------------------------------------------------===//
#include "TypeName.h"
#include "kpack/ConvBuilder/Describe.h"

using namespace kpack;
using namespace kpack::conv;

namespace {

class CxxWriter {
public:
  /// The outermost struct: its name, and a line for each of its members.
  template <Fielded T> void writeAll(const T &Value) {
    Out += typeName<T>();
    writeMembers(Value, ",\n" + std::string(Out.size() + 1, ' '));
  }

  std::string Out;

private:
  void write(long long Value) { Out += std::to_string(Value); }
  void write(int Value) { Out += std::to_string(Value); }
  void write(bool Value) { Out += Value ? "true" : "false"; }
  template <Enumeration Enum> void write(Enum Value) {
    ((Out += typeName<Enum>()) += "::") += nameOf(Value);
  }
  template <Fielded T> void write(const T &Value) { writeMembers(Value, ", "); }
  template <typename T> void write(const Optional<T> &Value) {
    writeNamed(*Value);
  }
  template <typename T, unsigned N> void write(const List<T, N> &Values) {
    Out += '{';
    for (const T &Value : Values) {
      if (&Value != Values.begin())
        Out += ", ";
      writeNamed(Value);
    }
    Out += '}';
  }

  template <typename T> void writeNamed(const T &Value) {
    if constexpr (Fielded<T>)
      Out += typeName<T>();
    write(Value);
  }

  template <Fielded T>
  void writeMembers(const T &Value, const std::string &Between) {
    bool First = true;
    Out += '{';
    forEachField<T>([&](auto Member, const Field &F) {
      if (!detail::isShown(Value.*Member, detail::DefaultOf<T>.*Member,
                           TextForm::Short))
        return;
      if (!First)
        Out += Between;
      First = false;
      ((Out += '.') += F.Name) += " = ";
      write(Value.*Member);
    });
    Out += '}';
  }
};

} // namespace

template <typename T> std::string conv::detail::cxxText(const T &Value) {
  CxxWriter Writer;
  Writer.writeAll(Value);
  return std::move(Writer.Out);
}

template std::string conv::detail::cxxText(const Signature &);
template std::string conv::detail::cxxText(const Algorithm &);
template std::string conv::detail::cxxText(const Problem &);
