//===- ReadableMemory.cpp - readable bytes at a pointer -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// rt_sigprocmask copies a new mask from the caller's memory before it checks
// its other arguments. With an invalid operation it always fails: with EFAULT
// if the memory cannot be read, else with EINVAL.
//
//===----------------------------------------------------------------------===//
#include "Runtime/ReadableMemory.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack;

/// The smallest page size of any system. Larger pages are probed more than
/// once.
static constexpr uintptr_t PageSize = 4096;

static bool isReadable(uintptr_t Page) {
  // The kernel's mask has 64 signals on every 64-bit system. We place it at the
  // end of the page, because address zero means that there is no mask.
  constexpr size_t MaskSize = 8;
  constexpr int NoOperation = ~0;
  uintptr_t Address = Page + PageSize - MaskSize;
  int Saved = errno;
  long Result =
      syscall(SYS_rt_sigprocmask, NoOperation, Address, nullptr, MaskSize);
  bool Readable = Result == 0 || errno != EFAULT;
  errno = Saved;
  return Readable;
}

std::string_view runtime::readableBytes(const void *Start, size_t Max) {
  uintptr_t Begin = reinterpret_cast<uintptr_t>(Start);
  uintptr_t Last = std::min(Max, UINTPTR_MAX - Begin) + Begin;
  uintptr_t End = Begin;
  for (uintptr_t Page = Begin & ~(PageSize - 1); End < Last && isReadable(Page);
       Page += PageSize) {
    if (Last - Page <= PageSize) {
      End = Last;
      break;
    }
    End = Page + PageSize;
  }
  return {static_cast<const char *>(Start), End - Begin};
}
