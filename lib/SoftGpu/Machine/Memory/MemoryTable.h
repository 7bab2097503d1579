//===- MemoryTable.h - loads and stores of all spaces -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common rows of flat_, global_, scratch_ and buffer_, each in the spelling
// of gfx9 and gfx10 and in that of gfx11 and later. Unit has the handlers
// load<Element> and store<Element> of one address space. Sibling: Atomics.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYTABLE_H
#define KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYTABLE_H

#include "MemoryElements.h"
#include "SoftGpu/Machine/OpcodeNames.h"
#include <atomic>

namespace kpack::softgpu {
namespace KPACK_SOFTGPU_VARIANT {

/// Caches are not modelled: an instruction that writes back or drops cached
/// data is a fence of the host.
inline void cacheControl(Wave &W, const Instruction &) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  W.Group->HasPendingStores = false;
}

template <NamePart P, class Unit> consteval auto loadsAndStores() {
  using U8 = Narrow<uint8_t>;
  using I8 = Narrow<int8_t>;
  using U16 = Narrow<uint16_t>;
  using I16 = Narrow<int16_t>;
  constexpr uint32_t M = Unit::Modifiers;
  constexpr uint32_t L = Unit::Modifiers | Unit::LdsModifier;
  return std::to_array<OpcodeInfo>({
      {Name<P, "load_ubyte load_u8">, Unit::template load<U8>, L},
      {Name<P, "load_sbyte load_i8">, Unit::template load<I8>, L},
      {Name<P, "load_ushort load_u16">, Unit::template load<U16>, L},
      {Name<P, "load_sshort load_i16">, Unit::template load<I16>, L},
      {Name<P, "load_dword load_b32">, Unit::template load<Dwords<1>>, L},
      {Name<P, "load_dwordx2 load_b64">, Unit::template load<Dwords<2>>, M},
      {Name<P, "load_dwordx3 load_b96">, Unit::template load<Dwords<3>>, M},
      {Name<P, "load_dwordx4 load_b128">, Unit::template load<Dwords<4>>, M},

      {Name<P, "load_ubyte_d16 load_d16_u8">,
       Unit::template load<Low16<uint8_t>>, M},
      {Name<P, "load_ubyte_d16_hi load_d16_hi_u8">,
       Unit::template load<High16<uint8_t>>, M},
      {Name<P, "load_sbyte_d16 load_d16_i8">,
       Unit::template load<Low16<int8_t>>, M},
      {Name<P, "load_sbyte_d16_hi load_d16_hi_i8">,
       Unit::template load<High16<int8_t>>, M},
      {Name<P, "load_short_d16 load_d16_b16">,
       Unit::template load<Low16<uint16_t>>, M},
      {Name<P, "load_short_d16_hi load_d16_hi_b16">,
       Unit::template load<High16<uint16_t>>, M},

      {Name<P, "store_byte store_b8">, Unit::template store<U8>, M},
      {Name<P, "store_short store_b16">, Unit::template store<U16>, M},
      {Name<P, "store_dword store_b32">, Unit::template store<Dwords<1>>, M},
      {Name<P, "store_dwordx2 store_b64">, Unit::template store<Dwords<2>>, M},
      {Name<P, "store_dwordx3 store_b96">, Unit::template store<Dwords<3>>, M},
      {Name<P, "store_dwordx4 store_b128">, Unit::template store<Dwords<4>>, M},
      {Name<P, "store_byte_d16_hi store_d16_hi_b8">,
       Unit::template store<High16<uint8_t>>, M},
      {Name<P, "store_short_d16_hi store_d16_hi_b16">,
       Unit::template store<High16<uint16_t>>, M},
  });
}

} // namespace KPACK_SOFTGPU_VARIANT
} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_MACHINE_MEMORY_MEMORYTABLE_H
