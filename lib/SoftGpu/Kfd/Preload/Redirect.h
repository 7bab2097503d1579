//===- Redirect.h - paths of the driver, and where we have them -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run makes a folder with what the kernel driver shows in /sys, and names
// it in KPACK_SOFTGPU_SYSFS. Functions of the C library that take a path are
// given the path in that folder instead: its files and directories are real
// ones, so everything that a program does with them afterwards just works. With
// kpack-run --rocm the folder has a link to the root of that ROCm: data that
// only it has (/usr/share/rocblas, say) are found there, to be read. Libraries
// are found by the dynamic linker (Libraries.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_REDIRECT_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_REDIRECT_H

#include "SoftGpu/Kfd/Preload/Emulator.h"

#include <climits>

namespace kpack::softgpu {

/// The folder of kpack-run's files; empty: there is none.
const char *runFolder();

/// Whether the run has a ROCm of its own (kpack-run --rocm): a link to its
/// root.
bool hasRocm();

/// The program that a tree's dynamic linker was started for, whose own file
/// /proc/self/exe names; null: the system has started the program.
const char *programOfLinker();

/// The same if \p Path is that link; else null.
const char *programAt(const char *Path);

/// What happens to a path.
enum class PathUse {
  Read,    ///< or looked at
  Written, ///< or made
  Link     ///< looked at, without following a link that it is
};

/// A path, redirected where it is the driver's, or only the given ROCm has it.
class RedirectedPath {
public:
  explicit RedirectedPath(const char *Path, PathUse Use = PathUse::Read);
  operator const char *() const { return Used; }

private:
  /// False: the path would be too long.
  bool lead(const char *Tree, const char *Below, const char *Path);
  /// Where an absolute link on the way leads below the same root.
  [[gnu::noinline]] bool leadByLinks(const char *Tree, const char *Below,
                                     const char *Path);

  const char *Used; ///< the caller's, or Changed
  char Changed[PATH_MAX];
};

/// Which device file \p Path, if relative of the folder \p Folder, names;
/// NoDevice: none.
DeviceKind deviceOf(int Folder, const char *Path);

/// Opens a device file. Negative: it cannot be, errno says why.
int openDevice(DeviceKind Kind, int Flags);

/// What the descriptor \p Fd was opened for.
DeviceKind kindOf(int Fd);
void setKind(int Fd, DeviceKind Kind);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_REDIRECT_H
