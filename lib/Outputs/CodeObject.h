//===- Outputs/CodeObject.h - one piece of device code ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an archive is filled with, and the hash that says which code objects a
// binary belongs to. The archive_id is a hash of the code objects, their
// targets and their indices and of nothing else, such as the time or a path, so
// that the same code gives the same id.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_CODEOBJECT_H
#define KPACK_OUTPUTS_CODEOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kpack {

/// One code object of a binary: toc["<kernel name>#<Index>"][Target].
struct CodeObject {
  uint32_t Index;
  std::string Target;
  llvm::StringRef Bytes;
  /// Name of the TU, for people.
  std::string Source = {};
  /// What keeps Bytes as they are; null: who needs them for long copies them.
  std::shared_ptr<const void> Owner = nullptr;
  /// The index of a code object for the same target that has the same Bytes and
  /// was added before, which saves a comparison.
  std::optional<uint32_t> SameAs = std::nullopt;
};

/// What an archive_id has of the bytes of a code object.
struct CodeObjectHash {
  uint64_t Low, High;
  static CodeObjectHash of(llvm::StringRef Bytes);
};

/// Length of an archive_id.
inline constexpr size_t ArchiveIdSize = 32;

/// Hash of all code objects of a binary, in hex: what the marker and the
/// archives say so that a loader notices when they do not belong together.
class ArchiveIdHash {
public:
  void add(const CodeObject &Object) {
    add(Object.Index, Object.Target, CodeObjectHash::of(Object.Bytes));
  }
  void add(uint32_t Index, llvm::StringRef Target, CodeObjectHash Hash);
  std::string get() const;

private:
  std::string List;
};

/// The same of \p Objects that are all there.
std::string computeArchiveId(llvm::ArrayRef<CodeObject> Objects);

} // namespace kpack

#endif // KPACK_OUTPUTS_CODEOBJECT_H
