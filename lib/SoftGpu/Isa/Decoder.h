//===- SoftGpu/Isa/Decoder.h - decoder of machine code ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libLLVM's disassembler, its printer and a parser of the printed text. Only
// one thread at a time may use a Decoder; CodeCache.h keeps its results.
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

/// Why bytes cannot be executed: parts of a Fault.
class DecodeError : public llvm::ErrorInfo<DecodeError> {
public:
  enum class Kind {
    NoInstruction, ///< not an instruction of this architecture
    NoSemantics,   ///< of the mnemonic or a modifier
  };
  static char ID;
  DecodeError(Kind Problem, std::string Instruction, std::string Detail)
      : What(Problem), Instruction(std::move(Instruction)),
        Detail(std::move(Detail)) {}
  void log(llvm::raw_ostream &Out) const override { Out << Detail; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  Kind What;
  std::string Instruction; ///< as printed; may be empty
  std::string Detail;      ///< names the instruction or its bytes
};

class Decoder {
public:
  /// \p Wave64 selects the feature on targets with both sizes: masks print as
  /// vcc or vcc_lo.
  static llvm::Expected<std::unique_ptr<Decoder>>
  create(const Target &Isa, bool Wave64, const Semantics &Known);
  virtual ~Decoder();

  /// Decodes the instruction at \p Address, at the start of \p Bytes. Fails
  /// with a DecodeError if there is no instruction, or no semantics for its
  /// mnemonic or a modifier.
  virtual llvm::Expected<std::unique_ptr<Instruction>>
  decode(llvm::ArrayRef<uint8_t> Bytes, uint64_t Address) = 0;
};

/// Parses one printed instruction and looks its semantics up in \p Known
/// (Opcodes.h). For Decoder and its tests.
llvm::Expected<std::unique_ptr<Instruction>>
parseInstruction(llvm::StringRef Text, uint64_t Address, uint32_t Size,
                 const Semantics &Known);

} // namespace kpack::softgpu

#endif // KPACK_SOFTGPU_ISA_DECODER_H
