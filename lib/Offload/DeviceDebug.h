//===- Offload/DeviceDebug.h - DWARF of device code -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP's compilers put DWARF into code objects, compressed already, so that no
// archive makes it smaller: it is most of what archives of release builds hold.
// No GPU loads it. It can stay where it is, be left out, or go into a file of
// its own as gdb's separate debug files do. Sibling: CodeObject.h.
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

/// What happens to it.
enum class DeviceDebug { Keep, Strip, Split };

/// "keep", "strip" or "split"; nothing for any other text.
std::optional<DeviceDebug> parseDeviceDebug(llvm::StringRef Text);

/// Bytes that the DWARF of a code object takes in the file: sections .debug*
/// that are not loaded. 0 for everything else, damaged files included.
uint64_t deviceDebugSize(llvm::StringRef Bytes);

/// The symbol table of a code object that is not loaded, and the names in it:
/// what strip without -g takes away as well. The loaded one is not in it. Empty
/// for everything else, damaged files included.
std::vector<llvm::StringRef> unloadedSymbols(llvm::StringRef Bytes);

/// Whether the tables of a code object can be read, so that its DWARF, if any,
/// is found. An error, without an object: it is damaged. Success for what is no
/// code object.
llvm::Error checkDeviceDebug(llvm::StringRef Bytes);

/// The code object without its DWARF; null when it has none, or is no code
/// object. What a loader reads is the same, byte for byte, at the same offsets
/// and addresses. An error, without an object: a file that is damaged, or whose
/// DWARF cannot be taken away without moving something else.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
withoutDeviceDebug(llvm::StringRef Bytes);

/// The DWARF alone: a code object whose loaded sections have places and no
/// contents, for a debugger. Null and errors as above.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
onlyDeviceDebug(llvm::StringRef Bytes);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_DEVICEDEBUG_H
