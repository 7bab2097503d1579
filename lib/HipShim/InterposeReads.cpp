//===- InterposeReads.cpp - lazy memory in maps and system calls ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP runtimes determine how much of an image can be read before they read it:
// from /proc/self/maps, or with a system call that reads it and fails with
// EFAULT. Neither touches lazy memory. So the C library's functions that open
// that file return a copy that lists lazy memory as readable (MapsView.h), and
// functions that pass lazy memory to a system call fill it first. Other callers
// pay for a walk over a list, and a system call for each page of names and
// vectors, which may be bad pointers; until a wrapper with magic HIPK is
// registered or a reference loaded, they do not pay even that. Sibling:
// Interpose.cpp.
//
//===----------------------------------------------------------------------===//
// Fortified headers define inline functions with the names that we define.
#undef _FORTIFY_SOURCE
#include "FaultHandler.h"
#include "MapsView.h"
#include "NextFunction.h"

#include "Runtime/ReadableMemory.h"
#include "kpack/Support/UniqueFd.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::hipshim;

namespace {

/// A function of the C library. Looked up while the library is initialised: a
/// look-up at the first call could wait for a thread that holds the dynamic
/// linker's lock.
template <typename Function> class Next {
public:
  explicit constexpr Next(const char *Name) : Name(Name) {}

  template <typename... Values> auto operator()(Values... Arguments) {
    return nextOfLibc(Known, Name)(Arguments...);
  }
  void find() { nextOfLibc(Known, Name); }

private:
  const char *Name;
  std::atomic<Function *> Known{nullptr};
};

} // namespace

static Next<int(const char *, int, ...)> NextOpen("open"), NextOpen64("open64");
static Next<int(int, const char *, int, ...)> NextOpenAt("openat"),
    NextOpenAt64("openat64");
static Next<FILE *(const char *, const char *)> NextFopen("fopen"),
    NextFopen64("fopen64");
static Next<ssize_t(int, const void *, size_t)> NextWrite("write");
static Next<ssize_t(int, const iovec *, int)> NextWritev("writev");
static Next<ssize_t(pid_t, const iovec *, unsigned long, const iovec *,
                    unsigned long, unsigned long)>
    NextReadProcess("process_vm_readv");

__attribute__((constructor)) static void findAll() {
  NextOpen.find();
  NextOpen64.find();
  NextOpenAt.find();
  NextOpenAt64.find();
  NextFopen.find();
  NextFopen64.find();
  NextWrite.find();
  NextWritev.find();
  NextReadProcess.find();
}

//===----------------------------------------------------------------------===//
// The list of mappings
//===----------------------------------------------------------------------===//

static bool isMeasured(const char *Path) {
  return lazyMemory() && isOwnMaps(Path);
}

/// Returns a copy of \p Maps, which must be at its beginning, or \p Maps itself
/// if the copy fails.
static int withLazyMemory(int Maps, int Flags) {
  int Errno = errno;
  int Copied = Maps < 0 ? -1 : copyMaps(Maps, *lazyMemory(), Flags & O_CLOEXEC);
  if (Copied < 0) {
    if (Maps >= 0)
      lseek(Maps, 0, SEEK_SET);
    errno = Errno;
    return Maps;
  }
  close(Maps);
  errno = Errno;
  return Copied;
}

static int openMaps(const char *Path, int Flags) {
  return withLazyMemory(NextOpen(Path, Flags), Flags);
}

static FILE *openMapsFile(const char *Path, const char *Mode) {
  UniqueFd Maps(
      openMaps(Path, std::strchr(Mode, 'e') ? O_RDONLY | O_CLOEXEC : O_RDONLY));
  FILE *File = Maps ? fdopen(Maps.get(), Mode) : nullptr;
  if (File)
    Maps.release();
  return File;
}

/// Returns the mode argument after the last named parameter, if the flags
/// require one.
static mode_t getMode(int Flags, va_list Rest) {
  return (Flags & O_CREAT) || (Flags & O_TMPFILE) == O_TMPFILE
             ? va_arg(Rest, mode_t)
             : 0;
}

#define KPACK_MODE(Flags)                                                      \
  va_list Rest;                                                                \
  va_start(Rest, Flags);                                                       \
  mode_t Mode = getMode(Flags, Rest);                                          \
  va_end(Rest)

extern "C" {

KPACK_INTERPOSED int open(const char *Path, int Flags, ...) {
  KPACK_MODE(Flags);
  return isMeasured(Path) ? openMaps(Path, Flags) : NextOpen(Path, Flags, Mode);
}

KPACK_INTERPOSED int open64(const char *Path, int Flags, ...) {
  KPACK_MODE(Flags);
  return isMeasured(Path) ? openMaps(Path, Flags)
                          : NextOpen64(Path, Flags, Mode);
}

KPACK_INTERPOSED int openat(int Folder, const char *Path, int Flags, ...) {
  KPACK_MODE(Flags);
  return isMeasured(Path) ? openMaps(Path, Flags)
                          : NextOpenAt(Folder, Path, Flags, Mode);
}

KPACK_INTERPOSED int openat64(int Folder, const char *Path, int Flags, ...) {
  KPACK_MODE(Flags);
  return isMeasured(Path) ? openMaps(Path, Flags)
                          : NextOpenAt64(Folder, Path, Flags, Mode);
}

KPACK_INTERPOSED FILE *fopen(const char *Path, const char *Mode) {
  return isMeasured(Path) ? openMapsFile(Path, Mode) : NextFopen(Path, Mode);
}

KPACK_INTERPOSED FILE *fopen64(const char *Path, const char *Mode) {
  return isMeasured(Path) ? openMapsFile(Path, Mode) : NextFopen64(Path, Mode);
}

//===----------------------------------------------------------------------===//
// System calls that read memory
//===----------------------------------------------------------------------===//

KPACK_INTERPOSED ssize_t write(int Fd, const void *Bytes, size_t Size) {
  fillForSystemCall(Bytes, Size);
  return NextWrite(Fd, Bytes, Size);
}

} // extern "C"

static void fillForSystemCall(const iovec *Parts, unsigned long Count) {
  constexpr unsigned long Most = 1024; // the kernel takes no more
  if (!lazyMemory() || !Parts || Count > Most)
    return;
  // Check the caller's pointer; the system call reports a bad one.
  size_t Size = Count * sizeof(iovec);
  fillForSystemCall(static_cast<const void *>(Parts), Size);
  if (runtime::readableBytes(Parts, Size).size() != Size)
    return;
  for (unsigned long I = 0; I != Count; ++I)
    fillForSystemCall(Parts[I].iov_base, Parts[I].iov_len);
}

extern "C" {

KPACK_INTERPOSED ssize_t writev(int Fd, const iovec *Parts, int Count) {
  if (Count > 0)
    fillForSystemCall(Parts, static_cast<unsigned long>(Count));
  return NextWritev(Fd, Parts, Count);
}

KPACK_INTERPOSED ssize_t process_vm_readv(pid_t Process, const iovec *Local,
                                          unsigned long LocalCount,
                                          const iovec *Remote,
                                          unsigned long RemoteCount,
                                          unsigned long Flags) noexcept {
  if (lazyMemory() && Process == getpid())
    fillForSystemCall(Remote, RemoteCount);
  return NextReadProcess(Process, Local, LocalCount, Remote, RemoteCount,
                         Flags);
}

} // extern "C"
