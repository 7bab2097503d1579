//===- SoftGpu/Isa/Decoder.h - machine code to Instruction ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libLLVM's disassembler, printer and a parser of what it prints. One Decoder a
// thread at a time; CodeCache.h keeps what it returns.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SOFTGPU_ISA_DECODER_H
#define KPACK_SOFTGPU_ISA_DECODER_H

#include "SoftGpu/Isa/Semantics.h"
#include "SoftGpu/Isa/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace kpack::softgpu {

/// Why bytes are not executed: parts of a Fault.
class DecodeError : public llvm::ErrorInfo<DecodeError> {
public:
  enum class Kind {
    NoInstruction, ///< the bytes are none of this architecture
    NoSemantics,   ///< for its mnemonic or one of its modifiers
  };
  static char ID;
  DecodeError(Kind What, std::string Instruction, std::string Detail)
      : What(What), Instruction(std::move(Instruction)),
        Detail(std::move(Detail)) {}
  void log(llvm::raw_ostream &Out) const override { Out << Detail; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  Kind What;
  std::string Instruction; ///< as printed; empty: no instruction
  std::string Detail;      ///< names the instruction or its bytes
};

class Decoder {
public:
  /// \p Wave64 chooses the feature on targets with both sizes: masks print as
  /// vcc or vcc_lo.
  static llvm::Expected<std::unique_ptr<Decoder>>
  create(const Target &Isa, bool Wave64, const Semantics &Known);
  virtual ~Decoder();

  /// Decodes the instruction at \p Address whose bytes \p Bytes begins with.
  /// Errors: no instruction; no semantics for its mnemonic or a modifier. The
  /// error is a DecodeError.
  virtual llvm::Expected<std::unique_ptr<Instruction>>
  decode(llvm::ArrayRef<uint8_t> Bytes, uint64_t Address) = 0;
};

/// Parses one printed instruction; for Decoder and its tests. Semantics are
/// looked up (Opcodes.h).
llvm::Expected<std::unique_ptr<Instruction>>
parseInstruction(llvm::StringRef Text, uint64_t Address, uint32_t Size,
                 const Semantics &Known);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_DECODER_H
