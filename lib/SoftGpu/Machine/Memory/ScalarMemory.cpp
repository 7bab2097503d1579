//===- ScalarMemory.cpp - scalar load instructions ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// s_load and s_buffer_load: base, constant offset and offset register count
// bytes. Loads of dwords ignore the two lowest bits of each; smaller ones
// (gfx12) those below their size. Scalar stores and atomics have no semantics
// here.
//
//===----------------------------------------------------------------------===//
#include "MemoryElements.h"
#include "SoftGpu/Machine/OpcodeNames.h"

namespace kpack::softgpu {

/// Returns the sum of the offsets: operand 2, a register or a number, and
/// offset:.
static uint64_t offsetOf(const Wave &W, const Instruction &I, uint64_t Align) {
  const Operand &O = I.Operands[2];
  uint64_t First = O.What == Operand::Kind::Constant
                       ? O.Value
                       : uint64_t(scalarBits32(W, O));
  return (First & ~(Align - 1)) + (uint64_t(I.Offset) & ~(Align - 1));
}

/// Sets register \p N of the destination, unless that is null.
static void setRegister(Wave &W, const Instruction &I, unsigned N,
                        uint32_t Value) {
  const Operand &O = I.Operands[0];
  if (O.What == Operand::Kind::Sgpr && N < O.Dwords)
    W.Scalars[O.Index + N] = Value;
}

/// Reads dwords, or one narrower number, extended.
template <unsigned Count, typename T>
static std::array<uint32_t, Count> readScalars(const uint8_t *Source) {
  if constexpr (sizeof(T) == sizeof(uint32_t))
    return readDwords<Count>(Source);
  else
    return {uint32_t(readElement<T>(Source))};
}

namespace {

struct GlobalUnit {
  template <unsigned Count, typename T = uint32_t>
  static void load(Wave &W, const Instruction &I) {
    constexpr uint64_t Align = sizeof(T);
    uint64_t Base = scalarBits64(W, I.Operands[1]) & ~(Align - 1);
    const uint8_t *Source =
        globalPointer(W, I, -1, Base + offsetOf(W, I, Align), Count * sizeof(T),
                      Access::Read);
    if (!Source)
      return;
    auto Values = readScalars<Count, T>(Source);
    for (unsigned N = 0; N < Count; ++N)
      setRegister(W, I, N, Values[N]);
  }
};

/// The buffer's resource in four registers: a 48-bit base, a stride of 14 bits,
/// the number of records (of bytes, if the stride is zero). Elements beyond
/// them read as zero.
struct BufferUnit {
  template <unsigned Count, typename T = uint32_t>
  static void load(Wave &W, const Instruction &I) {
    constexpr uint64_t Align = sizeof(T);
    const Operand &O = I.Operands[1];
    if (O.What != Operand::Kind::Sgpr || O.Dwords != 4) {
      W.fault(Fault::Kind::BadDispatch, I,
              "the resource is not in 4 registers");
      return;
    }
    const uint32_t *Resource = W.Scalars + O.Index;
    uint64_t Base = Resource[0] | uint64_t(Resource[1] & 0xffff) << 32;
    uint64_t Stride = Resource[1] >> 16 & 0x3fff;
    uint64_t Size = uint64_t(Resource[2]) * (Stride ? Stride : 1);
    uint64_t Offset = offsetOf(W, I, Align);
    Base &= ~(Align - 1);
    std::array<uint32_t, Count> Values = {};
    if (Offset <= Size && Size - Offset >= Count * sizeof(T)) {
      const uint8_t *Source = globalPointer(W, I, -1, Base + Offset,
                                            Count * sizeof(T), Access::Read);
      if (!Source)
        return;
      Values = readScalars<Count, T>(Source);
    } else {
      for (unsigned N = 0; N < Count; ++N, Offset += sizeof(T)) {
        if (Offset > Size || Size - Offset < sizeof(T))
          continue;
        const uint8_t *Source =
            globalPointer(W, I, -1, Base + Offset, sizeof(T), Access::Read);
        if (!Source)
          return;
        Values[N] = uint32_t(readElement<T>(Source));
      }
    }
    for (unsigned N = 0; N < Count; ++N)
      setRegister(W, I, N, Values[N]);
  }
};

} // namespace

/// Spellings of gfx9 and gfx10, then of gfx11 and later.
template <NamePart P, class Unit> static consteval auto loads() {
  return std::to_array<OpcodeInfo>({
      {Name<P, "load_dword load_b32">, Unit::template load<1>, ModOffset},
      {Name<P, "load_dwordx2 load_b64">, Unit::template load<2>, ModOffset},
      {Name<P, "load_dwordx3 load_b96">, Unit::template load<3>, ModOffset},
      {Name<P, "load_dwordx4 load_b128">, Unit::template load<4>, ModOffset},
      {Name<P, "load_dwordx8 load_b256">, Unit::template load<8>, ModOffset},
      {Name<P, "load_dwordx16 load_b512">, Unit::template load<16>, ModOffset},
      {Name<P, "load_i8">, Unit::template load<1, int8_t>, ModOffset},
      {Name<P, "load_u8">, Unit::template load<1, uint8_t>, ModOffset},
      {Name<P, "load_i16">, Unit::template load<1, int16_t>, ModOffset},
      {Name<P, "load_u16">, Unit::template load<1, uint16_t>, ModOffset},
  });
}

static constexpr auto Others = std::to_array<OpcodeInfo>({
    // A prefetch that fails has no effect.
    {"s_prefetch_inst s_prefetch_inst_pc_rel s_prefetch_data "
     "s_prefetch_data_pc_rel s_buffer_prefetch_data",
     doNothing, ModOffset},
});

static constexpr auto Table = joinTables(
    loads<"s_", GlobalUnit>(), loads<"s_buffer_", BufferUnit>(), Others);

llvm::ArrayRef<OpcodeInfo> scalarMemoryOpcodes() { return Table; }

} // namespace kpack::softgpu
