//===- Command.h - what a verb of ck-jit cache is made of -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A verb is its texts and one function, as a command of kpack is
// (lib/Tool/Command.h). Which verb knows which option: Options.td. Texts speak
// of ck-jit; help has the names of another front door in their place. Messages
// are made with the front door's names, as there are names of users in them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_COMMAND_H
#define KPACK_LIB_JITTOOL_COMMAND_H

#include "JitTool/FrontDoor.h"
#include "ToolSupport/CommandOptions.h"
#include "llvm/Support/JSON.h"

namespace kpack::jittool {

/// The bits of Options.td.
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

/// One command line of a verb.
struct Invocation {
  Session &S;
  const FrontDoor &Door;
  const CommandOptions &Options;
  const llvm::opt::InputArgList &Args;
  /// What stands after "--", of verbs that take a compile's flags.
  std::vector<std::string> Flags;

  std::vector<std::string> operands() const {
    return Args.getAllArgValues(OPT_INPUT);
  }
  /// Without a name, which is no option.
  CompileWords compileWords() const;
  bool json() const { return Args.hasArg(OPT_json); }
  /// An object whose schema is "ck-jit.cache.<Name>/1", and a new line.
  void printJson(llvm::StringRef Name, const std::string &Directory,
                 llvm::function_ref<void(llvm::json::OStream &)> Print) const;
};

struct CacheVerb : Verb {
  void (*Run)(Invocation &I);
  /// "--" begins a compile's flags; else operands that look like options.
  bool TakesFlags = false;
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

#endif // KPACK_LIB_JITTOOL_COMMAND_H
