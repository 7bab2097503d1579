//===- Offload/DeviceDebug.h - DWARF of device code -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP's compilers put compressed DWARF into code objects, which archives cannot
// compress further: it makes up most of the archives of release builds. No GPU
// loads it. It can stay, be removed, or go into a separate file for gdb.
// Sibling: CodeObjectHeader.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_DEVICEDEBUG_H
#define KPACK_OFFLOAD_DEVICEDEBUG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <vector>

namespace kpack::offload {

/// Treatment of the DWARF.
enum class DeviceDebug { Keep, Strip, Split };

/// Parses "keep", "strip" or "split"; nullopt for any other text.
std::optional<DeviceDebug> parseDeviceDebug(llvm::StringRef Text);

/// Returns the size of a code object's DWARF in the file: of sections .debug*
/// that are not loaded. 0 for other and damaged files.
uint64_t deviceDebugSize(llvm::StringRef Bytes);

/// Returns the bytes of the symbol table that is not loaded and of its string
/// table, which strip without -g removes as well. Excludes the loaded table.
/// Empty for other and damaged files.
std::vector<llvm::StringRef> unloadedSymbols(llvm::StringRef Bytes);

/// Fails, without naming an object, if the tables of a code object are damaged,
/// so that its DWARF cannot be found. Succeeds for other files.
llvm::Error checkDeviceDebug(llvm::StringRef Bytes);

/// Returns the code object without its DWARF; null if it has none, or is not a
/// code object. The parts that a loader reads are unchanged, at the same
/// offsets and addresses. Fails, without naming an object, on a damaged file,
/// or if the DWARF cannot be removed without moving other parts.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
withoutDeviceDebug(llvm::StringRef Bytes);

/// Returns the DWARF alone, for a debugger: a code object whose loaded sections
/// have addresses but no contents. Null and errors as above.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
onlyDeviceDebug(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_DEVICEDEBUG_H
