//===- main.cpp - kpack-jit-compile ---------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process in which libraries of this project have something compiled while
// a program runs. Not run by people.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/CompileHelper.h"

int main() { return kpack::jit::compileHelperMain(); }
