//===- main.cpp - main() of the helper for remote caches ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process that talks to a shared cache on another machine for libraries of
// this project. Not for users.
//
//===----------------------------------------------------------------------===//
#include "Jit/Remote/RemoteHelper.h"

#include <cstdio>
#include <cstring>

int main(int Argc, char **Argv) {
  if (Argc == 2 && std::strcmp(Argv[1], "--version") == 0)
    return std::puts("kpack-jit-remote " KPACK_VERSION) < 0;
  return kpack::jit::remoteHelperMain();
}
