//===- Outputs.h - marker and wrappers' indices in the output ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the parts of the linked file that lld cannot know: the marker, and
// each wrapper's index. Archives: Outputs/PendingArchives.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_OUTPUTS_H
#define KPACK_LIB_LINKER_OUTPUTS_H

#include "Outputs/PendingFile.h"
#include "Resolve.h"

namespace kpack::linker {

/// Writes the marker and each wrapper's index into the linked file, which has
/// the temporary name of \p Output.
llvm::Error patchLinkedFile(const PendingFile &Output, const LinkedCode &Code,
                            llvm::StringRef Marker);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_OUTPUTS_H
