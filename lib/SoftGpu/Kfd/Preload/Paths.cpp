//===- Paths.cpp - the C library's functions that take a path -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function forwards its arguments to the C library, with the driver's
// paths redirected (Redirect.h). The 64-bit names are separate functions in the
// C library. Programs call the names with "__" if they were built with checks
// (_FORTIFY_SOURCE) or against a C library older than 2.33.
//
//===----------------------------------------------------------------------===//
// The header's checks are inline functions with the names that we define.
#undef _FORTIFY_SOURCE
#include "Next.h"
#include "Redirect.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack::softgpu;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

using OpenFunction = int(const char *, int, ...);
using OpenAtFunction = int(int, const char *, int, ...);

KPACK_NEXT Next<OpenFunction> NextOpen("open"), NextOpen64("open64");
KPACK_NEXT Next<OpenAtFunction> NextOpenAt("openat"), NextOpenAt64("openat64");

static PathUse getUse(int Flags) {
  return (Flags & O_ACCMODE) != O_RDONLY || (Flags & O_CREAT) ? PathUse::Written
                                                              : PathUse::Read;
}

static PathUse getUse(const char *Mode) {
  return *Mode != 'r' || std::strchr(Mode, '+') ? PathUse::Written
                                                : PathUse::Read;
}

/// Returns the use of a path by a function with the flags of fstatat().
static PathUse useAt(int Flags) {
  return Flags & AT_SYMLINK_NOFOLLOW ? PathUse::Link : PathUse::Read;
}

static int openPath(Next<OpenFunction> &Real, const char *Path, int Flags,
                    mode_t Mode) {
  if (DeviceKind Kind = getDevice(AT_FDCWD, Path))
    return openDevice(Kind, Flags);
  return Real(RedirectedPath(Path, getUse(Flags)), Flags, Mode);
}

static int openPathAt(Next<OpenAtFunction> &Real, int Folder, const char *Path,
                      int Flags, mode_t Mode) {
  if (DeviceKind Kind = getDevice(Folder, Path))
    return openDevice(Kind, Flags);
  return Real(Folder, RedirectedPath(Path, getUse(Flags)), Flags, Mode);
}

/// Returns the permissions after the last named parameter, if there are any.
static mode_t getMode(int Flags, va_list Rest) {
  return (Flags & O_CREAT) || (Flags & O_TMPFILE) == O_TMPFILE
             ? va_arg(Rest, mode_t)
             : 0;
}

KPACK_EXPORT int open(const char *Path, int Flags, ...) {
  va_list Rest;
  va_start(Rest, Flags);
  mode_t Mode = getMode(Flags, Rest);
  va_end(Rest);
  return openPath(NextOpen, Path, Flags, Mode);
}

KPACK_EXPORT int open64(const char *Path, int Flags, ...) {
  va_list Rest;
  va_start(Rest, Flags);
  mode_t Mode = getMode(Flags, Rest);
  va_end(Rest);
  return openPath(NextOpen64, Path, Flags, Mode);
}

KPACK_EXPORT int openat(int Folder, const char *Path, int Flags, ...) {
  va_list Rest;
  va_start(Rest, Flags);
  mode_t Mode = getMode(Flags, Rest);
  va_end(Rest);
  return openPathAt(NextOpenAt, Folder, Path, Flags, Mode);
}

KPACK_EXPORT int openat64(int Folder, const char *Path, int Flags, ...) {
  va_list Rest;
  va_start(Rest, Flags);
  mode_t Mode = getMode(Flags, Rest);
  va_end(Rest);
  return openPathAt(NextOpenAt64, Folder, Path, Flags, Mode);
}

KPACK_EXPORT int __open_2(const char *Path, int Flags) {
  return openPath(NextOpen, Path, Flags, 0);
}

KPACK_EXPORT int __open64_2(const char *Path, int Flags) {
  return openPath(NextOpen64, Path, Flags, 0);
}

KPACK_EXPORT int __openat_2(int Folder, const char *Path, int Flags) {
  return openPathAt(NextOpenAt, Folder, Path, Flags, 0);
}

KPACK_EXPORT int __openat64_2(int Folder, const char *Path, int Flags) {
  return openPathAt(NextOpenAt64, Folder, Path, Flags, 0);
}

KPACK_EXPORT FILE *fopen(const char *Path, const char *Mode) {
  KPACK_NEXT Next<FILE *(const char *, const char *)> Real("fopen");
  return Real(RedirectedPath(Path, getUse(Mode)), Mode);
}

KPACK_EXPORT FILE *fopen64(const char *Path, const char *Mode) {
  KPACK_NEXT Next<FILE *(const char *, const char *)> Real("fopen64");
  return Real(RedirectedPath(Path, getUse(Mode)), Mode);
}

KPACK_EXPORT DIR *opendir(const char *Path) {
  KPACK_NEXT Next<DIR *(const char *)> Real("opendir");
  return Real(RedirectedPath(Path));
}

KPACK_EXPORT int chdir(const char *Path) noexcept {
  KPACK_NEXT Next<int(const char *)> Real("chdir");
  return Real(RedirectedPath(Path));
}

//===----------------------------------------------------------------------===//
// Status
//===----------------------------------------------------------------------===//

KPACK_EXPORT int stat(const char *Path, struct stat *Result) {
  KPACK_NEXT Next<int(const char *, struct stat *)> Real("stat");
  return Real(RedirectedPath(Path), Result);
}

KPACK_EXPORT int stat64(const char *Path, struct stat64 *Result) {
  KPACK_NEXT Next<int(const char *, struct stat64 *)> Real("stat64");
  return Real(RedirectedPath(Path), Result);
}

KPACK_EXPORT int lstat(const char *Path, struct stat *Result) {
  KPACK_NEXT Next<int(const char *, struct stat *)> Real("lstat");
  return Real(RedirectedPath(Path, PathUse::Link), Result);
}

KPACK_EXPORT int lstat64(const char *Path, struct stat64 *Result) {
  KPACK_NEXT Next<int(const char *, struct stat64 *)> Real("lstat64");
  return Real(RedirectedPath(Path, PathUse::Link), Result);
}

KPACK_EXPORT int fstatat(int Folder, const char *Path, struct stat *Result,
                         int Flags) {
  KPACK_NEXT Next<int(int, const char *, struct stat *, int)> Real("fstatat");
  return Real(Folder, RedirectedPath(Path, useAt(Flags)), Result, Flags);
}

KPACK_EXPORT int fstatat64(int Folder, const char *Path, struct stat64 *Result,
                           int Flags) {
  KPACK_NEXT Next<int(int, const char *, struct stat64 *, int)> Real(
      "fstatat64");
  return Real(Folder, RedirectedPath(Path, useAt(Flags)), Result, Flags);
}

KPACK_EXPORT int statx(int Folder, const char *Path, int Flags, unsigned Fields,
                       struct statx *Result) {
  KPACK_NEXT Next<int(int, const char *, int, unsigned, struct statx *)> Real(
      "statx");
  return Real(Folder, RedirectedPath(Path, useAt(Flags)), Flags, Fields,
              Result);
}

KPACK_EXPORT int __xstat(int Version, const char *Path, struct stat *Result) {
  KPACK_NEXT Next<int(int, const char *, struct stat *)> Real("__xstat");
  return Real(Version, RedirectedPath(Path), Result);
}

KPACK_EXPORT int __xstat64(int Version, const char *Path,
                           struct stat64 *Result) {
  KPACK_NEXT Next<int(int, const char *, struct stat64 *)> Real("__xstat64");
  return Real(Version, RedirectedPath(Path), Result);
}

KPACK_EXPORT int __lxstat(int Version, const char *Path, struct stat *Result) {
  KPACK_NEXT Next<int(int, const char *, struct stat *)> Real("__lxstat");
  return Real(Version, RedirectedPath(Path, PathUse::Link), Result);
}

KPACK_EXPORT int access(const char *Path, int Mode) {
  KPACK_NEXT Next<int(const char *, int)> Real("access");
  return Real(RedirectedPath(Path), Mode);
}

KPACK_EXPORT int faccessat(int Folder, const char *Path, int Mode, int Flags) {
  KPACK_NEXT Next<int(int, const char *, int, int)> Real("faccessat");
  return Real(Folder, RedirectedPath(Path), Mode, Flags);
}

/// Copies a link's text as readlink() does.
static ssize_t copyLink(const char *Text, char *Buffer, size_t Size) {
  size_t Length = std::min(std::strlen(Text), Size);
  std::memcpy(Buffer, Text, Length);
  return ssize_t(Length);
}

KPACK_EXPORT ssize_t readlink(const char *Path, char *Buffer, size_t Size) {
  if (const char *Program = programAt(Path))
    return copyLink(Program, Buffer, Size);
  KPACK_NEXT Next<ssize_t(const char *, char *, size_t)> Real("readlink");
  return Real(RedirectedPath(Path, PathUse::Link), Buffer, Size);
}

KPACK_EXPORT ssize_t readlinkat(int Folder, const char *Path, char *Buffer,
                                size_t Size) {
  if (const char *Program = programAt(Path))
    return copyLink(Program, Buffer, Size);
  KPACK_NEXT Next<ssize_t(int, const char *, char *, size_t)> Real(
      "readlinkat");
  return Real(Folder, RedirectedPath(Path, PathUse::Link), Buffer, Size);
}

KPACK_EXPORT ssize_t __readlink_chk(const char *Path, char *Buffer, size_t Size,
                                    size_t BufferSize) {
  if (const char *Program = programAt(Path))
    return copyLink(Program, Buffer, Size);
  KPACK_NEXT Next<ssize_t(const char *, char *, size_t, size_t)> Real(
      "__readlink_chk");
  return Real(RedirectedPath(Path, PathUse::Link), Buffer, Size, BufferSize);
}

KPACK_EXPORT char *__realpath_chk(const char *Path, char *Buffer,
                                  size_t BufferSize) {
  KPACK_NEXT Next<char *(const char *, char *, size_t)> Real("__realpath_chk");
  return Real(RedirectedPath(Path), Buffer, BufferSize);
}

KPACK_EXPORT char *realpath(const char *Path, char *Buffer) {
  KPACK_NEXT Next<char *(const char *, char *)> Real("realpath");
  return Real(RedirectedPath(Path), Buffer);
}

KPACK_EXPORT int scandir(const char *Path, struct dirent ***Names,
                         int (*Wanted)(const struct dirent *),
                         int (*Order)(const struct dirent **,
                                      const struct dirent **)) {
  KPACK_NEXT
  Next<int(const char *, struct dirent ***, int (*)(const struct dirent *),
           int (*)(const struct dirent **, const struct dirent **))>
      Real("scandir");
  return Real(RedirectedPath(Path), Names, Wanted, Order);
}

KPACK_EXPORT int scandir64(const char *Path, struct dirent64 ***Names,
                           int (*Wanted)(const struct dirent64 *),
                           int (*Order)(const struct dirent64 **,
                                        const struct dirent64 **)) {
  KPACK_NEXT Next<int(
      const char *, struct dirent64 ***, int (*)(const struct dirent64 *),
      int (*)(const struct dirent64 **, const struct dirent64 **))>
      Real("scandir64");
  return Real(RedirectedPath(Path), Names, Wanted, Order);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static void *globOpen(const char *Path) { return opendir(Path); }
static dirent *globRead(void *Folder) {
  return readdir(static_cast<DIR *>(Folder));
}
static void globClose(void *Folder) { closedir(static_cast<DIR *>(Folder)); }

/// Passes our functions to glob(), which would call the C library's own
/// internally. So the results have the names that the caller asked for.
static int globWithOurs(
    Next<int(const char *, int, int (*)(const char *, int), glob_t *)> &Real,
    const char *Pattern, int Flags, int (*OnError)(const char *, int),
    glob_t *Found) {
  if (!(Flags & GLOB_ALTDIRFUNC)) {
    Flags |= GLOB_ALTDIRFUNC;
    Found->gl_opendir = globOpen;
    Found->gl_readdir = globRead;
    Found->gl_closedir = globClose;
    Found->gl_stat = stat;
    Found->gl_lstat = lstat;
  }
  return Real(Pattern, Flags, OnError, Found);
}

KPACK_EXPORT int glob(const char *Pattern, int Flags,
                      int (*OnError)(const char *, int), glob_t *Found) {
  KPACK_NEXT Next<int(const char *, int, int (*)(const char *, int), glob_t *)>
      Real("glob");
  return globWithOurs(Real, Pattern, Flags, OnError, Found);
}

/// glob_t and glob64_t are identical on x86-64.
KPACK_EXPORT int glob64(const char *Pattern, int Flags,
                        int (*OnError)(const char *, int), glob64_t *Found) {
  KPACK_NEXT Next<int(const char *, int, int (*)(const char *, int), glob_t *)>
      Real("glob64");
  return globWithOurs(Real, Pattern, Flags, OnError,
                      reinterpret_cast<glob_t *>(Found));
}
