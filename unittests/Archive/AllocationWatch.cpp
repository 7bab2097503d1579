//===- AllocationWatch.cpp - record of the largest allocation -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header. The counters are global because malloc is.
//
//===----------------------------------------------------------------------===//

#include "AllocationWatch.h"

#include <atomic>

static std::atomic<size_t> Largest;
static std::atomic<size_t> Large;

static void note(size_t Size) {
  if (Size >= size_t(64) << 20)
    ++Large;
  size_t Old = Largest;
  while (Size > Old && !Largest.compare_exchange_weak(Old, Size))
    ;
}

void kpack::test::resetLargestAllocation() { Largest = Large = 0; }
size_t kpack::test::largestAllocation() { return Largest; }
size_t kpack::test::largeAllocations() { return Large; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KPACK_SANITIZER_ALLOCATOR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KPACK_SANITIZER_ALLOCATOR
#endif
#endif

#ifdef KPACK_SANITIZER_ALLOCATOR

#include <sanitizer/allocator_interface.h>

static int Installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void *, size_t Size) { note(Size); },
    [](const volatile void *) {});

#else

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

__attribute__((visibility("default"))) void *malloc(size_t Size) {
  note(Size);
  return __libc_malloc(Size);
}
__attribute__((visibility("default"))) void *calloc(size_t N, size_t Size) {
  note(N * Size);
  return __libc_calloc(N, Size);
}
__attribute__((visibility("default"))) void *realloc(void *Old, size_t Size) {
  note(Size);
  return __libc_realloc(Old, Size);
}
}

#endif
