//===- Options.td - options of CommandsTest.cpp ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
include "llvm/Option/OptParser.td"
include "ToolSupport/Values.td"

def ShowOption : OptionVisibility;
def LateOption : OptionVisibility;

let Visibility = [ShowOption, LateOption] in {
def help : Flag<["--"], "help">, HelpText<"Print this help">;
def help_h : Flag<["-"], "h">, Alias<help>;
}

let Visibility = [ShowOption] in {
def json : Flag<["--"], "json">, HelpText<"Print JSON">;
defm sort : Value<"sort", "<column>", "Order">;
}
