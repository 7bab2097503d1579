//===- Disassembler.h - addresses used by instructions ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses LLVM's MC for x86-64 to find the address that an instruction refers to
// by a displacement. This makes the verifier independent of relocations, on
// which the rewriter depends.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_DISASSEMBLER_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_DISASSEMBLER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>

namespace kpack::hostrewrite::verifier {

struct Decoded {
  uint64_t Size = 0;
  /// The target of a jump, or of an operand relative to the instruction, and
  /// the offset of the four-byte displacement in the instruction.
  std::optional<uint64_t> Target;
  uint64_t DistanceAt = 0;
  /// The displacement has not four bytes, as in short jumps, or could be at two
  /// places.
  bool IsShort = false;
  /// Constants among the operands.
  llvm::SmallVector<uint64_t, 8> Numbers;
};

class Disassembler {
public:
  /// Returns null if this LLVM does not support x86-64.
  static std::unique_ptr<Disassembler> create();
  ~Disassembler();

  /// Decodes the instruction at the start of \p Code; nullopt if there is none.
  std::optional<Decoded> decode(llvm::StringRef Code, uint64_t Address) const;

private:
  struct Parts;
  explicit Disassembler(std::unique_ptr<Parts> P);

  std::unique_ptr<Parts> P;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_DISASSEMBLER_H
