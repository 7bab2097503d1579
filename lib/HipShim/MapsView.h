//===- MapsView.h - /proc/self/maps with lazy memory ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP runtimes read /proc/self/maps to find out how many bytes of an image can
// be read, and refuse what reaches past that. Lazy memory can be read, and
// the kernel says that it cannot, or that it is in pieces where parts of it are
// filled. So such a reader is given a copy of the file in which each range is
// one readable mapping.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_MAPSVIEW_H
#define KPACK_LIB_HIPSHIM_MAPSVIEW_H

#include "LazyMemory.h"

namespace kpack::hipshim {

/// Whether \p Path, which may be null, is the list of this process's mappings.
bool isOwnMaps(const char *Path);

/// A descriptor of a copy of \p Maps, which was just opened; negative if none
/// can be had. Allocates nothing and takes no lock: programs read the file in
/// handlers of crashes.
int copyMaps(int Maps, const LazyMemory &Memory, bool CloseOnExec);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_MAPSVIEW_H
