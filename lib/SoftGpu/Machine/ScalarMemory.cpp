//===- ScalarMemory.cpp - scalar loads ------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// s_load and s_buffer_load: base, constant offset and offset register are
// bytes. Loads of dwords ignore the two lowest bits of each; smaller ones
// (gfx12) those below their size. Scalar stores and atomics have no semantics
// here.
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "Memory.h"
#include "Opcodes.h"
#include <cstring>

namespace kpack::softgpu {

namespace {
/// What a load puts into its registers.
struct Dword {
  using Memory = uint32_t;
};
struct SignedByte {
  using Memory = int8_t;
};
struct UnsignedByte {
  using Memory = uint8_t;
};
struct SignedShort {
  using Memory = int16_t;
};
struct UnsignedShort {
  using Memory = uint16_t;
};
} // namespace

/// Sum of the offsets: operand 2, a register or a number, and offset:.
static uint64_t offsetOf(const Wave &W, const Instruction &I, uint64_t Align) {
  const Operand &O = I.Operands[2];
  uint64_t First = O.What == Operand::Kind::Constant
                       ? O.Value
                       : uint64_t(scalarBits32(W, O));
  return (First & ~(Align - 1)) + (uint64_t(I.Offset) & ~(Align - 1));
}

static uint32_t extend(const uint8_t *From, auto Element) {
  std::memcpy(&Element, From, sizeof Element);
  return uint32_t(Element);
}

/// Register \p N of the destination; none for null.
static void setRegister(Wave &W, const Instruction &I, unsigned N,
                        uint32_t Value) {
  const Operand &O = I.Operands[0];
  if (O.What == Operand::Kind::Sgpr && N < O.Dwords)
    W.Scalars[O.Index + N] = Value;
}

template <typename Element, unsigned Count>
static void load(Wave &W, const Instruction &I) {
  using Memory = typename Element::Memory;
  constexpr uint64_t Align = sizeof(Memory);
  uint64_t Base = scalarBits64(W, I.Operands[1]) & ~(Align - 1);
  const uint8_t *From = globalPointer(W, I, -1, Base + offsetOf(W, I, Align),
                                      Count * sizeof(Memory), Access::Read);
  if (!From)
    return;
  for (unsigned N = 0; N < Count; ++N)
    setRegister(W, I, N, extend(From + N * sizeof(Memory), Memory()));
}

/// The buffer's resource in four registers: a 48-bit base, a stride of 14 bits,
/// the number of records (of bytes, where the stride is zero). What lies beyond
/// them reads as zero, element by element.
template <typename Element, unsigned Count>
static void bufferLoad(Wave &W, const Instruction &I) {
  using Memory = typename Element::Memory;
  constexpr uint64_t Align = sizeof(Memory);
  const Operand &O = I.Operands[1];
  if (O.What != Operand::Kind::Sgpr || O.Dwords != 4) {
    W.fault(Fault::Kind::BadDispatch, I, "the resource is not in 4 registers");
    return;
  }
  const uint32_t *Resource = W.Scalars + O.Index;
  uint64_t Base = Resource[0] | uint64_t(Resource[1] & 0xffff) << 32;
  uint64_t Stride = Resource[1] >> 16 & 0x3fff;
  uint64_t Size = uint64_t(Resource[2]) * (Stride ? Stride : 1);
  uint64_t Offset = offsetOf(W, I, Align);
  uint32_t Values[Count] = {};
  for (unsigned N = 0; N < Count; ++N, Offset += sizeof(Memory)) {
    if (Offset > Size || Size - Offset < sizeof(Memory))
      continue;
    const uint8_t *From = globalPointer(
        W, I, -1, (Base & ~(Align - 1)) + Offset, sizeof(Memory), Access::Read);
    if (!From)
      return;
    Values[N] = extend(From, Memory());
  }
  for (unsigned N = 0; N < Count; ++N)
    setRegister(W, I, N, Values[N]);
}

static void prefetch(Wave &, const Instruction &) {}

static constexpr OpcodeInfo Table[] = {
    {"s_load_dword", load<Dword, 1>, ModOffset},
    {"s_load_dwordx2", load<Dword, 2>, ModOffset},
    {"s_load_dwordx3", load<Dword, 3>, ModOffset},
    {"s_load_dwordx4", load<Dword, 4>, ModOffset},
    {"s_load_dwordx8", load<Dword, 8>, ModOffset},
    {"s_load_dwordx16", load<Dword, 16>, ModOffset},
    {"s_load_b32", load<Dword, 1>, ModOffset},
    {"s_load_b64", load<Dword, 2>, ModOffset},
    {"s_load_b96", load<Dword, 3>, ModOffset},
    {"s_load_b128", load<Dword, 4>, ModOffset},
    {"s_load_b256", load<Dword, 8>, ModOffset},
    {"s_load_b512", load<Dword, 16>, ModOffset},
    {"s_load_i8", load<SignedByte, 1>, ModOffset},
    {"s_load_u8", load<UnsignedByte, 1>, ModOffset},
    {"s_load_i16", load<SignedShort, 1>, ModOffset},
    {"s_load_u16", load<UnsignedShort, 1>, ModOffset},

    {"s_buffer_load_dword", bufferLoad<Dword, 1>, ModOffset},
    {"s_buffer_load_dwordx2", bufferLoad<Dword, 2>, ModOffset},
    {"s_buffer_load_dwordx3", bufferLoad<Dword, 3>, ModOffset},
    {"s_buffer_load_dwordx4", bufferLoad<Dword, 4>, ModOffset},
    {"s_buffer_load_dwordx8", bufferLoad<Dword, 8>, ModOffset},
    {"s_buffer_load_dwordx16", bufferLoad<Dword, 16>, ModOffset},
    {"s_buffer_load_b32", bufferLoad<Dword, 1>, ModOffset},
    {"s_buffer_load_b64", bufferLoad<Dword, 2>, ModOffset},
    {"s_buffer_load_b96", bufferLoad<Dword, 3>, ModOffset},
    {"s_buffer_load_b128", bufferLoad<Dword, 4>, ModOffset},
    {"s_buffer_load_b256", bufferLoad<Dword, 8>, ModOffset},
    {"s_buffer_load_b512", bufferLoad<Dword, 16>, ModOffset},
    {"s_buffer_load_i8", bufferLoad<SignedByte, 1>, ModOffset},
    {"s_buffer_load_u8", bufferLoad<UnsignedByte, 1>, ModOffset},
    {"s_buffer_load_i16", bufferLoad<SignedShort, 1>, ModOffset},
    {"s_buffer_load_u16", bufferLoad<UnsignedShort, 1>, ModOffset},

    // A prefetch that fails has no effect.
    {"s_prefetch_inst s_prefetch_inst_pc_rel s_prefetch_data "
     "s_prefetch_data_pc_rel s_buffer_prefetch_data",
     prefetch, ModOffset},
};

llvm::ArrayRef<OpcodeInfo> scalarMemoryOpcodes() { return Table; }

} // namespace kpack::softgpu
