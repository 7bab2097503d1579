//===- Next.cpp - look-up of the replaced functions -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks up all functions while the library is initialised; see Next.h.
//
//===----------------------------------------------------------------------===//
#include "Next.h"

using namespace kpack::softgpu;

// The linker defines these for a section whose name is an identifier.
extern "C" __attribute__((visibility("hidden"))) AnyNext __start_kpack_next[];
extern "C" __attribute__((visibility("hidden"))) AnyNext __stop_kpack_next[];

__attribute__((constructor)) static void findAll() {
  for (AnyNext *Each = __start_kpack_next; Each != __stop_kpack_next; ++Each)
    Each->find();
}
