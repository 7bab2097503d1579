//===- AssemblyPayload.cpp - device code in a .s or .ll -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same directives for both kinds of text; in IR each is a line of module
// assembly, whose quotes are escaped:
//
//   .s    .pushsection .kpack.devobj,"e",@progbits
//   .ll   module asm ".pushsection .kpack.devobj,\22e\22,@progbits"
//
// "e" is SHF_EXCLUDE. .popsection puts the assembler back into the section in
// which the text left it. The bytes are decimal numbers and not a string: they
// need no escaping, neither by the assembler's rules nor by those of IR.
//
//===----------------------------------------------------------------------===//

#include "AssemblyPayload.h"
#include "Offload/DevicePayload.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kpack::driver {

/// Bytes a line: long enough to be fast, short enough to be looked at.
static constexpr size_t BytesPerLine = 32;

std::string appendPayload(StringRef Text, StringRef Payload, bool IsIR) {
  std::string Result = Text.str();
  Result.reserve(Text.size() + Payload.size() * 5 + 256);
  auto Line = [&](const Twine &Directive) {
    if (!IsIR) {
      Result += ("\t" + Directive + "\n").str();
      return;
    }
    Result += "module asm \"";
    for (char C : Directive.str())
      Result += C == '"' ? "\\22" : std::string(1, C);
    Result += "\"\n";
  };

  if (!Result.empty() && Result.back() != '\n')
    Result += '\n';
  Line(".pushsection " + offload::PayloadSectionName + ",\"e\",@progbits");
  Line(".p2align 3, 0");
  for (size_t At = 0; At < Payload.size(); At += BytesPerLine) {
    std::string Bytes;
    for (unsigned char C : Payload.substr(At, BytesPerLine)) {
      if (!Bytes.empty())
        Bytes += ',';
      Bytes += utostr(C);
    }
    Line(".byte " + Bytes);
  }
  Line(".popsection");
  return Result;
}

} // namespace kpack::driver
