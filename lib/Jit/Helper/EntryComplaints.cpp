//===- EntryComplaints.cpp - compilers' messages about entries ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EntryComplaints.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

/// Replaces the end of \p Line from " due to requirement" on. Returns \p Line
/// unless it is about an entry's type:
///   F:L:C: error: static assertion failed due to requirement
///   'kpack_jit_has_type_N<A, kpack_jit_unit::declared<B>>': entry 'f'
static std::string spelled(const std::string &Line) {
  static constexpr char Requirement[] =
      " due to requirement 'kpack_jit_has_type_";
  static constexpr char Declared[] = ", kpack_jit_unit::declared<";
  static constexpr char Closing[] = ">>': entry '";
  size_t Start = Line.find(Requirement);
  size_t Actual = Line.find('<', Start);
  size_t Middle = Line.find(Declared, Actual);
  size_t End = Line.find(Closing, Middle);
  if (Start == std::string::npos || End == std::string::npos)
    return Line;
  std::string ActualType = Line.substr(Actual + 1, Middle - Actual - 1);
  Middle += sizeof(Declared) - 1;
  std::string DeclaredType = Line.substr(Middle, End - Middle);
  std::string Entry = Line.substr(End + std::string(">>'").size());
  if (ActualType.rfind("kpack_jit_unit::overloaded<", 0) == 0)
    return Line.substr(0, Start) + Entry +
           " is overloaded, and none has the type that the caller declared: " +
           DeclaredType;
  return Line.substr(0, Start) + Entry + " has type " + ActualType +
         ", the caller declared " + DeclaredType;
}

std::string jit::spellEntryTypes(std::string Text) {
  std::string Spelled;
  for (size_t Start = 0; Start < Text.size();) {
    size_t End = std::min(Text.find('\n', Start), Text.size());
    Spelled += spelled(Text.substr(Start, End - Start));
    if (End < Text.size())
      Spelled += '\n';
    Start = End + 1;
  }
  return Spelled;
}
