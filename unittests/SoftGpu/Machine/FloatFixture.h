//===- FloatFixture.h - an instruction in all SIMD variants -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes an instruction by the handlers of each variant that this processor
// runs (laneVariants()), from the same state; their results must be the same
// bits. Also: operands that are worth trying.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SOFTGPU_MACHINE_FLOATFIXTURE_H
#define KPACK_UNITTESTS_SOFTGPU_MACHINE_FLOATFIXTURE_H

#include "SoftGpu/Machine/Opcodes.h"
#include "WaveFixture.h"

#include <random>

namespace kpack::softgpu {

class FloatFixture : public WaveFixture {
protected:
  /// Null: it is in no table of the variant.
  static Handler findHandler(const LaneVariant &In, llvm::StringRef Mnemonic) {
    for (llvm::ArrayRef<OpcodeInfo> Table : In.Tables)
      for (const OpcodeInfo &O : Table)
        if (isOperation(O, Mnemonic))
          return O.Execute;
    return nullptr;
  }

  std::unique_ptr<Instruction> parse(const char *Text) {
    auto I = parseInstruction(Text, 0x1000, 8, machineSemantics());
    if (!I) {
      ADD_FAILURE() << Text << ": " << llvm::toString(I.takeError());
      return nullptr;
    }
    return std::move(*I);
  }

  /// Executes \p Text in all variants and compares the registers they leave.
  void inAll(const char *Text) {
    auto I = parse(Text);
    if (!I)
      return;
    inAll(*I);
  }
  void inAll(Instruction &I) {
    const Wave Before = W;
    const std::vector<Lanes32> Old(W.Vectors, W.Vectors + Compared);
    std::optional<Wave> First; // what the first variant leaves
    std::vector<Lanes32> New;
    for (const LaneVariant &Variant : Variants) {
      const Handler Execute = findHandler(Variant, I.Mnemonic);
      ASSERT_TRUE(Execute) << I.Mnemonic << " is in no table";
      W = Before;
      std::copy(Old.begin(), Old.end(), W.Vectors);
      Execute(W, I);
      if (!First) {
        First = W;
        New.assign(W.Vectors, W.Vectors + Compared);
        continue;
      }
      for (unsigned R = 0; R < Compared; ++R)
        for (unsigned L = 0; L < 64; ++L)
          ASSERT_EQ(New[R].V[L], W.Vectors[R].V[L])
              << I.Text << ": " << Variant.Name << " differs in v" << R
              << ", lane " << L;
      for (unsigned S = 0; S < ScalarRegisterCount; ++S)
        ASSERT_EQ(First->Scalars[S], W.Scalars[S])
            << I.Text << ": " << Variant.Name << " differs in scalar register "
            << S;
    }
  }

  const std::vector<LaneVariant> Variants = laneVariants();

  static constexpr unsigned Compared = 32;

  /// Numbers at which formulae change, of both signs.
  static const std::vector<uint32_t> &specials32() {
    static const std::vector<uint32_t> Values = [] {
      std::vector<uint32_t> V;
      for (uint32_t B :
           {0x00000000u, 0x00000001u, 0x00000003u, 0x00400000u, 0x007fffffu,
            0x00800000u, 0x00800001u, 0x0c000000u, 0x1f800000u, 0x33800000u,
            0x3e800000u, 0x3effffffu, 0x3f000000u, 0x3f7fffffu, 0x3f800000u,
            0x3f800001u, 0x3fc00000u, 0x40000000u, 0x40490fdbu, 0x4b000001u,
            0x4effffffu, 0x4f000000u, 0x4f7fffffu, 0x4f800000u, 0x5f800000u,
            0x7e800000u, 0x7e800001u, 0x7f000000u, 0x7f7fffffu, 0x7f800000u,
            0x7f800001u, 0x7fa12345u, 0x7fc00000u, 0x7fc54321u}) {
        V.push_back(B);
        V.push_back(B | 0x80000000u);
      }
      return V;
    }();
    return Values;
  }
  static const std::vector<uint64_t> &specials64() {
    static const std::vector<uint64_t> Values = [] {
      std::vector<uint64_t> V;
      for (uint64_t B : std::initializer_list<uint64_t>{0,
                                                        1,
                                                        0x0008000000000000,
                                                        0x000fffffffffffffu,
                                                        0x0010000000000000u,
                                                        0x0010000000000001u,
                                                        0x0340000000000000u,
                                                        0x0350000000000000u,
                                                        0x0ff0000000000000u,
                                                        0x3ca0000000000000u,
                                                        0x3fd0000000000000u,
                                                        0x3fdfffffffffffffu,
                                                        0x3fe0000000000000u,
                                                        0x3fefffffffffffffu,
                                                        0x3ff0000000000000u,
                                                        0x3ff0000000000001u,
                                                        0x3ff8000000000000u,
                                                        0x4000000000000000u,
                                                        0x400921fb54442d18u,
                                                        0x41dfffffffc00000u,
                                                        0x41e0000000000000u,
                                                        0x41efffffffe00000u,
                                                        0x41f0000000000000u,
                                                        0x4330000000000001u,
                                                        0x47efffffe0000000u,
                                                        0x47f0000000000000u,
                                                        0x6ff0000000000000u,
                                                        0x7fd0000000000000u,
                                                        0x7fd0000000000001u,
                                                        0x7fe0000000000000u,
                                                        0x7fefffffffffffffu,
                                                        0x7ff0000000000000u,
                                                        0x7ff0000000000001u,
                                                        0x7ff8000000000000u,
                                                        0x7ff8000000054321u}) {
        V.push_back(B);
        V.push_back(B | 0x8000000000000000u);
      }
      return V;
    }();
    return Values;
  }

  static bool isNan(uint32_t B) { return (B & 0x7fffffffu) > 0x7f800000u; }
  static bool isNan(uint64_t B) {
    return (B & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
  }
  static uint32_t quiet(uint32_t B) { return B | 0x00400000u; }
  static uint64_t quiet(uint64_t B) { return B | 0x0008000000000000u; }
  static float toFloat(uint32_t B) { return std::bit_cast<float>(B); }
  static double toFloat(uint64_t B) { return std::bit_cast<double>(B); }
};

} // namespace kpack::softgpu

#endif // KPACK_UNITTESTS_SOFTGPU_MACHINE_FLOATFIXTURE_H
