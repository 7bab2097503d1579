//===- LaneRows.h - operations checked on many operands ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test of an operation is an instruction's text and the formula of one lane,
// written down a second time. check() runs it on corner cases and random
// numbers, with and without inactive lanes, in wave32 and wave64, and by both
// variants of the lane loops.
//
// Registers: source A is v[2:3], B v[4:5], C v[6:7], the result v[10:11].
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SOFTGPU_MACHINE_LANEROWS_H
#define KPACK_UNITTESTS_SOFTGPU_MACHINE_LANEROWS_H

#include "SoftGpu/Machine/Opcodes.h"
#include "WaveFixture.h"

#include <functional>
#include <random>

namespace kpack::softgpu {

/// Result of a lane; Old is what the destination held.
using LaneFormula =
    std::function<uint64_t(uint64_t A, uint64_t B, uint64_t C, uint64_t Old)>;

struct LaneRow {
  const char *Text;
  LaneFormula Expected;
  unsigned ResultBits = 32;
};

class LaneRowTest : public WaveFixture {
protected:
  static constexpr unsigned A = 2, B = 4, C = 6, Result = 10;
  static constexpr uint64_t SomeLanes = 0x9249a4d3fffe8001;

  void check(const LaneRow &Row) {
    auto I = parseInstruction(Row.Text, 0x1000, 8, machineSemantics());
    if (!I) {
      ADD_FAILURE() << Row.Text << ": " << llvm::toString(I.takeError());
      return;
    }
    for (Handler H : variants((*I)->Mnemonic))
      for (uint64_t Exec : {~uint64_t(0), SomeLanes, uint64_t(0)})
        for (unsigned Round = 0; Round < 6; ++Round) {
          (*I)->Execute = H;
          if (!checkOnce(Row, **I, Exec, Round))
            return;
        }
  }

  /// The handlers of all variants that this processor runs.
  static std::vector<Handler> variants(const std::string &Mnemonic) {
    std::vector<Handler> Found;
    for (const LaneVariant &Variant : laneVariants())
      for (llvm::ArrayRef<OpcodeInfo> Table : Variant.Tables)
        for (const OpcodeInfo &Info : Table)
          if (isOperation(Info, Mnemonic))
            Found.push_back(Info.Execute);
    EXPECT_FALSE(Found.empty()) << Mnemonic;
    return Found;
  }

  /// Round 0 and 1 are corner cases, others random.
  void fillSources(unsigned Round) {
    static constexpr uint64_t Corners[] = {
        0,          1,          2,          3,           15,         16,
        31,         32,         63,         0x7f,        0x80,       0xff,
        0x0c0d0b0a, 0x7fff,     0x8000,     0xffff,      0x10000,    0x7fffff,
        0x800000,   0xffffff,   0x1000000,  0x7fff8000,  0x80008000, 0x7fffffff,
        0x80000000, 0xffffffff, 0xfffffffe, 0x100000000, ~0ull >> 1, 1ull << 63,
        ~0ull};
    std::mt19937_64 Random(Round);
    for (unsigned Lane = 0; Lane < 64; ++Lane) {
      auto Pick = [&](unsigned Step) {
        return Round < 2
                   ? Corners[(Lane * Step + Round * 17) % std::size(Corners)]
                   : Random() >> (Round & 1 ? Random() % 64 : 0);
      };
      setV64(A, Pick(1), Lane);
      setV64(B, Pick(7), Lane);
      setV64(C, Pick(12), Lane);
      setV64(Result, Random(), Lane);
    }
  }

  bool checkOnce(const LaneRow &Row, const Instruction &I, uint64_t Exec,
                 unsigned Round) {
    W.setExec(Exec & W.allLanes());
    fillSources(Round);
    std::array<uint64_t, 64> Old;
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      Old[Lane] = v64(Result, Lane);
    I.Execute(W, I);
    for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
      uint64_t Want = Old[Lane];
      if (Exec >> Lane & 1) {
        Want =
            Row.Expected(v64(A, Lane), v64(B, Lane), v64(C, Lane), Old[Lane]);
        if (Row.ResultBits == 32)
          Want = uint32_t(Want) | (Old[Lane] & ~uint64_t(0xffffffff));
      }
      EXPECT_EQ(v64(Result, Lane), Want)
          << std::hex << Row.Text << " A=" << v64(A, Lane)
          << " B=" << v64(B, Lane) << " C=" << v64(C, Lane)
          << " old=" << Old[Lane] << std::dec << " lane " << Lane;
      if (v64(Result, Lane) != Want)
        return false;
    }
    return true;
  }
};

} // namespace kpack::softgpu

#endif // KPACK_UNITTESTS_SOFTGPU_MACHINE_LANEROWS_H
