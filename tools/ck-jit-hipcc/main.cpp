//===- main.cpp - main() of the drop-in compiler --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler of builds that `ck-jit build` records.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Intercept/Intercept.h"

int main(int Argc, char **Argv) {
  return kpack::ckjit::interceptMain(Argc, Argv);
}
