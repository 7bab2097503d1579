// Litmus tests of the emulated GPU's memory:
// docs/explanation/softgpu-memory.md.
//
// Agents A and B of 64 threads each run at the same time. They are two blocks,
// or at workgroup scope the two halves of one. Each thread of A has one of B as
// its partner, and the two have a cell of their own. Every kernel has the
// arguments (cells, all zero; result; rounds). It counts in result[0] the
// outcomes that the memory model forbids, and in result[1] the rounds in which
// an agent saw the other at work: few if they ran one after the other.
#include "hip_mini.h"

typedef unsigned u32;
typedef unsigned long u64;
typedef u32 Two __attribute__((ext_vector_type(2)));
typedef u32 Three __attribute__((ext_vector_type(3)));
typedef u32 Four __attribute__((ext_vector_type(4)));

#define INLINE __device__ __attribute__((always_inline)) inline

enum : u32 {
  Threads = 64,    // of an agent
  CellDwords = 96, // of a thread
};

struct Agent {
  u32 Thread;
  bool IsA;
  u32 *Cell;   // shared with the partner
  u32 *Result; // two counters
};

template <int Scope> INLINE Agent thisAgent(u32 *Cells, u32 *Result) {
  u32 Local = __builtin_amdgcn_workitem_id_x();
  u32 Which = Scope == __HIP_MEMORY_SCOPE_WORKGROUP
                  ? Local / Threads
                  : __builtin_amdgcn_workgroup_id_x() % 2;
  u32 Thread = Local % Threads;
  u32 Pair = Scope == __HIP_MEMORY_SCOPE_WORKGROUP
                 ? __builtin_amdgcn_workgroup_id_x()
                 : __builtin_amdgcn_workgroup_id_x() / 2;
  return {Thread, Which == 0, Cells + (Pair * Threads + Thread) * CellDwords,
          Result};
}

template <int Scope> INLINE u32 get(const u32 *From) {
  return __hip_atomic_load(From, __ATOMIC_RELAXED, Scope);
}
template <int Scope> INLINE void set(u32 *To, u32 Value) {
  __hip_atomic_store(To, Value, __ATOMIC_RELAXED, Scope);
}
template <int Scope> INLINE void fence(int Order) {
  // The order and the scope of a fence are literals.
#define FENCE(order)                                                           \
  if (Order == order) {                                                        \
    if (Scope == __HIP_MEMORY_SCOPE_WORKGROUP)                                 \
      __builtin_amdgcn_fence(order, "workgroup");                              \
    else if (Scope == __HIP_MEMORY_SCOPE_AGENT)                                \
      __builtin_amdgcn_fence(order, "agent");                                  \
    else                                                                       \
      __builtin_amdgcn_fence(order, "");                                       \
  }
  FENCE(__ATOMIC_ACQUIRE)
  FENCE(__ATOMIC_RELEASE)
  FENCE(__ATOMIC_SEQ_CST)
}

INLINE void count(const Agent &Self, bool IsForbidden, bool SawOther) {
  if (IsForbidden)
    __hip_atomic_fetch_add(Self.Result, 1u, __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_SYSTEM);
  if (SawOther)
    __hip_atomic_fetch_add(Self.Result + 1, 1u, __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_SYSTEM);
}

/// Waits until the partner has come to \p Round too. The last two dwords of a
/// cell count.
INLINE void meet(const Agent &Self, u32 Round) {
  u32 *Mine = Self.Cell + CellDwords - (Self.IsA ? 1 : 2);
  u32 *Other = Self.Cell + CellDwords - (Self.IsA ? 2 : 1);
  set<__HIP_MEMORY_SCOPE_SYSTEM>(Mine, Round);
  // Not s_sleep, after which a worker begins another block.
  while (get<__HIP_MEMORY_SCOPE_SYSTEM>(Other) < Round)
    ;
  fence<__HIP_MEMORY_SCOPE_SYSTEM>(__ATOMIC_ACQUIRE);
}

//===- Message passing ----------------------------------------------------===//

/// A writes a value, then a flag. B, which sees the flag, sees the value; and a
/// flag never goes back.
template <int Scope, bool Fences>
INLINE void messagePassing(u32 *Cells, u32 *Result, u32 Rounds) {
  Agent Self = thisAgent<Scope>(Cells, Result);
  u32 *Value = Self.Cell, *Flag = Self.Cell + 8, Last = 0;
  meet(Self, 1);
  for (u32 Round = 1; Self.IsA ? Round <= Rounds : Last != Rounds; ++Round) {
    if (Self.IsA) {
      *Value = Round;
      if (Fences) {
        fence<Scope>(__ATOMIC_RELEASE);
        set<Scope>(Flag, Round);
      } else {
        __hip_atomic_store(Flag, Round, __ATOMIC_RELEASE, Scope);
      }
      continue;
    }
    u32 F;
    if (Fences) {
      F = get<Scope>(Flag);
      fence<Scope>(__ATOMIC_ACQUIRE);
    } else {
      F = __hip_atomic_load(Flag, __ATOMIC_ACQUIRE, Scope);
    }
    u32 V = get<Scope>(Value);
    count(Self, V < F || F<Last, F> Last);
    Last = F;
  }
}

//===- Store buffering ----------------------------------------------------===//

/// Each writes its flag and then reads the other's: one of them sees it. A
/// batch of flags is written without a meeting, so that the agents overtake
/// each other.
template <int Scope, bool Fences>
INLINE void storeBuffering(u32 *Cells, u32 *Result, u32 Rounds) {
  constexpr u32 Batch = 16;
  Agent Self = thisAgent<Scope>(Cells, Result);
  u32 *Mine = Self.Cell + (Self.IsA ? 0 : Batch);
  u32 *Other = Self.Cell + (Self.IsA ? Batch : 0);
  u32 *Seen = Self.Cell + (Self.IsA ? 2 : 3) * Batch;
  u32 *OtherSeen = Self.Cell + (Self.IsA ? 3 : 2) * Batch;
  for (u32 Round = 1; Round <= Rounds / Batch; ++Round) {
    meet(Self, 2 * Round);
    for (u32 K = 0; K != Batch; ++K) {
      if (Fences) {
        set<Scope>(Mine + K, Round);
        fence<Scope>(__ATOMIC_SEQ_CST);
        Seen[K] = get<Scope>(Other + K);
      } else {
        __hip_atomic_store(Mine + K, Round, __ATOMIC_SEQ_CST, Scope);
        Seen[K] = __hip_atomic_load(Other + K, __ATOMIC_SEQ_CST, Scope);
      }
    }
    fence<__HIP_MEMORY_SCOPE_SYSTEM>(__ATOMIC_SEQ_CST);
    meet(Self, 2 * Round + 1);
    for (u32 K = 0; Self.IsA && K != Batch; ++K) {
      u32 A = Seen[K], B = get<__HIP_MEMORY_SCOPE_SYSTEM>(OtherSeen + K);
      count(Self, A < Round && B < Round, A >= Round && B >= Round);
    }
  }
}

//===- Wide accesses ------------------------------------------------------===//

struct Global {
  template <class V> static INLINE V load(u32 *Base, u32 Index) {
    return *(const volatile __attribute__((address_space(1)))
             V *)(Base + Index);
  }
  template <class V> static INLINE void store(u32 *Base, u32 Index, V Value) {
    *(volatile __attribute__((address_space(1))) V *)(Base + Index) = Value;
  }
};

struct Flat {
  template <class V> static INLINE V load(u32 *Base, u32 Index) {
    return *(const volatile V *)(Base + Index);
  }
  template <class V> static INLINE void store(u32 *Base, u32 Index, V Value) {
    *(volatile V *)(Base + Index) = Value;
  }
};

struct Buffer {
  static INLINE __amdgpu_buffer_rsrc_t resource(u32 *Base) {
#ifdef __GFX9__
    constexpr u32 Format = 0x00027000;
#else
    constexpr u32 Format = 0x31004000;
#endif
    return __builtin_amdgcn_make_buffer_rsrc(Base, 0, -1, Format);
  }
  template <class V> static INLINE V load(u32 *Base, u32 Index) {
    // Not before what was read earlier, and not once for all rounds.
    __asm__ volatile("" ::: "memory");
    if constexpr (sizeof(V) == 8)
      return __builtin_amdgcn_raw_buffer_load_b64(resource(Base), 4 * Index, 0,
                                                  1);
    else if constexpr (__is_same(V, Three))
      return __builtin_amdgcn_raw_buffer_load_b96(resource(Base), 4 * Index, 0,
                                                  1);
    else
      return __builtin_amdgcn_raw_buffer_load_b128(resource(Base), 4 * Index, 0,
                                                   1);
  }
  template <class V> static INLINE void store(u32 *Base, u32 Index, V Value) {
    if constexpr (sizeof(V) == 8)
      __builtin_amdgcn_raw_buffer_store_b64(Value, resource(Base), 4 * Index, 0,
                                            0);
    else if constexpr (__is_same(V, Three))
      __builtin_amdgcn_raw_buffer_store_b96(Value, resource(Base), 4 * Index, 0,
                                            0);
    else
      __builtin_amdgcn_raw_buffer_store_b128(Value, resource(Base), 4 * Index,
                                             0, 0);
    __asm__ volatile("" ::: "memory");
  }
};

/// All threads of B read the cell of the first one.
struct Scalar : Global {
  template <class V> static INLINE V load(u32 *Base, u32 Index) {
    u64 First = (u64)(Base + __builtin_amdgcn_readfirstlane(Index));
    V Value;
#ifdef __GFX12__
#define SCALAR_WAIT "s_wait_kmcnt 0x0"
#else
#define SCALAR_WAIT "s_waitcnt lgkmcnt(0)"
#endif
#if defined(__GFX11__) || defined(__GFX12__)
#define SCALAR_LOAD(dwords, bits) "s_load_b" #bits
#else
#define SCALAR_LOAD(dwords, bits) "s_load_dwordx" #dwords
#endif
    if constexpr (sizeof(V) == 8)
      __asm__ volatile(SCALAR_LOAD(2, 64) " %0, %1, 0x0\n" SCALAR_WAIT
                       : "=&s"(Value)
                       : "s"(First)
                       : "memory");
    else
      __asm__ volatile(SCALAR_LOAD(4, 128) " %0, %1, 0x0\n" SCALAR_WAIT
                       : "=&s"(Value)
                       : "s"(First)
                       : "memory");
    return Value;
  }
};

/// A writes one number to all dwords of a vector; B never sees two. With an
/// offset, B writes the dword in front of the vector meanwhile, and nothing
/// that it writes is lost.
template <class Space, class V, u32 Offset>
INLINE void wideAccess(u32 *Cells, u32 *Result, u32 Rounds) {
  constexpr u32 Dwords = __is_same(V, Three) ? 3 : sizeof(V) / sizeof(u32);
  Agent Self = thisAgent<__HIP_MEMORY_SCOPE_AGENT>(Cells, Result);
  u32 Index = u32(Self.Cell - Cells);
  u32 Last = 0;
  meet(Self, 1);
  for (u32 Round = 1; Self.IsA ? Round <= Rounds : Last != Rounds; ++Round) {
    if (Self.IsA) {
      V Value;
      for (u32 K = 0; K != Dwords; ++K)
        Value[K] = Round;
      Space::template store<V>(Cells, Index + Offset, Value);
      continue;
    }
    if (Offset)
      set<__HIP_MEMORY_SCOPE_AGENT>(Self.Cell, Round);
    V Value = Space::template load<V>(Cells, Index + Offset);
    bool IsTorn = false;
    for (u32 K = 1; K != Dwords; ++K)
      IsTorn |= Value[K] != Value[0];
    if (Offset)
      IsTorn |= get<__HIP_MEMORY_SCOPE_AGENT>(Self.Cell) != Round;
    count(Self, IsTorn, Value[0] > Last);
    Last = Value[0];
  }
}

//===- Decoupled look-back ------------------------------------------------===//

/// A sum over the blocks before, as scans make it: each block writes its own
/// number and then the sum so far, with what it is in the same vector. Each
/// thread adds a column of its own.
template <class V, u32 Dwords>
INLINE void lookBack(u32 *Cells, u32 *Result, u32 Rounds) {
  enum : u32 { Number = 1, Sum = 2 };
  u32 Thread = __builtin_amdgcn_workitem_id_x();
  u32 Block = __builtin_amdgcn_workgroup_id_x();
  Agent Self = {Thread, false, nullptr, Result};
  constexpr u32 Blocks = 16;
  auto cell = [&](u32 Round, u32 Block) {
    return ((Round * Blocks + Block) * Threads + Thread) * 4;
  };
  auto write = [&](u32 Round, u64 Value, u32 Kind) {
    V Cell;
    Cell[Dwords - 1] = Kind;
    Cell[0] = u32(Value);
    if constexpr (Dwords > 2)
      Cell[1] = u32(Value >> 32);
    if constexpr (Dwords > 3)
      Cell[2] = ~u32(Value);
    Global::store<V>(Cells, cell(Round, Block), Cell);
  };
  for (u32 Round = 0; Round != Rounds; ++Round) {
    u64 Step = Dwords > 2 ? 0x100000001 : 1;
    u64 Own = (Block + Round + Thread) * Step, Before = 0;
    if (Block)
      write(Round, Own, Number);
    bool HasWaited = false, IsWrong = false;
    for (u32 B = Block; B != 0;) {
      V Cell = Global::load<V>(Cells, cell(Round, B - 1));
      u32 Kind = Cell[Dwords - 1];
      if (!Kind) {
        HasWaited = true;
        __builtin_amdgcn_s_sleep(1);
        continue;
      }
      Before += Cell[0];
      if constexpr (Dwords > 2)
        Before += u64(Cell[1]) << 32;
      if constexpr (Dwords > 3)
        IsWrong |= Cell[2] != ~Cell[0];
      B = Kind == Sum ? 0 : B - 1;
    }
    write(Round, Before + Own, Sum);
    u64 Expected =
        (Block * (Block - 1ull) / 2 + u64(Block) * (Round + Thread)) * Step;
    count(Self, IsWrong || Before != Expected, HasWaited || Block == 1);
  }
}

//===- Kernels ------------------------------------------------------------===//

#define TEST(name, ...)                                                        \
  extern "C" __global__ void name(u32 *Cells, u32 *Result, u32 Rounds) {       \
    __VA_ARGS__(Cells, Result, Rounds);                                        \
  }
#define AT_ALL_SCOPES(name, function, fences)                                  \
  TEST(name##_workgroup, function<__HIP_MEMORY_SCOPE_WORKGROUP, fences>)       \
  TEST(name##_agent, function<__HIP_MEMORY_SCOPE_AGENT, fences>)               \
  TEST(name##_system, function<__HIP_MEMORY_SCOPE_SYSTEM, fences>)
AT_ALL_SCOPES(message_passing_atomics, messagePassing, false)
AT_ALL_SCOPES(message_passing_fences, messagePassing, true)
AT_ALL_SCOPES(store_buffering_atomics, storeBuffering, false)
AT_ALL_SCOPES(store_buffering_fences, storeBuffering, true)

#define IN_ALL_WIDTHS(name, space)                                             \
  TEST(wide_##name##_8, wideAccess<space, Two, 0>)                             \
  TEST(wide_##name##_12, wideAccess<space, Three, 0>)                          \
  TEST(wide_##name##_12_offset, wideAccess<space, Three, 1>)                   \
  TEST(wide_##name##_16, wideAccess<space, Four, 0>)
IN_ALL_WIDTHS(global, Global)
IN_ALL_WIDTHS(flat, Flat)
IN_ALL_WIDTHS(buffer, Buffer)
TEST(wide_scalar_8, wideAccess<Scalar, Two, 0>)
TEST(wide_scalar_16, wideAccess<Scalar, Four, 0>)

TEST(look_back_8, lookBack<Two, 2>)
TEST(look_back_12, lookBack<Three, 3>)
TEST(look_back_16, lookBack<Four, 4>)
