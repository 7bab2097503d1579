//===- OperandParser.h - parsers of operands and modifiers ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of parseInstruction (Decoder.h, InstructionParser.cpp). They accept
// the output of LLVM's AMDGPU instruction printer; all other text is an error
// that quotes it.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_ISA_OPERANDPARSER_H
#define KPACK_LIB_SOFTGPU_ISA_OPERANDPARSER_H

#include "SoftGpu/Isa/Instruction.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kpack::softgpu {

/// Parses a decimal or 0x number with an optional sign. Returns false on
/// failure.
bool parseNumber(llvm::StringRef Text, int64_t &Value);

/// Parses one operand with its neg, abs and sext.
llvm::Expected<Operand> parseOperand(llvm::StringRef Text);

/// True if \p Text begins with the name of a modifier ("offset:4", "glc").
bool isModifier(llvm::StringRef Text);

/// Adds one modifier to \p I, whose mnemonic is known.
llvm::Error parseModifier(llvm::StringRef Text, Instruction &I);

/// Returns the names of the bits of \p Modifiers, for messages.
std::string describeModifiers(uint32_t Modifiers);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_ISA_OPERANDPARSER_H
