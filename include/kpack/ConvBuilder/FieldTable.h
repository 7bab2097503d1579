//===- ConvBuilder/FieldTable.h - table of descriptors' fields --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lists of Fields.h as data, for the reference manual and the tool: every
// struct in a Signature or an Algorithm, once, and every enumeration that they
// use. Sibling: Describe.h, the fields of one value.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_FIELDTABLE_H
#define KPACK_CONVBUILDER_FIELDTABLE_H

#include "kpack/ConvBuilder/Describe.h"

#include <span>

namespace kpack::conv {

/// "elements", "threads"; empty for Unit::None.
std::string_view nameOf(Unit In);
/// "meaning", "kernel" or "hint".
std::string_view nameOf(FieldClass Class);

/// One member of a struct.
struct FieldFacts {
  Field Of;
  std::string_view Type; ///< "int", "bool", or the name in C++
  bool IsNumber = false; ///< the bounds of Of apply
  bool IsPart = false;   ///< may be absent
  unsigned Capacity = 0; ///< of a list; 0: not a list
  std::string Default;   ///< as in texts; "absent", "[]"; empty for structs
};

struct StructFacts {
  std::string_view Name; ///< in C++
  std::vector<FieldFacts> Fields;
};

struct EnumFacts {
  std::string_view Name; ///< in C++
  std::string_view Type; ///< as printed
  std::span<const EnumRow> Rows;
};

struct FieldTable {
  std::vector<StructFacts> Structs; ///< outermost first
  std::vector<EnumFacts> Enums;     ///< in order of first use

  static FieldTable ofSignature();
  static FieldTable ofAlgorithm();
  static FieldTable ofProblem();
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_FIELDTABLE_H
