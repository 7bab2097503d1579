//===- conv-builder.cpp - main(): convolutions by descriptors -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main() of `conv-builder`. lib/ConvBuilder/Tool implements it; start reading
// in Tool.cpp. A word that begins with '@' names a file with a value.
//
//===----------------------------------------------------------------------===//
#include "ConvBuilder/Tool/ConvTool.h"
#include "ToolSupport/Verbs.h"

int main(int Argc, char **Argv) {
  return kpack::runTool("conv-builder", Argc, Argv, kpack::conv::runConvBuilder,
                        kpack::AtWords::Word);
}
