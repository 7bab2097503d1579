//===- Commands.h - subcommands with options and a function -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands of programs have this form: texts and options (Verbs.h), and
// a function that gets the parsed command line:
//
//   const Command ListCommand = {{.Name = "list", ...}, runList};
//   static const Command *const Commands[] = {&ListCommand, &ShowCommand};
//
//   int runKpack(Words, Out, Err) {
//     return runCommands(Menu, Commands, Words, Out, Err);
//   }
//
// The function reports an Error with Invocation::S, which prints the message
// and keeps the exit status.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_COMMANDS_H
#define KPACK_TOOLSUPPORT_COMMANDS_H

#include "ToolSupport/CommandOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack {

/// The command line of a command. Its options have been checked.
struct Invocation {
  Session &S;
  const CommandOptions &Options;
  const llvm::opt::InputArgList &Args;

  std::vector<std::string> operands() const { return Options.operands(); }
  bool json() const { return Options.has("json"); }
};

struct Command : Verb {
  void (*Run)(Invocation &I) = nullptr; ///< null if there is a Main
};

/// Chooses one of \p Verbs by the first word, parses the others and calls
/// \p Run with the verb's index; or prints the help, the version or an error.
/// A verb with a Main gets the other words unparsed instead, and its status is
/// returned. Returns the exit status.
int runVerbs(const VerbMenu &Menu, llvm::ArrayRef<const Verb *> Verbs,
             llvm::ArrayRef<const char *> Words, llvm::raw_ostream &Out,
             llvm::raw_ostream &Err,
             llvm::function_ref<void(size_t Chosen, Invocation &I)> Run);

/// The same for an array of pointers to a type derived from Verb. Calls \p Run
/// with an object of this type.
template <typename V, size_t Count, typename Runner>
int runCommands(const VerbMenu &Menu, const V *const (&Verbs)[Count],
                llvm::ArrayRef<const char *> Words, llvm::raw_ostream &Out,
                llvm::raw_ostream &Err, Runner Run) {
  return runVerbs(
      Menu, llvm::SmallVector<const Verb *, Count>(Verbs, Verbs + Count), Words,
      Out, Err, [&](size_t Chosen, Invocation &I) { Run(*Verbs[Chosen], I); });
}

/// The same for commands without a context.
template <size_t Count>
int runCommands(const VerbMenu &Menu, const Command *const (&Commands)[Count],
                llvm::ArrayRef<const char *> Words, llvm::raw_ostream &Out,
                llvm::raw_ostream &Err) {
  return runCommands(Menu, Commands, Words, Out, Err,
                     [](const Command &C, Invocation &I) { C.Run(I); });
}

/// Does the same for a program that is one command, with a table of options of
/// its own.
int runCommand(const Command &Program, llvm::ArrayRef<const char *> Words,
               llvm::raw_ostream &Out, llvm::raw_ostream &Err);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_COMMANDS_H
