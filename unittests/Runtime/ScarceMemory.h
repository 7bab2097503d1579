//===- ScarceMemory.h - operator new that fails on demand -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces operator new of a test program, one of whose files includes this.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_RUNTIME_SCARCEMEMORY_H
#define KPACK_UNITTESTS_RUNTIME_SCARCEMEMORY_H

#include <cstddef>
#include <cstdlib>
#include <new>

/// Allocations until the one that fails; negative: none does.
static thread_local int Countdown = -1;

void *operator new(size_t Size, const std::nothrow_t &) noexcept {
  if (Countdown >= 0 && Countdown-- == 0)
    return nullptr;
  return std::malloc(Size ? Size : 1);
}
void *operator new(size_t Size) {
  if (void *P = operator new(Size, std::nothrow))
    return P;
  throw std::bad_alloc();
}
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 does not see that operator new is replaced as well.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void operator delete(void *P) noexcept { std::free(P); }
void operator delete(void *P, size_t) noexcept { std::free(P); }

#endif // KPACK_UNITTESTS_RUNTIME_SCARCEMEMORY_H
