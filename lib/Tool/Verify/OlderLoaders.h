//===- OlderLoaders.h - archives that fail in older loaders -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ROCm's loaders of February 2026 and before use only the first archive that
// lists a target: if it has no code object of the binary, the search fails.
// Newer loaders and this project's continue.
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

/// Returns a message, without the binary's name, about the archive at which the
/// search for the code object \p Key stops although a later archive has it.
/// \p Archives are in search order, \p Targets best first.
std::optional<std::string>
olderLoadersStop(llvm::ArrayRef<const ArchiveReader *> Archives,
                 llvm::ArrayRef<std::string> Targets, llvm::StringRef Key);

} // namespace kpack::tool

#endif // KPACK_TOOL_VERIFY_OLDERLOADERS_H
