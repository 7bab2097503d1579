//===- BuiltTargets.h - list of built targets in the marker -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Archives of some targets may be missing on an installed system, possibly on
// purpose. Only the linker knows which ones should exist: it writes the targets
// and the name of each TU into the marker (docs/format/marker.md).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_BUILTTARGETS_H
#define KPACK_LIB_LINKER_BUILTTARGETS_H

#include "Resolve.h"
#include "kpack/Archive/Marker.h"

namespace kpack::linker {

/// Returns the targets of the output's wrappers, in index order.
BuiltCode builtCode(const InputFiles &Inputs, const LinkedCode &Code);

/// Estimates builtCode() before the link, from every TU that may take part in
/// it; without \p WithLazy only from those that certainly do. In command line
/// order.
BuiltCode expectedCode(const InputFiles &Inputs, bool WithLazy);

/// Returns the name of the TU of \p Object for users: the file name of its
/// source, from the object's symbol table or bitcode; or else of the object.
std::string unitName(const InputObject &Object);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_BUILTTARGETS_H
