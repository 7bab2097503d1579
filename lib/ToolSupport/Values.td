//===- Values.td - options with a value -----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Users write "--name=value" or "--name value"; help shows the first form, and
// the second one is its alias:
//
//   defm sort : Value<"sort", "<column>", "Order, largest first">;
//   I.Args.getLastArgValue(OPT_sort_EQ)
//
// Include it after llvm/Option/OptParser.td.
//
//===----------------------------------------------------------------------===//

multiclass Value<string Name, string Placeholder, string Help> {
  def _EQ : Joined<["--"], Name # "=">, MetaVarName<Placeholder>,
      HelpText<Help>;
  def "" : Separate<["--"], Name>, Alias<!cast<Option>(NAME # "_EQ")>;
}
