//===- AssemblyPayload.cpp - device code in assembly text -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both kinds of text get the same directives; in IR each is a line of module
// assembly with escaped quotes:
//
//   .s    .pushsection .kpack.devobj,"e",@progbits
//   .ll   module asm ".pushsection .kpack.devobj,\22e\22,@progbits"
//
// "e" is SHF_EXCLUDE. .popsection returns the assembler to the section at the
// end of the text. The bytes are decimal numbers and not a string, so they need
// no escaping by the assembler's or IR's rules.
//
//===----------------------------------------------------------------------===//

#include "AssemblyPayload.h"
#include "Offload/DevicePayload.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kpack::driver {

/// Bytes a line: a compromise between speed and readability.
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
  for (size_t Offset = 0; Offset < Payload.size(); Offset += BytesPerLine) {
    std::string Bytes;
    for (unsigned char C : Payload.substr(Offset, BytesPerLine)) {
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
