//===- Outputs/ArchiveId.h - code objects and their archive_id --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of archives, and the archive_id, a hash that ties code objects
// to a binary. It covers the code objects, their targets and indices only, no
// time or path, so that the same code gives the same id.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_ARCHIVEID_H
#define KPACK_OUTPUTS_ARCHIVEID_H

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
  /// Owner of Bytes. Null if consumers that keep Bytes must copy them.
  std::shared_ptr<const void> Owner = nullptr;
  /// The index of a code object added before for the same target, with the same
  /// Bytes; saves a comparison.
  std::optional<uint32_t> SameAs = std::nullopt;
};

/// The hash of a code object's bytes in an archive_id.
struct CodeObjectHash {
  uint64_t Low, High;
  static CodeObjectHash of(llvm::StringRef Bytes);
};

/// Length of an archive_id.
inline constexpr size_t ArchiveIdSize = 32;

/// Hash of all code objects of a binary, in hex. The marker and the archives
/// hold it, so that a loader detects archives of another build.
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

/// Returns the archive_id of the complete list \p Objects.
std::string computeArchiveId(llvm::ArrayRef<CodeObject> Objects);

} // namespace kpack

#endif // KPACK_OUTPUTS_ARCHIVEID_H
