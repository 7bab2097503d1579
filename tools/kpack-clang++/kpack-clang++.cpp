//===- kpack-clang++.cpp - main() of the compiler driver ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// main() of kpack-clang++. lib/Driver implements it.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"

int main(int Argc, char **Argv) {
  return kpack::driver::runDriver({Argv, size_t(Argc)});
}
