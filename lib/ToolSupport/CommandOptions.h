//===- CommandOptions.h - parsed options of a command -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the words after a command's name with the options of that command (the
// visibility bits of its table). Messages and help are shared by all commands.
// runCommands() and runCommand() (Commands.h) make the object that a command
// gets; kpack-run makes its own.
//
// Words after "--" are separate: some commands take a compile's flags there,
// others operands that look like options.
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
  /// \p Chosen is a verb of \p Program, or the program itself if that is empty.
  /// \p Table, \p Chosen and \p CommandLine must outlive the object.
  CommandOptions(const llvm::opt::OptTable &Table, llvm::StringRef Program,
                 const Verb &Chosen, llvm::ArrayRef<const char *> CommandLine);

  const llvm::opt::InputArgList &args() const { return Args; }
  /// The words after "--".
  llvm::ArrayRef<const char *> rest() const { return Rest; }
  /// Appends the words after "--" to the operands.
  void takeRestAsOperands();
  std::vector<std::string> operands() const;

  /// Reports options that the command does not know or that lack their value.
  /// Returns false if there was one.
  bool check(Session &S) const;
  /// True if the option \p Name (without dashes), or an alias of it, is given.
  bool has(llvm::StringRef Name) const;
  bool asksForHelp() const { return has("help"); }
  void printHelp(llvm::raw_ostream &OS) const;
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

/// Makes \p Path of a command line absolute, for users in another folder; an
/// empty path stays empty.
std::string absolutePath(llvm::StringRef Path);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_COMMANDOPTIONS_H
