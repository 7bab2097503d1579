//===- Programs/SourceUnit.h - source text with named functions -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a compilable source of a text, constants known at compile time, and C++
// expressions that name functions. Constants precede the text, so that "if
// constexpr" and template arguments can use them. A table of the functions'
// addresses follows it. The compiler checks the types: a function with another
// type than the caller declared is a compile error with both types, so that
// calls need no check.
//
// For "add", of type "int (int, int)":
//
//   #line 1 "constants"
//   inline constexpr bool print_result = true;
//   ... the text ...
//   #line 1 "entries"
//   ... extern "C" const void *const kpack_jit_entries[] = {...};
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_SOURCEUNIT_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_SOURCEUNIT_H

#include "Jit/Service/Compile.h"

namespace kpack::jit {

/// A constant of the compile: "inline constexpr <Type> <Name> = <Value>;".
struct UnitConstant {
  std::string Name;  ///< an identifier
  std::string Type;  ///< a C++ type, one line
  std::string Value; ///< a constant expression, one line
};

/// A function of the text.
struct UnitEntry {
  std::string Expression; ///< "add", "ns::saxpy<4, float>"
  /// "int (int, int)"; empty: the function's own, which overloads lack.
  std::string Type;
};

/// A structure that the program shares with the text, with the program's
/// layout: a different layout in the text is a compile error.
struct UnitType {
  std::string Name; ///< "ns::Point"
  size_t Size, Alignment;
  struct Member {
    std::string Name;
    size_t Offset, Size;
  };
  std::vector<Member> Members;
};

enum class UnitKind {
  Host,   ///< functions that the process calls
  Kernel, ///< __global__ functions
};

/// Returns the parts around \p Text. Errors: InvalidArgument for a bad constant
/// or entry, or without entries.
Result<SourceText> makeUnit(std::string Text, std::vector<MemoryFile> Headers,
                            const std::vector<UnitConstant> &Constants,
                            const std::vector<UnitEntry> &Entries,
                            UnitKind Kind,
                            const std::vector<UnitType> &Types = {});

/// The symbol of the table, which shared objects export.
extern const char EntryTableSymbol[];

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_SOURCEUNIT_H
