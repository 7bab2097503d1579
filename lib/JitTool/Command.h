//===- Command.h - what a verb of ck-jit cache is made of -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A verb is its texts and one function, as a command of kpack is
// (lib/Tool/Command.h). Which verb knows which option: Options.td.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITTOOL_COMMAND_H
#define KPACK_LIB_JITTOOL_COMMAND_H

#include "kpack/CkJit/Runtime/Settings.h"
#include "kpack/ToolSupport/Session.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

namespace kpack::ckjit {

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

enum OptionId : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "JitToolOptions.inc"
#undef OPTION
};

/// One command line of a verb.
struct Invocation {
  Session &S;
  const llvm::opt::InputArgList &Args;
  const Settings Env; ///< what the environment says to libckjit
  /// What stands behind "--", of verbs that take a compile's flags.
  std::vector<std::string> Flags;

  std::vector<std::string> operands() const {
    return Args.getAllArgValues(OPT_INPUT);
  }
  bool json() const { return Args.hasArg(OPT_json); }
};

struct Verb {
  const char *Name;
  /// What stands after the name in the usage line.
  const char *Operands;
  /// One line for `ck-jit cache --help`.
  const char *Summary;
  /// What it does and one or two examples, for `ck-jit cache NAME --help`.
  const char *Overview;
  const char *Examples;
  OptionVisibility Visibility;
  void (*Run)(Invocation &I);
  /// "--" begins a compile's flags; else operands that look like options.
  bool TakesFlags = false;
};

extern const Verb StatsVerb;
extern const Verb ListVerb;
extern const Verb ExplainVerb;
extern const Verb VerifyVerb;
extern const Verb PruneVerb;
extern const Verb PinVerb;
extern const Verb UnpinVerb;
extern const Verb ExportVerb;
extern const Verb ImportVerb;
extern const Verb PushVerb;
extern const Verb DoctorVerb;

} // namespace kpack::ckjit

#endif // KPACK_LIB_JITTOOL_COMMAND_H
