//===- Disassembler.h - instructions and where they lead --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's MC for x86-64, asked one question: which address does the instruction
// at an address lead to by its distance? It is what makes the verifier
// independent of relocations, which the rewriter goes by.
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
  /// Where a jump, or an operand relative to the instruction, leads to; and
  /// where in the instruction the four bytes of its distance are.
  std::optional<uint64_t> Target;
  uint64_t DistanceAt = 0;
  /// A jump of one byte, or of any form without four bytes of distance.
  bool IsShort = false;
  /// Constants among its operands.
  llvm::SmallVector<uint64_t, 8> Numbers;
};

class Disassembler {
public:
  /// Null: this LLVM has none for x86-64.
  static std::unique_ptr<Disassembler> create();
  ~Disassembler();

  /// The instruction that \p Code begins with; nothing: it is none.
  std::optional<Decoded> decode(llvm::StringRef Code, uint64_t Address) const;

private:
  struct Parts;
  explicit Disassembler(std::unique_ptr<Parts> P);

  std::unique_ptr<Parts> P;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_DISASSEMBLER_H
