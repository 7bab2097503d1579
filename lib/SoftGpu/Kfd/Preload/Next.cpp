//===- Next.cpp - the functions that ours stand in front of ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks all of them up while the library is initialised; Next.h says why.
//
//===----------------------------------------------------------------------===//
#include "Next.h"

using namespace kpack::softgpu;

// The linker's, for a section whose name is an identifier.
extern "C" __attribute__((visibility("hidden"))) AnyNext __start_kpack_next[];
extern "C" __attribute__((visibility("hidden"))) AnyNext __stop_kpack_next[];

__attribute__((constructor)) static void findAll() {
  for (AnyNext *Each = __start_kpack_next; Each != __stop_kpack_next; ++Each)
    Each->find();
}
