//===- Resolve.h - device code of the linked wrappers -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the link the tokens of the output's wrappers identify the live TUs and
// their order. resolve() finds each wrapper's device code among the inputs. TUs
// that the linker dropped have no wrapper and thus no place in an archive.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_RESOLVE_H
#define KPACK_LIB_LINKER_RESOLVE_H

#include "InputFiles.h"

#include <map>
#include <set>

namespace kpack::linker {

/// A wrapper of the output and its TU.
struct LiveWrapper {
  uint64_t FileOffset;
  uint64_t Token;
  const offload::DevicePayload *Payload;
  const InputObject *Object;
};

/// The content of the linked file. Offsets are file offsets.
struct LinkedCode {
  std::vector<LiveWrapper> Wrappers; // in index order
  uint64_t MarkerOffset = 0;
  uint64_t MarkerSize = 0;

  bool hasRdc() const;
};

/// All device code of the inputs, by token.
class TokenMap {
public:
  explicit TokenMap(const InputFiles &Inputs);

  struct Entry {
    const offload::DevicePayload *Payload;
    const InputObject *Object;
    /// Another object with the same token and different device code.
    const InputObject *Rival = nullptr;
  };
  const Entry *find(uint64_t Token) const;

  /// Fails if two objects that are certainly linked have the same token and
  /// different device code.
  llvm::Error check() const;

private:
  std::map<uint64_t, Entry> Entries;
};

/// Reads the wrappers of \p Linked, a file that lld has written, and finds
/// their device code. \p Name is the file's name in messages; \p Marker is the
/// marker section that was linked.
llvm::Expected<LinkedCode> resolve(llvm::MemoryBufferRef Linked,
                                   llvm::StringRef Name, llvm::StringRef Marker,
                                   const TokenMap &Tokens);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_RESOLVE_H
