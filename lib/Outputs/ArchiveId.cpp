//===- ArchiveId.cpp - code objects and their archive_id ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Outputs/ArchiveId.h.
//
//===----------------------------------------------------------------------===//
#include "Outputs/ArchiveId.h"

#include "kpack/Support/LittleEndian.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace kpack {

/// Returns 16 hex digits. Before LLVM 20 utohexstr() prints 0 as one digit
/// whatever the width.
static std::string hex16(uint64_t Number) {
  std::string Digits = utohexstr(Number, /*LowerCase=*/true);
  return std::string(16 - Digits.size(), '0') + Digits;
}

CodeObjectHash CodeObjectHash::of(StringRef Bytes) {
  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(Bytes));
  return {Hash.low64, Hash.high64};
}

void ArchiveIdHash::add(uint32_t Index, StringRef Target, CodeObjectHash Hash) {
  // A list of (index, target, hash of the code), unambiguous since a target has
  // no NUL.
  appendLittleEndian(List, Index);
  List += Target;
  List += '\0';
  appendLittleEndian(List, Hash.Low);
  appendLittleEndian(List, Hash.High);
}

std::string ArchiveIdHash::get() const {
  XXH128_hash_t Hash = xxh3_128bits(arrayRefFromStringRef(List));
  return hex16(Hash.high64) + hex16(Hash.low64);
}

std::string computeArchiveId(ArrayRef<CodeObject> Objects) {
  ArchiveIdHash Hash;
  for (const CodeObject &Object : Objects)
    Hash.add(Object);
  return Hash.get();
}

} // namespace kpack
