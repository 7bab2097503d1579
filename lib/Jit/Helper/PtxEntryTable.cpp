//===- PtxEntryTable.cpp - table of named functions in PTX ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In PTX the table and the types are variables with values, a line each:
//
//   .visible .const .align 8 .u64 kpack_jit_entries[2] = {_Z3onePi, _Z3twoPi};
//   .visible .const .align 1 .b8 kpack_jit_type_0[5] = {97, 98, 0};
//
//===----------------------------------------------------------------------===//
#include "EntryTable.h"

#include "Support/Texts.h"

#include <cstdlib>
#include <optional>

using namespace kpack;
using namespace kpack::jit;

/// Removes the line of variable \p Name from \p Text and returns its values as
/// written; nullopt if there is none.
static std::optional<std::vector<std::string>>
takeVariable(std::string &Text, const std::string &Name) {
  size_t Offset = Text.find(" " + Name + "[");
  if (Offset == std::string::npos)
    return std::nullopt;
  size_t Start = Text.rfind('\n', Offset) + 1; // 0 for the first line
  size_t End = std::min(Text.find('\n', Offset), Text.size());
  std::string Line = Text.substr(Start, End - Start);
  size_t Open = Line.find('{'), Close = Line.rfind("};");
  if (Open == std::string::npos || Close == std::string::npos || Close < Open)
    return std::nullopt;
  Text.erase(Start, End - Start + 1);
  std::vector<std::string> Values =
      splitAt(Line.substr(Open + 1, Close - Open - 1), ',');
  for (std::string &Value : Values)
    Value.erase(0, std::min(Value.find_first_not_of(' '), Value.size()));
  return Values;
}

/// Extracts the type from clang's name of a template function: "f() [T = int
/// ()]".
static std::string typeIn(const std::vector<std::string> &Bytes) {
  std::string Pretty;
  for (const std::string &Byte : Bytes)
    if (int Value = std::atoi(Byte.c_str()))
      Pretty += char(Value);
  size_t Start = Pretty.find(" = ", Pretty.find('[')), End = Pretty.rfind(']');
  if (Start == std::string::npos || End == std::string::npos || End < Start + 3)
    return {};
  return Pretty.substr(Start + 3, End - Start - 3);
}

Result<std::vector<EntryFunction>>
jit::takeEntryTable(std::string &Ptx, const std::vector<std::string> &Names) {
  std::optional<std::vector<std::string>> Table =
      takeVariable(Ptx, "kpack_jit_entries");
  if (!Table || Table->size() != Names.size())
    return Status(StatusCode::InvalidFormat,
                  "the compiled source has no table of its entries; does a "
                  "brace or a comment of it stay open at its end?");
  std::vector<EntryFunction> Functions;
  for (size_t I = 0; I < Names.size(); ++I) {
    std::optional<std::vector<std::string>> Type =
        takeVariable(Ptx, "kpack_jit_type_" + std::to_string(I));
    Functions.push_back({Names[I], std::move((*Table)[I]),
                         Type ? typeIn(*Type) : std::string()});
  }
  return Functions;
}
