//===- CallerMemory.cpp - safe access to a caller's memory ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel copies between the process and itself. If a system call filter
// forbids that, we access the memory directly.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Preload/CallerMemory.h"

#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

using namespace kpack::softgpu;

using Copy = ssize_t(pid_t, const iovec *, unsigned long, const iovec *,
                     unsigned long, unsigned long);

/// Copies between our buffer and \p Caller, which may be an invalid pointer.
/// Returns 0, -EFAULT, or -ENOSYS if the system does not copy.
static int copy(Copy *Function, void *Own, void *Caller, size_t Size) {
  for (size_t Done = 0; Done != Size;) {
    iovec Here{static_cast<char *>(Own) + Done, Size - Done};
    iovec There{static_cast<char *>(Caller) + Done, Size - Done};
    ssize_t Copied = Function(::getpid(), &Here, 1, &There, 1, 0);
    if (Copied < 0 && (errno == ENOSYS || errno == EPERM))
      return -ENOSYS;
    if (Copied <= 0)
      return -EFAULT;
    Done += size_t(Copied);
  }
  return 0;
}

static void *pointer(uint64_t Address) {
  return reinterpret_cast<void *>(Address);
}

int kpack::softgpu::copyIn(void *Target, uint64_t Source, size_t Size) {
  int Result = copy(::process_vm_readv, Target, pointer(Source), Size);
  if (Result != -ENOSYS)
    return Result;
  std::memcpy(Target, pointer(Source), Size);
  return 0;
}

int kpack::softgpu::copyOut(uint64_t Target, const void *Source, size_t Size) {
  int Result = copy(::process_vm_writev, const_cast<void *>(Source),
                    pointer(Target), Size);
  if (Result != -ENOSYS)
    return Result;
  std::memcpy(pointer(Target), Source, Size);
  return 0;
}
