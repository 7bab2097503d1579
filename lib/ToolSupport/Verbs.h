//===- ToolSupport/Verbs.h - programs with verbs ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What "kpack list" and "ck-jit cache list" have in common: the first word
// chooses one of a table of verbs, or asks for the table itself. A program
// derives from Verb what its verbs are run with:
//
//   struct Command : Verb { void (*Run)(Session &S); };
//   if (std::optional<size_t> Chosen = chooseVerb(S, Menu, Commands, Words))
//     Commands[*Chosen].Run(S);
//
// The words after the verb: CommandOptions.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_VERBS_H
#define KPACK_TOOLSUPPORT_VERBS_H

#include "ToolSupport/Session.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <type_traits>

namespace kpack {

/// The texts of a verb, or of a program without verbs.
struct Verb {
  const char *Name;
  /// What stands after "[options]" in the usage line.
  const char *Operands = "";
  /// One line for the program's help; null: it is not listed there.
  const char *Summary = nullptr;
  /// What it does (empty: its summary), and examples, for its own help.
  const char *Overview = "";
  const char *Examples = "";
  /// Which options it knows: bits of the option table.
  unsigned Known = 1;
};

/// What a program says where no verb does.
struct VerbMenu {
  const char *Program; ///< as users type it, "ck-jit cache"
  const char *Head;    ///< of its help, in front of the list of verbs
  const char *Tail;    ///< and after it
  const char *NoneGiven = "no command given";
  const char *NotOne = "no such command";
  /// How a wrong verb is mended; empty: what it may have been meant for, or
  /// where the verbs are listed.
  const char *Advice = "";
  const char *Version = ""; ///< for --version; empty: that is no verb
};

/// The index of the verb that \p Words begin with. Nothing: the help or the
/// version was asked for and is printed, or an error is.
std::optional<size_t> chooseVerb(Session &S, const VerbMenu &Menu,
                                 llvm::ArrayRef<const Verb *> Verbs,
                                 llvm::ArrayRef<const char *> Words);

/// The same for a table of what a program derives from Verb, or of pointers to
/// such.
template <typename V, size_t Count>
std::optional<size_t> chooseVerb(Session &S, const VerbMenu &Menu,
                                 const V (&Verbs)[Count],
                                 llvm::ArrayRef<const char *> Words) {
  llvm::SmallVector<const Verb *, Count> All;
  for (const V &One : Verbs)
    if constexpr (std::is_pointer_v<V>)
      All.push_back(One);
    else
      All.push_back(&One);
  return chooseVerb(S, Menu, llvm::ArrayRef(All), Words);
}

/// What a word that begins with '@' is.
enum class AtWords {
  ResponseFile, ///< the words in that file
  Word,         ///< the program's business
};

/// main() of a program with verbs: LLVM's setup, response files, what is said
/// in a crash, and that all output was written. \p Run gets the words after
/// the program's name.
int runTool(llvm::StringRef Program, int Argc, char **Argv,
            int (*Run)(llvm::ArrayRef<const char *> Words,
                       llvm::raw_ostream &Out, llvm::raw_ostream &Err),
            AtWords At = AtWords::ResponseFile);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_VERBS_H
