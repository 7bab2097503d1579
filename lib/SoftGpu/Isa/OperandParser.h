//===- OperandParser.h - text of operands and modifiers ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of parseInstruction (Decoder.h, InstructionParser.cpp). The grammar
// is what LLVM's AMDGPU instruction printer writes; everything else is an error
// that names the text.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_ISA_OPERANDPARSER_H
#define KPACK_LIB_SOFTGPU_ISA_OPERANDPARSER_H

#include "SoftGpu/Isa/Instruction.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kpack::softgpu {

/// Decimal or 0x, with an optional sign. False: something else.
bool parseNumber(llvm::StringRef Text, int64_t &Value);

/// One operand, neg and abs and sext included.
llvm::Expected<Operand> parseOperand(llvm::StringRef Text);

/// Whether \p Text begins with the name of a modifier ("offset:4", "glc").
bool isModifier(llvm::StringRef Text);

/// Adds one modifier to \p I, whose mnemonic is known.
llvm::Error parseModifier(llvm::StringRef Text, Instruction &I);

/// Names of the bits of \p Modifiers, for messages.
std::string describeModifiers(uint32_t Modifiers);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_ISA_OPERANDPARSER_H
