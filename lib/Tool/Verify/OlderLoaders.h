//===- Verify/OlderLoaders.h - archives at which loaders stop ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first archive that lists a target is the only one that ROCm's loaders of
// February 2026 and before ask for it: without a code object of the binary in
// it, the search has failed. Newer ones and this project's go on.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_VERIFY_OLDERLOADERS_H
#define KPACK_TOOL_VERIFY_OLDERLOADERS_H

#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace kpack::tool {

/// Where the search for the code object \p Key stops although a later archive
/// has it, as a message without the binary's name. Archives are in the order of
/// the search, \p Targets best first.
std::optional<std::string>
olderLoadersStop(llvm::ArrayRef<const ArchiveReader *> Archives,
                 llvm::ArrayRef<std::string> Targets, llvm::StringRef Key);

} // namespace kpack::tool

#endif // KPACK_TOOL_VERIFY_OLDERLOADERS_H
