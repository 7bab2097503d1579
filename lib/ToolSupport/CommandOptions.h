//===- ToolSupport/CommandOptions.h - one command line ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words after a command's name, parsed with the options that this command
// knows (the visibility bits of its table), with the messages and the help that
// all commands share:
//
//   CommandOptions Options(Table, "kpack", ListVerb, Words);
//   if (!Options.begin(S))
//     return;
//
// What stands after "--" is kept apart: some commands take a compile's flags
// there, others operands that look like options.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_COMMANDOPTIONS_H
#define KPACK_TOOLSUPPORT_COMMANDOPTIONS_H

#include "ToolSupport/Verbs.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

#include <string>
#include <vector>

namespace kpack {

class CommandOptions {
public:
  /// \p Of is a verb of \p Program, or itself the program where that is empty.
  /// \p Table, \p Of and \p Words must live as long as this does.
  CommandOptions(const llvm::opt::OptTable &Table, llvm::StringRef Program,
                 const Verb &Of, llvm::ArrayRef<const char *> Words);

  const llvm::opt::InputArgList &args() const { return Args; }
  /// What stands after "--".
  llvm::ArrayRef<const char *> rest() const { return Rest; }
  /// From now on that are operands, after the others.
  void takeRestAsOperands();

  /// Reports options that the command does not know, and those without their
  /// value. False when there was one.
  bool check(Session &S) const;
  bool asksForHelp() const;
  void printHelp(llvm::raw_ostream &OS) const;
  /// All three: false where a message or the help was printed instead.
  bool begin(Session &S) const;
  /// "see 'ck-jit cache list --help'".
  std::string seeHelp() const { return "see '" + Command + " --help'"; }

private:
  const llvm::opt::OptTable &Table;
  const std::string Command;
  const Verb &Of;
  llvm::ArrayRef<const char *> Rest;
  unsigned MissingIndex = 0, MissingCount = 0;
  llvm::opt::InputArgList Args;
};

/// \p Path of a command line, for who may be in another folder. None stays so.
std::string absolutePath(llvm::StringRef Path);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_COMMANDOPTIONS_H
