//===- BitcodeObject.h - HIP facts of an LTO object -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the link step wants to know of a host object that is LLVM bitcode: its
// wrappers, the symbols it leaves undefined, and device code the compiler
// plugin embedded in the IR. Function bodies are not read.
//
// Device code may also follow the module: LLVM's bitcode wrapper header
// says where the module ends, and every LLVM tool ignores what follows. See
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
  /// The hash when it points to an undefined __hip_fatbin_<h>.
  std::optional<uint64_t> SymbolToken;
};

struct BitcodeObject {
  std::vector<BitcodeWrapper> Wrappers;
  /// Names of undefined symbols that start with __hip_fatbin or
  /// __hip_gpubin_handle.
  std::vector<std::string> Undefined;
  /// Contents of globals in section .kpack.devobj.
  std::vector<std::string> Payloads;
  /// The same of section .llvm.offloading.
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

/// A bitcode wrapper header, \p Module and \p Tail.
std::string joinBitcode(llvm::StringRef Module, llvm::StringRef Tail);

llvm::Expected<BitcodeObject> readBitcode(llvm::StringRef Module,
                                          llvm::StringRef Object);

/// \p Module with \p Token in the place of \p Old in its wrappers. Empty where
/// there is none, or the module is one of several of the object.
llvm::Expected<std::string> changeBitcodeToken(llvm::StringRef Module,
                                               uint64_t Old, uint64_t Token,
                                               llvm::StringRef Object);

} // namespace kpack::offload

#endif // KPACK_LIB_OFFLOAD_BITCODEOBJECT_H
