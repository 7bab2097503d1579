//===- Descriptors.cpp - the C library's functions on device files --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forwards requests and mappings of a device file to the driver, and keeps
// track of copies of its descriptor. mmap() and munmap() are direct system
// calls here, because allocators call them before the dynamic linker can look
// up the C library's functions.
//
//===----------------------------------------------------------------------===//
#include "Limits.h"
#include "Next.h"
#include "Redirect.h"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack::softgpu;

namespace {

/// Disables cancellation: a thread cancelled in the driver would leave its
/// locks locked.
class Uncancelled {
public:
  Uncancelled() { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &Before); }
  ~Uncancelled() { ::pthread_setcancelstate(Before, nullptr); }

private:
  int Before = 0;
};

} // namespace

static int answer(int Problem) {
  if (Problem >= 0)
    return Problem;
  errno = -Problem;
  return -1;
}

KPACK_EXPORT int ioctl(int Fd, unsigned long Request, ...) noexcept {
  va_list Rest;
  va_start(Rest, Request);
  void *Arguments = va_arg(Rest, void *);
  va_end(Rest);
  // Other requests, such as FIOCLEX, concern the descriptor.
  bool IsDrivers = _IOC_TYPE(Request) == 'K' || _IOC_TYPE(Request) == 'd';
  if (DeviceKind Kind = IsDrivers ? kindOf(Fd) : NoDevice) {
    Uncancelled Guard;
    int Result = emulator()->Request(Kind, Request, Arguments);
    explainLimit(-Result);
    return answer(Result);
  }
  KPACK_NEXT Next<int(int, unsigned long, ...)> Real("ioctl");
  return Real(Fd, Request, Arguments);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *systemMap(void *Address, size_t Size, int Protection, int Flags,
                       int Fd, off_t Offset) {
  return reinterpret_cast<void *>(
      ::syscall(SYS_mmap, Address, Size, Protection, Flags, Fd, Offset));
}

static void *mapDevice(DeviceKind Kind, void *Wanted, size_t Size, int Flags,
                       off_t Offset) {
  Uncancelled Guard;
  auto Address = reinterpret_cast<uint64_t>(Wanted);
  int Problem = emulator()->Map(Kind, uint64_t(Offset), Size, Flags, &Address);
  if (!Problem)
    return reinterpret_cast<void *>(Address);
  explainLimit(-Problem);
  errno = -Problem;
  return MAP_FAILED;
}

KPACK_EXPORT void *mmap(void *Address, size_t Size, int Protection, int Flags,
                        int Fd, off_t Offset) noexcept {
  if (DeviceKind Kind = kindOf(Fd))
    return mapDevice(Kind, Address, Size, Flags, Offset);
  const EmulatorTable *Driver = loadedEmulator();
  if (Driver && (Flags & MAP_FIXED))
    Driver->Replace(reinterpret_cast<uint64_t>(Address), Size);
  void *Mapped = systemMap(Address, Size, Protection, Flags, Fd, Offset);
  if (Mapped == MAP_FAILED && Driver)
    explainLimit(errno);
  return Mapped;
}

KPACK_EXPORT void *mmap64(void *Address, size_t Size, int Protection, int Flags,
                          int Fd, off64_t Offset) noexcept {
  return mmap(Address, Size, Protection, Flags, Fd, Offset);
}

KPACK_EXPORT int munmap(void *Address, size_t Size) noexcept {
  const EmulatorTable *Driver = loadedEmulator();
  if (Driver && Driver->Unmap(reinterpret_cast<uint64_t>(Address), Size))
    return 0;
  return int(::syscall(SYS_munmap, Address, Size));
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Gives \p Copy, a duplicate of \p Fd or negative, the kind of \p Fd.
static int copied(int Fd, int Copy) {
  if (DeviceKind Kind = kindOf(Fd))
    setKind(Copy, Kind);
  return Copy;
}

KPACK_EXPORT int dup(int Fd) noexcept {
  KPACK_NEXT Next<int(int)> Real("dup");
  return copied(Fd, Real(Fd));
}

KPACK_EXPORT int dup2(int Fd, int Wanted) noexcept {
  KPACK_NEXT Next<int(int, int)> Real("dup2");
  return copied(Fd, Real(Fd, Wanted));
}

KPACK_EXPORT int dup3(int Fd, int Wanted, int Flags) noexcept {
  KPACK_NEXT Next<int(int, int, int)> Real("dup3");
  return copied(Fd, Real(Fd, Wanted, Flags));
}

static int control(Next<int(int, int, ...)> &Real, int Fd, int Command,
                   va_list Rest) {
  // All types of arguments are passed in the same way on x86-64.
  int Result = Real(Fd, Command, va_arg(Rest, void *));
  return Command == F_DUPFD || Command == F_DUPFD_CLOEXEC ? copied(Fd, Result)
                                                          : Result;
}

KPACK_EXPORT int fcntl(int Fd, int Command, ...) {
  KPACK_NEXT Next<int(int, int, ...)> Real("fcntl");
  va_list Rest;
  va_start(Rest, Command);
  int Result = control(Real, Fd, Command, Rest);
  va_end(Rest);
  return Result;
}

KPACK_EXPORT int fcntl64(int Fd, int Command, ...) {
  KPACK_NEXT Next<int(int, int, ...)> Real("fcntl64");
  va_list Rest;
  va_start(Rest, Command);
  int Result = control(Real, Fd, Command, Rest);
  va_end(Rest);
  return Result;
}
