//===- Jit/Store/Entry.h - file format of a cache entry ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache entry is the compiled file itself (a shared object, a code object, a
// precompiled header) followed by a description: the inputs, the producer, the
// compiler's output and a checksum. ELF readers ignore bytes past those that
// the headers describe, so an entry is loaded in place. No field depends on the
// entry's path: entries may be copied, packed and moved between machines.
//
// Format: docs/format/jit-cache.md. Storage: Store.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_ENTRY_H
#define KPACK_JIT_STORE_ENTRY_H

#include "Jit/Store/Key.h"

namespace kpack::jit {

/// A function that callers request by the expression that names it in the
/// source.
struct EntryFunction {
  std::string Name;   ///< "ns::saxpy<4, float>"
  std::string Symbol; ///< in the product; empty if it has none
  std::string Type;   ///< as clang spells it: "void (float *, int)"
};

/// The result of a compile.
struct Product {
  std::string Payload;
  std::string Log;
  /// Processor time. Of parts that ran in parallel, that of the longest.
  double CpuSeconds = 0;
  /// The functions that name expressions asked for, in their order.
  std::vector<EntryFunction> Functions = {};
};

/// The description of an entry.
struct EntryInfo {
  KeyRecord Key;
  std::string Name;     ///< for people: the kernel or blob
  std::string Kind;     ///< "shared-object", "recipe"
  std::string Target;   ///< target id of the device code, or empty
  std::string Symbol;   ///< that a loader looks up; may be empty
  std::string Producer; ///< "kpack <version>"
  std::string Log;      ///< compiler output
  uint64_t Created = 0; ///< seconds since 1970, UTC; not part of the key
  uint64_t CompileMilliseconds = 0;
  std::vector<EntryFunction> Functions = {}; ///< of the product
  /// For "-march=native": digits that differ where processors do. Empty if the
  /// flags name the processor, or if an earlier version wrote the entry.
  std::string Machine = {};
};

/// Bytes of the footer.
constexpr uint64_t EntryFooterSize = 64;
/// Longer descriptions are refused; callers truncate compiler logs before that.
constexpr uint64_t MaxEntryInfoSize = 16 << 20;

/// Encodes the part after the payload: padding, description and footer. Errors:
/// InvalidArgument if the description is too long.
Result<std::string> encodeEntryTail(const EntryInfo &Info,
                                    std::string_view Payload);

struct DecodedEntry {
  EntryInfo Info;
  std::string_view Payload;
};

/// Checks an entry file: footer, lengths, checksum, and that the key is that of
/// its fields. The result points into \p Bytes. Errors: UnsupportedVersion for
/// another schema, InvalidFormat with the reason for every other defect. Never
/// reads outside of \p Bytes.
Result<DecodedEntry> decodeEntry(std::string_view Bytes);

/// An entry's description and the size of its payload in bytes.
struct DescribedEntry {
  EntryInfo Info;
  uint64_t PayloadSize = 0;
};

/// Reads only the description from a file of \p FileSize bytes, for listings of
/// large caches. Does not compare the checksum. Errors: as decodeEntry().
Result<DescribedEntry> describeEntry(int Fd, uint64_t FileSize);

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_ENTRY_H
