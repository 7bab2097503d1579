//===- DebugSections.h - what strip takes out of Windows files --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DWARF stands in sections of the image, after all others, and strip takes
// these out. A section that stood after them would have a hole in memory in
// front of it then, and Windows loads no file with one. So the marker goes in
// front of them. Nothing leads to DWARF by an address: its own references are
// distances in a section, and so are the values of symbols. User: PeLayout.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COFF_DEBUGSECTIONS_H
#define KPACK_LIB_HOSTREWRITE_COFF_DEBUGSECTIONS_H

#include "Offload/PeImage.h"

namespace kpack::hostrewrite {

/// The index of the first section of \p Image that only debuggers read, and
/// that only such ones follow in memory; the number of sections where there is
/// none.
size_t firstDebugSection(const offload::PeImage &Image);

/// Where the contents of these begin in the file; the largest number where the
/// file has some of another section after that.
uint64_t debugContentsBegin(const offload::PeImage &Image);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COFF_DEBUGSECTIONS_H
