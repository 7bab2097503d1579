//===- DebugSections.h - debug sections of Windows files --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DWARF is in sections after all others in the image, and strip removes them.
// A section after them would then follow a hole in memory, and Windows loads no
// file with one. So the marker goes before them. No address refers to DWARF:
// its references and the values of symbols are offsets in a section. Used by
// PeLayout.cpp.
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_COFF_DEBUGSECTIONS_H
#define KPACK_LIB_HOSTREWRITE_COFF_DEBUGSECTIONS_H

#include "Offload/PeImage.h"

namespace kpack::hostrewrite {

/// Returns the index of the first section of \p Image that only debuggers read
/// and that only such sections follow in memory, or the number of sections.
size_t firstDebugSection(const offload::PeImage &Image);

/// Returns the offset of these sections' contents in the file; UINT64_MAX if
/// contents of another section follow.
uint64_t debugContentsBegin(const offload::PeImage &Image);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_COFF_DEBUGSECTIONS_H
