//===- softgpu-decoder-fuzzer.cpp - fuzzer of the instruction decoder -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte chooses: a target, whose disassembler gets the other bytes as
// code, or the parser of printed instructions, which gets them as text. Both
// must refuse or return an instruction whose registers exist.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Machine/Opcodes.h"

#include "SoftGpu/Isa/Decoder.h"
#include "llvm/ADT/StringExtras.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

using namespace llvm;
using namespace kpack::softgpu;

static void check(const Instruction &I) {
  if (!I.Execute || I.OperandCount > I.Operands.size())
    std::abort();
  for (unsigned N = 0; N < I.OperandCount; ++N) {
    const Operand &O = I.Operands[N];
    if (O.What == Operand::Kind::Vgpr &&
        O.Index + O.Dwords > VectorRegisterCount)
      std::abort();
    if (O.What == Operand::Kind::Sgpr &&
        O.Index + O.Dwords > ScalarRegisterCount)
      std::abort();
  }
  if (I.Dual)
    check(*I.Dual);
}

static void check(Expected<std::unique_ptr<Instruction>> I) {
  if (I)
    check(**I);
  else
    consumeError(I.takeError());
}

static std::unique_ptr<Decoder> makeDecoder(StringRef Processor, bool Wave64) {
  return cantFail(
      Decoder::create(cantFail(kpack::softgpu::Target::get(Processor)), Wave64,
                      kpack::softgpu::machineSemantics()));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const std::array<std::unique_ptr<Decoder>, 6> Decoders{
      makeDecoder("gfx90a", true),   makeDecoder("gfx942", true),
      makeDecoder("gfx1030", false), makeDecoder("gfx1100", false),
      makeDecoder("gfx1100", true),  makeDecoder("gfx1201", false)};
  if (Size < 2 || Size > 4096)
    return 0;
  ArrayRef<uint8_t> Rest(Data + 1, Size - 1);
  if (size_t Which = Data[0] & 7; Which < Decoders.size())
    check(Decoders[Which]->decode(Rest, 0x1000));
  else
    check(parseInstruction(toStringRef(Rest), 0x1000, 4, machineSemantics()));
  return 0;
}
