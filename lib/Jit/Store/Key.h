//===- Jit/Store/Key.h - the content key of a compile -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The content key of a compile: SHA-256 over named, length-prefixed fields.
// Every input that may change the result is a field, by content. Times,
// addresses and paths of input files are not. The key keeps each field's
// digest, so that "why did this miss?" has an answer. Store.h stores entries by
// key.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_STORE_KEY_H
#define KPACK_JIT_STORE_KEY_H

#include "kpack/Support/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kpack::jit {

/// A SHA-256.
using Digest = std::array<uint8_t, 32>;

inline std::string_view bytesOf(const Digest &Value) {
  return std::string_view(reinterpret_cast<const char *>(Value.data()),
                          Value.size());
}
/// Returns 64 lower-case digits.
std::string toHex(const Digest &Value);
/// Returns false and leaves \p Value unchanged unless \p Text is 64 lower-case
/// digits.
bool fromHex(std::string_view Text, Digest &Value);

Digest sha256(std::string_view Bytes);
/// Hashes the file in pieces and repeats that if the file was written to
/// meanwhile. Errors: FileNotFound; IoError, also if the file never stops
/// changing.
Result<Digest> sha256OfFile(const std::string &Path);

/// One field of a key. \p Shown is for people: the value if it is short and
/// printable, else its length.
struct KeyField {
  std::string Name;
  Digest Hash{};
  std::string Shown;

  bool operator==(const KeyField &Other) const {
    return Name == Other.Name && Hash == Other.Hash;
  }
};

struct KeyRecord {
  Digest Id{};
  std::vector<KeyField> Fields;

  std::string hex() const { return toHex(Id); }
};

/// Computes the key of these fields.
Digest getKey(const std::vector<KeyField> &Fields);

/// Collects fields; their order is part of the key. A name may occur again:
/// each flag, for example, is one field.
class KeyBuilder {
public:
  /// \p Schema names the front door and the version of its fields, for example
  /// "ck-jit 1": keys of different schemas never collide.
  explicit KeyBuilder(std::string_view Schema);

  KeyBuilder &add(std::string_view Name, std::string_view Value);
  /// Adds a field by digest (a memoized file, an archive).
  KeyBuilder &addDigest(std::string_view Name, const Digest &Value,
                        std::string_view Shown);
  /// Adds the content of the file, not its path.
  Status addFile(std::string_view Name, const std::string &Path);

  KeyRecord finish() const;

private:
  std::vector<KeyField> Fields;
};

/// One line of explain(): a field that only one key has, or that has different
/// values in the two.
struct KeyDifference {
  std::string Name;
  std::string Before; ///< empty if the field is new
  std::string After;  ///< empty if the field is gone
};

/// Lists the changes from \p Before to \p After, in the order of the fields.
std::vector<KeyDifference> explain(const KeyRecord &Before,
                                   const KeyRecord &After);

} // namespace kpack::jit

#endif // KPACK_JIT_STORE_KEY_H
