//===- Resolve.h - which device code the output needs -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the link the output's own wrappers say, by their tokens, which TUs are
// alive and in which order. This finds each wrapper's device code among the
// inputs. What the linker dropped has no wrapper and thus needs no place in an
// archive.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_RESOLVE_H
#define KPACK_LIB_LINKER_RESOLVE_H

#include "InputFiles.h"

#include <map>
#include <set>

namespace kpack::linker {

/// A wrapper of the output with the TU it belongs to.
struct LiveWrapper {
  uint64_t FileOffset;
  uint64_t Token;
  const offload::DevicePayload *Payload;
  const InputObject *Object;
};

/// What the linked file holds. Offsets are file offsets.
struct LinkedCode {
  std::vector<LiveWrapper> Wrappers; // in index order
  uint64_t MarkerOffset = 0;
  uint64_t MarkerSize = 0;

  bool hasRdc() const;
};

/// All device code of the inputs by token.
class TokenMap {
public:
  explicit TokenMap(const InputFiles &Inputs);

  struct Entry {
    const offload::DevicePayload *Payload;
    const InputObject *Object;
    /// Another object with the same token and other device code.
    const InputObject *Rival = nullptr;
  };
  const Entry *find(uint64_t Token) const;

  /// An error when two objects that are linked for certain have one token and
  /// different device code.
  llvm::Error check() const;

private:
  std::map<uint64_t, Entry> Entries;
};

/// Reads the wrappers of \p Linked, a file that lld has written, and finds
/// their device code. \p Name is how messages call the file; \p Marker is what
/// was linked as marker section.
llvm::Expected<LinkedCode> resolve(llvm::MemoryBufferRef Linked,
                                   llvm::StringRef Name, llvm::StringRef Marker,
                                   const TokenMap &Tokens);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_RESOLVE_H
