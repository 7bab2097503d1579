//===- Redirect.h - redirection of the driver's paths -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run makes a folder with the kernel driver's files in /sys and names it
// in KPACK_SOFTGPU_SYSFS. The C library's functions get the path in that folder
// instead. Its files and directories are real ones, so all further operations
// of a program just work. With kpack-run --rocm the folder has a link to the
// root of that ROCm: data that only it has (such as /usr/share/rocblas) can be
// read there. The dynamic linker finds the libraries (Libraries.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_REDIRECT_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_REDIRECT_H

#include "SoftGpu/Kfd/Preload/Emulator.h"

#include <climits>

namespace kpack::softgpu {

/// Returns the folder of kpack-run's files; empty if there is none.
const char *runFolder();

/// True if the run has a separate ROCm (kpack-run --rocm), that is a link to
/// its root.
bool hasRocm();

/// Returns the program that a tree's dynamic linker was started for, since
/// /proc/self/exe is the linker; null if the system has started the program.
const char *programOfLinker();

/// Returns programOfLinker() if \p Path is a link to the running program, such
/// as /proc/self/exe; else null.
const char *programAt(const char *Path);

/// Purpose of a path.
enum class PathUse {
  Read,    ///< or examined
  Written, ///< or created
  Link     ///< examined without following a final link
};

/// A path, redirected if it is the driver's or only the given ROCm has it.
class RedirectedPath {
public:
  explicit RedirectedPath(const char *Path, PathUse Use = PathUse::Read);
  operator const char *() const { return Used; }

private:
  /// Returns false if the path would be too long.
  bool lead(const char *Tree, const char *Below, const char *Path);
  /// Follows an absolute link on the way below the same root.
  [[gnu::noinline]] bool leadByLinks(const char *Tree, const char *Below,
                                     const char *Path);

  const char *Used; ///< the caller's, or Changed
  char Changed[PATH_MAX];
};

/// Returns the device file that \p Path, relative to \p Folder, names, or
/// NoDevice.
DeviceKind getDevice(int Folder, const char *Path);

/// Opens a device file. Returns a negative number and sets errno on failure.
int openDevice(DeviceKind Kind, int Flags);

/// Returns the device that the descriptor \p Fd was opened for.
DeviceKind kindOf(int Fd);
void setKind(int Fd, DeviceKind Kind);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_REDIRECT_H
