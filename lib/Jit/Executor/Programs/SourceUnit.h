//===- Programs/SourceUnit.h - a text with named functions ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a compilable source of what a program has: a text, constants that are
// known now, and the functions it wants by C++ expressions. Constants come
// before the text, so that "if constexpr" and template arguments can use them.
// After it stands a table of the functions' addresses, for whose types the
// compiler vouches: a function that has another type than the caller declared
// is a compile error with both types, and nothing is looked at when it is
// called.
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

/// A value that is known when the source is compiled: "inline constexpr
/// <Type> <Name> = <Value>;".
struct UnitConstant {
  std::string Name;  ///< an identifier
  std::string Type;  ///< a C++ type, one line
  std::string Value; ///< a constant expression, one line
};

/// A function of the text.
struct UnitEntry {
  std::string Expression; ///< "add", "ns::saxpy<4, float>"
  /// "int (int, int)"; empty: the one it has, which overloads have not.
  std::string Type;
};

/// A structure that the program shares with the text, as the program has it:
/// one that is another there is a compile error.
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

/// The parts around \p Text. Errors: InvalidArgument, a constant or an entry
/// that cannot be written down, or none of the latter.
Result<SourceText> makeUnit(std::string Text, std::vector<MemoryFile> Headers,
                            const std::vector<UnitConstant> &Constants,
                            const std::vector<UnitEntry> &Entries,
                            UnitKind Kind,
                            const std::vector<UnitType> &Types = {});

/// The table's symbol, which a shared object exports.
extern const char EntryTableSymbol[];

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_SOURCEUNIT_H
