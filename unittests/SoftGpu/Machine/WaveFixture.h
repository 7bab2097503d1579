//===- WaveFixture.h - fixture: a wave that runs an instruction -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wave with registers to fill and to read, for tests of semantics: an
// instruction is given as the text that LLVM prints. Expected values come from
// the test (the ISA manual's formula, or plain C++ on plain numbers), never
// from the interpreter. Decoding of real bytes is tested in DecoderTest.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SOFTGPU_MACHINE_WAVEFIXTURE_H
#define KPACK_UNITTESTS_SOFTGPU_MACHINE_WAVEFIXTURE_H

#include "SoftGpu/Machine/Opcodes.h"
#include "SoftGpu/Machine/Wave.h"

#include "SoftGpu/Isa/Decoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"
#include <bit>
#include <cstdlib>

namespace kpack::softgpu {

/// Whether \p Info is the operation that is spelled \p Mnemonic.
inline bool isOperation(const OpcodeInfo &Info, llvm::StringRef Mnemonic) {
  return llvm::is_contained(llvm::split(Info.Mnemonics, ' '), Mnemonic);
}

class WaveFixture : public testing::Test {
protected:
  WaveFixture() { use("gfx90a"); }
  ~WaveFixture() override { std::free(Registers); }

  /// Starts again with zeroed registers on \p Processor; wave64 on gfx9, else
  /// wave32 unless \p Wave64.
  void use(const char *Processor, bool Wave64 = false) {
    auto T = Target::get(Processor);
    ASSERT_TRUE(bool(T)) << Processor;
    Isa = *T;
    W = Wave();
    Options = MachineOptions();
    Launch = Dispatch();
    Group = Workgroup();
    Group.Lds.assign(65536, 0);
    Launch.Isa = &Isa;
    Launch.Memory = &Memory;
    Launch.Options = &Options;
    Launch.Request = &Request;
    Group.Launch = &Launch;
    W.Group = &Group;
    W.Isa = &Isa;
    W.Lanes = Isa.isGfx9() || Wave64 ? 64 : 32;
    if (!Registers)
      Registers = static_cast<Lanes32 *>(
          std::aligned_alloc(64, VectorRegisterCount * sizeof(Lanes32)));
    std::memset(Registers, 0, VectorRegisterCount * sizeof(Lanes32));
    W.Vectors = Registers;
    PrivateStore.assign(4096 * 64, 0);
    W.Private = PrivateStore.data();
    W.PrivateBytes = 4096;
    W.setExec(W.allLanes());
  }

  /// Executes \p Text; a fault or an unknown instruction fails the test.
  void run(const char *Text) {
    execute(Text);
    ASSERT_FALSE(W.Failure) << Text << ": " << W.Failure->Detail;
  }

  /// Executes \p Text, faults included; see W.Failure.
  void execute(const char *Text) {
    auto I = parseInstruction(Text, 0x1000, 8, machineSemantics());
    if (!I) {
      FAIL() << Text << ": " << llvm::toString(I.takeError());
      return;
    }
    W.Pc = 0x1008;
    (*I)->Execute(W, **I);
  }

  /// What the parser says against \p Text; empty: it accepts it.
  std::string refusal(const char *Text) {
    auto I = parseInstruction(Text, 0x1000, 8, machineSemantics());
    return I ? std::string() : llvm::toString(I.takeError());
  }

  uint32_t &v(unsigned Register, unsigned Lane = 0) {
    return W.Vectors[Register].V[Lane];
  }
  uint64_t v64(unsigned Register, unsigned Lane = 0) {
    return v(Register, Lane) | uint64_t(v(Register + 1, Lane)) << 32;
  }
  void setV64(unsigned Register, uint64_t Value, unsigned Lane = 0) {
    v(Register, Lane) = uint32_t(Value);
    v(Register + 1, Lane) = uint32_t(Value >> 32);
  }
  /// The same value in all lanes.
  void fill(unsigned Register, uint32_t Value) {
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      v(Register, Lane) = Value;
  }
  uint32_t &s(unsigned Register) { return W.Scalars[Register]; }
  static uint32_t bits(float F) { return std::bit_cast<uint32_t>(F); }
  static uint64_t bits(double D) { return std::bit_cast<uint64_t>(D); }

  Target Isa;
  MemoryMap Memory;
  MachineOptions Options;
  DispatchRequest Request;
  Dispatch Launch;
  Workgroup Group;
  Wave W;

private:
  Lanes32 *Registers = nullptr;
  std::vector<uint8_t> PrivateStore;
};

} // namespace kpack::softgpu

#endif // KPACK_UNITTESTS_SOFTGPU_MACHINE_WAVEFIXTURE_H
