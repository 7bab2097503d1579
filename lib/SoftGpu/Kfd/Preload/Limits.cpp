//===- Limits.cpp - messages about limits of the process ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Limits.h. May run inside an allocator that maps memory.
//
//===----------------------------------------------------------------------===//
#include "Limits.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace kpack::softgpu;

static long readNumber(const char *Path) {
  char Text[32] = {};
  int File = ::open(Path, O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return 0;
  ssize_t Size = ::read(File, Text, sizeof(Text) - 1);
  ::close(File);
  return Size > 0 ? std::strtol(Text, nullptr, 10) : 0;
}

/// Returns the number of this process's mappings, or 0 on failure.
static long countMappings() {
  char Piece[4096];
  int File = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return 0;
  long Lines = 0;
  for (ssize_t Size; (Size = ::read(File, Piece, sizeof(Piece))) > 0;)
    Lines += std::count(Piece, Piece + Size, '\n');
  ::close(File);
  return Lines;
}

static void sayOnce(std::atomic<bool> &Said, const char *Format, long Limit) {
  char Text[256];
  if (Said.exchange(true))
    return;
  int Size = std::snprintf(Text, sizeof(Text), Format, Limit);
  if (::write(STDERR_FILENO, Text, size_t(Size)) < 0)
    return; // stderr is closed
}

static void explainMappings() {
  static std::atomic<bool> Said{false};
  // Counting is slow, and a program may run out of memory many times.
  static std::atomic<unsigned> Counted{0};
  constexpr unsigned MostCounted = 4;
  if (Said || Counted.fetch_add(1) >= MostCounted)
    return;
  long Most = readNumber("/proc/sys/vm/max_map_count");
  // A mapping in the middle of another one splits it and so adds two.
  if (Most && countMappings() + 3 > Most)
    sayOnce(Said,
            "kpack-run: error: GPU memory: this process has all %ld mappings "
            "that it may have, one or two for each allocation; allocate less "
            "often, or raise the limit (sysctl vm.max_map_count)\n",
            Most);
}

static void explainFiles() {
  static std::atomic<bool> Said{false};
  sayOnce(Said,
          "kpack-run: error: GPU memory: this process has all %ld open files "
          "that it may have, one for each large allocation; allocate less, or "
          "raise the limit (ulimit -n)\n",
          ::sysconf(_SC_OPEN_MAX));
}

void kpack::softgpu::explainLimit(int Error) {
  int Before = errno;
  if (Error == ENOMEM)
    explainMappings();
  else if (Error == EMFILE)
    explainFiles();
  errno = Before;
}
