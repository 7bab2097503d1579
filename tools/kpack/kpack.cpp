//===- kpack.cpp - main(): inspection of kpack archives -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main() of `kpack`. lib/Tool implements it; start reading in Tool.cpp.
//
//===----------------------------------------------------------------------===//
#include "Tool/Tool.h"
#include "ToolSupport/Verbs.h"

int main(int Argc, char **Argv) {
  return kpack::runTool("kpack", Argc, Argv, kpack::tool::runKpack);
}
