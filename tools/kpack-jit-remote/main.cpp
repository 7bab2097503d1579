//===- main.cpp - kpack-jit-remote ----------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process in which libraries of this project talk to a cache that machines
// share. Not run by people.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/RemoteHelper.h"

int main() { return kpack::jit::remoteHelperMain(); }
