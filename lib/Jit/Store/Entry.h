//===- Jit/Store/Entry.h - one compiled variant in one file -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cache entry is the compiled file itself (a shared object, a code object, a
// precompiled header) with a description after its last byte: what it was
// compiled from, by whom, what the compiler said, and a checksum. ELF readers
// do not look past the end of what the headers describe, so an entry is
// loaded where it lies. Nothing in it depends on its place: entries may be
// copied, packed and moved between machines.
//
// Format: docs/format/jit-cache.md. Where entries are kept: Store.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_ENTRY_H
#define KPACK_JIT_STORE_ENTRY_H

#include "Jit/Store/Key.h"

namespace kpack::jit {

/// A function that is called by the expression that names it in its source.
struct EntryFunction {
  std::string Name;   ///< "ns::saxpy<4, float>"
  std::string Symbol; ///< in the product; empty: it has none
  std::string Type;   ///< as clang spells it: "void (float *, int)"
};

/// What a compile has given.
struct Product {
  std::string Payload;
  std::string Log;
  /// Processor time, of parts that were done side by side the longest.
  double CpuSeconds = 0;
  /// Those that were asked for by name expressions, in that order.
  std::vector<EntryFunction> Functions = {};
};

/// What an entry says of itself.
struct EntryInfo {
  KeyRecord Key;
  std::string Name;     ///< for people: the kernel or blob
  std::string Kind;     ///< "shared-object", "recipe"
  std::string Target;   ///< target id of the device code; empty: none
  std::string Symbol;   ///< what a loader looks up; may be empty
  std::string Producer; ///< "kpack <version>"
  std::string Log;      ///< what the compiler printed
  uint64_t Created = 0; ///< seconds since 1970, UTC; not part of the key
  uint64_t CompileMilliseconds = 0;
  std::vector<EntryFunction> Functions = {}; ///< of the product
  /// Of "-march=native": digits that differ where processors do; empty: the
  /// flags say for which it is, or the entry is of an earlier version.
  std::string Machine = {};
};

/// Bytes of the fixed part at an entry's end.
constexpr uint64_t EntryFooterSize = 64;
/// Longer descriptions are refused: a compiler's log is cut before that.
constexpr uint64_t MaxEntryInfoSize = 16 << 20;

/// What stands after the payload: padding, description and footer.
/// Errors: InvalidArgument when the description is too long.
Result<std::string> encodeEntryTail(const EntryInfo &Info,
                                    std::string_view Payload);

/// Payload and description of a whole entry file; views into \p Bytes.
struct DecodedEntry {
  EntryInfo Info;
  std::string_view Payload;
};

/// Checks everything: footer, lengths, checksum, key over its fields.
/// Errors: UnsupportedVersion for another schema, InvalidFormat with the reason
/// for every other defect. Never reads outside of \p Bytes.
Result<DecodedEntry> decodeEntry(std::string_view Bytes);

/// What an entry says of itself, and how long its payload is.
struct DescribedEntry {
  EntryInfo Info;
  uint64_t PayloadSize = 0;
};

/// Reads the description alone out of a file of \p FileSize bytes: listings of
/// large caches. The checksum is not compared; errors as those of
/// decodeEntry().
Result<DescribedEntry> describeEntry(int Fd, uint64_t FileSize);

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_ENTRY_H
