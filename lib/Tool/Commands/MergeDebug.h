//===- MergeDebug.h - debug information of merged archives ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An archive names at most one archive with its debug information. If several
// archives become one, so do those that they name: next to the shared one,
// under the name that `kpack strip --device-debug=split` gives. Sibling:
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

/// An archive, and its entries for the shared one.
struct MergeInput {
  std::unique_ptr<const ArchiveReader> Archive;
  std::vector<const ArchiveEntry *> Chosen = {};
};

/// True if \p Inputs contain debug information. Fails if only some do.
llvm::Expected<bool> areDebug(llvm::ArrayRef<MergeInput> Inputs);

/// Returns the archives with debug information of \p Inputs, each once, with
/// the first entry for each key. Notes missing archives, and paths that leave
/// the folder of their archive, which are not followed.
llvm::Expected<std::vector<MergeInput>>
openDebug(Session &S, llvm::ArrayRef<MergeInput> Inputs);

} // namespace kpack::tool

#endif // KPACK_TOOL_COMMANDS_MERGEDEBUG_H
