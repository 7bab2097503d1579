//===- MapsView.h - /proc/self/maps with lazy memory ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP runtimes read /proc/self/maps to determine how many bytes of an image can
// be read, and refuse images that reach past that. The kernel lists lazy memory
// as unreadable, or as several mappings if parts of it are filled. So these
// readers get a copy of the file in which each range is one readable mapping.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_MAPSVIEW_H
#define KPACK_LIB_HIPSHIM_MAPSVIEW_H

#include "LazyMemory.h"

namespace kpack::hipshim {

/// True if \p Path, which may be null, is the list of this process's mappings.
bool isOwnMaps(const char *Path);

/// Returns a descriptor of a copy of \p Maps, which must be at its beginning;
/// negative on failure. Allocates nothing and takes no lock: programs read the
/// file in crash handlers.
int copyMaps(int Maps, const LazyMemory &Memory, bool CloseOnExec);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_MAPSVIEW_H
