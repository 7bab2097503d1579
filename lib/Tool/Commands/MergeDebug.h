//===- MergeDebug.h - debug information of merged archives ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An archive names one archive that has its debug information. Where several
// become one, so do those that they name, beside the shared one and under the
// name that `kpack strip --device-debug=split` would give it. Sibling:
// Merge.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_COMMANDS_MERGEDEBUG_H
#define KPACK_TOOL_COMMANDS_MERGEDEBUG_H

#include "ToolSupport/Session.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace kpack::tool {

/// An archive, and what of it goes into the shared one.
struct MergeInput {
  std::unique_ptr<const ArchiveReader> Archive;
  std::vector<const ArchiveEntry *> Chosen = {};
};

/// Whether \p Inputs are debug information themselves. Errors: some are.
llvm::Expected<bool> areDebug(llvm::ArrayRef<MergeInput> Inputs);

/// The archives that have debug information of \p Inputs, each once, and of
/// that the first that there is for a key. What is not there is noted, and so
/// is a path that leaves the folder of its archive: nobody follows that.
llvm::Expected<std::vector<MergeInput>>
openDebug(Session &S, llvm::ArrayRef<MergeInput> Inputs);

} // namespace kpack::tool

#endif // KPACK_TOOL_COMMANDS_MERGEDEBUG_H
