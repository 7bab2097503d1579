//===- Verbs.h - main() and help of subcommand programs ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The texts of programs and their verbs, such as "kpack list" and "ck-jit cache
// list", and main() of such programs. The functions of Commands.h run a verb.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_VERBS_H
#define KPACK_TOOLSUPPORT_VERBS_H

#include "ToolSupport/Session.h"
#include "llvm/ADT/ArrayRef.h"

#include <utility>

namespace llvm::opt {
class OptTable;
}

namespace kpack {

/// The texts and options of a verb, or of a program without verbs.
struct Verb {
  const char *Name;
  /// The text after "[options]" in the usage line.
  const char *Operands = "";
  /// One line for the program's help; null: not listed there.
  const char *Summary = nullptr;
  /// A description (empty: the summary) and examples, for the verb's help.
  const char *Overview = "";
  const char *Examples = "";
  /// The options of the verb, as bits of the option table.
  unsigned Known = 1;
  /// True if the words after "--" are no operands, but CommandOptions::rest().
  bool KeepsRest = false;
  /// The exit status after an error; 0: that of the menu.
  int ErrorStatus = 0;
  /// Several if messages of compilers are passed on.
  Session::Lines Messages = Session::Lines::One;
  /// The option table; null: that of the menu.
  const llvm::opt::OptTable &(*Options)() = nullptr;
  /// Gets all words after the name; set for a menu of further verbs.
  int (*Main)(llvm::ArrayRef<const char *> Words, llvm::raw_ostream &Out,
              llvm::raw_ostream &Err) = nullptr;
};

/// The texts of a program with verbs, or of a verb with verbs.
struct VerbMenu {
  const char *Program; ///< as users type it, "ck-jit cache"
  const char *Head;    ///< of the help, before the list of verbs
  const char *Tail;    ///< of the help, after the list
  const char *NoneGiven = "no command given";
  const char *NotOne = "no such command";
  /// The advice for a wrong verb; empty: a similar verb, or the place of the
  /// list.
  const char *Advice = "";
  const char *Version = ""; ///< for --version; empty: not supported
  /// The option table of verbs that have none of their own.
  const llvm::opt::OptTable &(*Options)() = nullptr;
  /// The exit status after an error.
  int ErrorStatus = 1;
  /// Of the menu itself, such as for a wrong verb.
  Session::Lines Messages = Session::Lines::One;
  /// Pairs of a word of the program's name and help texts, and its replacement,
  /// for a menu that serves several programs.
  llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> Names = {};
};

/// The meaning of a word that begins with '@'.
enum class AtWords {
  ResponseFile, ///< replaced by the words in that file
  Word,         ///< passed to the program
};

/// Implements main() of a program with verbs: LLVM's setup, response files, the
/// message for a crash, and the check that all output was written. \p Run gets
/// the words after the program's name.
int runTool(llvm::StringRef Program, int Argc, char **Argv,
            int (*Run)(llvm::ArrayRef<const char *> Args,
                       llvm::raw_ostream &Out, llvm::raw_ostream &Err),
            AtWords Syntax = AtWords::ResponseFile);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_VERBS_H
