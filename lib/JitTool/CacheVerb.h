//===- CacheVerb.h - a verb of ck-jit cache ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verbs (ToolSupport/Commands.h). Options.td assigns options to verbs.
// Texts mention ck-jit; help replaces that by the names of the front door.
// Messages use the front door's names directly, as they contain names of users.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_CACHEVERB_H
#define KPACK_LIB_JITTOOL_CACHEVERB_H

#include "JitTool/FrontDoor.h"
#include "ToolSupport/Commands.h"
#include "llvm/Support/JSON.h"

namespace kpack::jittool {

/// Bits for Options.td.
enum OptionVisibility : unsigned {
  StatsOption = 1 << 1,
  ListOption = 1 << 2,
  ExplainOption = 1 << 3,
  VerifyOption = 1 << 4,
  PruneOption = 1 << 5,
  PinOption = 1 << 6,
  ExportOption = 1 << 7,
  ImportOption = 1 << 8,
  DoctorOption = 1 << 9,
  PushOption = 1 << 10,
};

#define KPACK_OPTION_TABLE "JitToolOptions.inc"
#include "ToolSupport/OptionIds.inc"

struct CacheInvocation : Invocation {
  const FrontDoor &Door;

  /// Leaves the name empty: it is no option.
  CompileWords compileWords() const;
  /// Prints an object with the schema "ck-jit.cache.<Name>/1" and a newline.
  void printJson(llvm::StringRef Name, const std::string &Directory,
                 llvm::function_ref<void(llvm::json::OStream &)> Print) const;
};

struct CacheVerb : Verb {
  void (*Run)(CacheInvocation &I);
};

extern const CacheVerb StatsVerb;
extern const CacheVerb ListVerb;
extern const CacheVerb ExplainVerb;
extern const CacheVerb VerifyVerb;
extern const CacheVerb PruneVerb;
extern const CacheVerb PinVerb;
extern const CacheVerb UnpinVerb;
extern const CacheVerb ExportVerb;
extern const CacheVerb ImportVerb;
extern const CacheVerb PushVerb;
extern const CacheVerb DoctorVerb;

} // namespace kpack::jittool

#endif // KPACK_LIB_JITTOOL_CACHEVERB_H
