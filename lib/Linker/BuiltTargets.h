//===- BuiltTargets.h - what the marker says was built ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Archives of some targets may be missing where a program is installed, and
// that may be meant. Which there ought to be only the linker knows: it writes
// the targets and the name of each TU into the marker (docs/format/marker.md).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_BUILTTARGETS_H
#define KPACK_LIB_LINKER_BUILTTARGETS_H

#include "Resolve.h"
#include "kpack/Archive/Marker.h"

namespace kpack::linker {

/// What the wrappers of a link were built for, in index order.
BuiltCode builtCode(const InputFiles &Inputs, const LinkedCode &Code);

/// The same before the link, of every TU that may take part in it; of those
/// that certainly do, unless \p WithLazy. In the order of the command line.
BuiltCode expectedCode(const InputFiles &Inputs, bool WithLazy);

/// How a user knows the TU of \p Object: by the file name of its source, which
/// the object's symbol table or its bitcode has; or else of the object.
std::string unitName(const InputObject &Object);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_BUILTTARGETS_H
