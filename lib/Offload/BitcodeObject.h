//===- BitcodeObject.h - wrappers and payload of an LTO object --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts that the link step needs about a host object in LLVM bitcode: its
// wrappers, its undefined symbols, and device code that the compiler plugin
// embedded in the IR. Function bodies are not read.
//
// Device code may also follow the module: LLVM's bitcode wrapper header states
// where the module ends, and every LLVM tool ignores later bytes. See
// joinBitcode().
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_OFFLOAD_BITCODEOBJECT_H
#define KPACK_LIB_OFFLOAD_BITCODEOBJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kpack::offload {

struct BitcodeWrapper {
  uint32_t Magic = 0;
  uint64_t Reserved1 = 0;
  /// Points to a fat binary in the same module.
  bool IsFat = false;
  /// Points to __hip_fatbin, without a hash.
  bool IsAnonymous = false;
  /// The hash if the wrapper points to an undefined __hip_fatbin_<h>.
  std::optional<uint64_t> SymbolToken;
};

struct BitcodeObject {
  std::vector<BitcodeWrapper> Wrappers;
  /// Names of undefined symbols that start with __hip_fatbin or
  /// __hip_gpubin_handle.
  std::vector<std::string> Undefined;
  /// Contents of globals in section .kpack.devobj.
  std::vector<std::string> Payloads;
  /// Contents of globals in section .llvm.offloading.
  std::vector<std::string> Offloading;
};

/// A bitcode file and the bytes after its module.
struct BitcodeParts {
  llvm::StringRef Module;
  llvm::StringRef Tail;
};

bool isBitcodeFile(llvm::StringRef Bytes);

llvm::Expected<BitcodeParts> splitBitcode(llvm::StringRef Bytes,
                                          llvm::StringRef Object);

/// Returns a bitcode wrapper header, \p Module and \p Tail.
std::string joinBitcode(llvm::StringRef Module, llvm::StringRef Tail);

llvm::Expected<BitcodeObject> readBitcode(llvm::StringRef Module,
                                          llvm::StringRef Object);

/// Returns \p Module with \p Token instead of \p Old in its wrappers. Empty if
/// no wrapper has it, or if the object has several modules.
llvm::Expected<std::string> changeBitcodeToken(llvm::StringRef Module,
                                               uint64_t Old, uint64_t Token,
                                               llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_BITCODEOBJECT_H
