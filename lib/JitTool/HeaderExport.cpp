//===- HeaderExport.cpp - compiled functions as C headers -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callers name the type of a function, which is compared with that of the
// program: types of the source text are not declared in the header.
//
//===----------------------------------------------------------------------===//
#include "HeaderExport.h"

#include "ToolSupport/Output.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;

/// Returns scale_add for "scale-add.h".
static std::string makeIdentifier(StringRef Path) {
  std::string Name = sys::path::stem(Path).str();
  for (char &C : Name)
    if (!isAlnum(C))
      C = '_';
  return Name.empty() || isDigit(Name[0]) ? "_" + Name : Name;
}

/// Makes a text safe for a comment.
static std::string inComment(StringRef Text) {
  std::string Plain = printable(Text);
  for (size_t Offset; (Offset = Plain.find("*/")) != std::string::npos;)
    Plain[Offset + 1] = ' ';
  return Plain;
}

static void putBytes(raw_ostream &Out, std::string_view Bytes) {
  constexpr size_t ALine = 24;
  for (size_t I = 0; I < Bytes.size(); ++I)
    Out << (I % ALine ? "" : "\n  ") << unsigned((unsigned char)Bytes[I])
        << ',';
}

static constexpr char Functions[] = R"(
#ifdef __cplusplus
#include "kpack/Jit/$HEADER.h"

namespace $NAME {
/* Loaded by the first call. */
inline const kpack::Result<kpack::jit::Program> &program() {
  static const kpack::Result<kpack::jit::Program> Loaded =
      kpack::jit::Program::deserialize(
          std::as_bytes(std::span($NAME_program)));
  return Loaded;
}
template <class Sig>
kpack::Result<kpack::jit::$CLASS<Sig>> get(std::string_view entry) {
  if (!program())
    return program().status();
  return kpack::jit::$FUNCTION<Sig>(*program(), entry);
}
} // namespace $NAME
#endif
)";

std::string jittool::makeHeader(StringRef Path, const jit::EntryInfo &Info,
                                std::string_view Bytes) {
  std::string Name = makeIdentifier(Path), Text;
  bool IsHost = Info.Kind == "shared-object";
  raw_string_ostream Out(Text);
  Out << "/* " << inComment(Info.Name) << ", compiled"
      << (Info.Target.empty() ? "" : " for " + inComment(Info.Target))
      << "; written by ck-jit cache export --header:\n";
  for (const jit::EntryFunction &F : Info.Functions)
    Out << " *   \"" << inComment(F.Name) << "\", " << inComment(F.Type)
        << '\n';
  Out << " */\n#ifndef KPACK_JIT_HEADER_" << Name
      << "\n#define KPACK_JIT_HEADER_" << Name
      << "\n\n/* For kpack_jit_program_deserialize(). */\n"
      << "static const unsigned char " << Name << "_program[] = {";
  putBytes(Out, Bytes);
  Out << "\n};\n";
  std::pair<StringRef, std::string> Values[] = {
      {"$NAME", Name},
      {"$HEADER", IsHost ? "Executor" : "Kernel"},
      {"$CLASS", IsHost ? "Executor" : "Kernel"},
      {"$FUNCTION", IsHost ? "executor" : "kernel"}};
  std::string Rest = Functions;
  for (const auto &[Mark, Value] : Values)
    for (size_t Offset; (Offset = Rest.find(Mark.str())) != std::string::npos;)
      Rest.replace(Offset, Mark.size(), Value);
  Out << Rest << "\n#endif\n";
  return Text;
}
