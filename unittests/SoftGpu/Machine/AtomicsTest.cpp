//===- AtomicsTest.cpp - tests of atomics of memory and LDS ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row an operation: old value, data, new value, worked out by hand. Each
// row is executed with and without a result, by every instruction that has the
// operation. Then order of lanes, generic pointers, and threads.
//
//===----------------------------------------------------------------------===//
#include "MemoryFixture.h"
#include <thread>

using namespace kpack::softgpu;

namespace {

constexpr uint64_t Top = uint64_t(1) << 63;
constexpr uint32_t Denormal = 0x00400001; ///< of f32

struct AtomicCase {
  const char *Processor;
  const char
      *Names; ///< after global_atomic_, flat_..., ds_; separated by blank
  unsigned Bytes;
  uint64_t Old, Data, Second, New;
};

// ds_ names have "rtn_" put before the type. A name with a leading + is that of
// a whole mnemonic with the result printed first and no other form.
constexpr AtomicCase Cases[] = {
    {"gfx90a", "global_atomic_swap flat_atomic_swap", 4, 1, 2, 0, 2},
    {"gfx90a", "global_atomic_swap_x2", 8, 1, Top, 0, Top},
    {"gfx90a", "+ds_wrxchg_rtn_b32", 4, 1, 2, 0, 2},
    {"gfx1201", "+ds_storexchg_rtn_b64", 8, 1, Top, 0, Top},
    {"gfx90a", "global_atomic_add flat_atomic_add buffer_atomic_add ds_add_u32",
     4, 0xfffffffe, 5, 0, 3},
    {"gfx1100", "global_atomic_add_u64 buffer_atomic_add_u64 ds_add_u64", 8,
     0xffffffff, 2, 0, 0x100000001},
    {"gfx90a", "global_atomic_sub ds_sub_u32", 4, 3, 5, 0, 0xfffffffe},
    {"gfx90a", "ds_rsub_u32", 4, 3, 5, 0, 2},
    {"gfx90a", "ds_rsub_u64", 8, 5, 3, 0, ~uint64_t(1)},
    {"gfx90a", "global_atomic_smin ds_min_i32", 4, 3, 0xffffffff, 0,
     0xffffffff},
    {"gfx90a", "global_atomic_umin ds_min_u32", 4, 3, 0xffffffff, 0, 3},
    {"gfx90a", "global_atomic_smax ds_max_i32", 4, 3, 0xffffffff, 0, 3},
    {"gfx90a", "global_atomic_umax ds_max_u32", 4, 3, 0xffffffff, 0,
     0xffffffff},
    {"gfx1201", "global_atomic_min_i64 ds_min_i64", 8, 3, Top, 0, Top},
    {"gfx1201", "global_atomic_max_i64 ds_max_i64", 8, 3, Top, 0, 3},
    {"gfx1201", "global_atomic_min_u64 ds_min_u64", 8, 3, Top, 0, 3},
    {"gfx90a", "global_atomic_umax_x2 ds_max_u64", 8, 3, Top, 0, Top},
    {"gfx90a", "global_atomic_and ds_and_b32", 4, 12, 10, 0, 8},
    {"gfx90a", "global_atomic_or ds_or_b32", 4, 12, 10, 0, 14},
    {"gfx90a", "global_atomic_xor ds_xor_b32", 4, 12, 10, 0, 6},
    {"gfx1100", "flat_atomic_xor_b64 ds_xor_b64", 8, Top | 12, 10, 0, Top | 6},
    // inc: up to the data, then 0. dec: down to 0, then the data.
    {"gfx90a", "global_atomic_inc ds_inc_u32", 4, 6, 7, 0, 7},
    {"gfx90a", "global_atomic_inc ds_inc_u32", 4, 7, 7, 0, 0},
    {"gfx90a", "global_atomic_inc ds_inc_u32", 4, 9, 7, 0, 0},
    {"gfx1100", "global_atomic_inc_u64 ds_inc_u64", 8, 0xffffffff, Top, 0,
     0x100000000},
    {"gfx90a", "global_atomic_dec ds_dec_u32", 4, 7, 7, 0, 6},
    {"gfx90a", "global_atomic_dec ds_dec_u32", 4, 0, 7, 0, 7},
    {"gfx90a", "global_atomic_dec ds_dec_u32", 4, 9, 7, 0, 7},
    {"gfx90a", "global_atomic_dec_x2 ds_dec_u64", 8, Top, 7, 0, 7},
    {"gfx1030", "global_atomic_csub buffer_atomic_csub", 4, 9, 7, 0, 2},
    {"gfx1100", "global_atomic_csub_u32", 4, 7, 9, 0, 0},
    {"gfx1201", "global_atomic_sub_clamp_u32 ds_sub_clamp_u32", 4, 7, 9, 0, 0},
    {"gfx1201", "global_atomic_cond_sub_u32 ds_cond_sub_u32", 4, 7, 9, 0, 7},
    {"gfx1201", "global_atomic_cond_sub_u32 ds_cond_sub_u32", 4, 9, 7, 0, 2},
    // Global: new, expected. ds_cmpst: expected, new. ds_cmpstore: as global.
    {"gfx90a",
     "global_atomic_cmpswap flat_atomic_cmpswap buffer_atomic_cmpswap", 4, 5, 8,
     5, 8},
    {"gfx90a", "global_atomic_cmpswap buffer_atomic_cmpswap", 4, 5, 8, 6, 5},
    {"gfx90a", "global_atomic_cmpswap_x2", 8, Top, 8, Top, 8},
    {"gfx1100", "global_atomic_cmpswap_b64 ds_cmpstore_b64", 8, Top, 8, Top, 8},
    {"gfx1100", "ds_cmpstore_b32", 4, 5, 8, 5, 8},
    {"gfx90a", "ds_cmpst_b32", 4, 5, 5, 8, 8},
    {"gfx90a", "ds_cmpst_b32", 4, 5, 8, 5, 5},
    {"gfx1030", "ds_cmpst_b64", 8, Top, Top, 8, 8},
    {"gfx90a", "ds_mskor_b32", 4, 0xff, 0x3c, 0x108, 0x1cb},
    {"gfx90a", "+ds_wrap_rtn_b32", 4, 9, 7, 100, 2},
    {"gfx1030", "+ds_wrap_rtn_b32", 4, 6, 7, 100, 106},
    // 1.5 + 2.25 = 3.75; minima and maxima of -1 and 2, of -0 and +0, of NaN.
    {"gfx942", "global_atomic_add_f32 flat_atomic_add_f32 ds_add_f32", 4,
     0x3fc00000, 0x40100000, 0, 0x40700000},
    {"gfx90a", "global_atomic_add_f64 flat_atomic_add_f64 ds_add_f64", 8,
     0x3ff8000000000000, 0x4002000000000000, 0, 0x400e000000000000},
    {"gfx942", "global_atomic_add_f32 ds_add_f32", 4, 0x7f800000, 0xff800000, 0,
     0xffc00000},
    {"gfx942", "global_atomic_add_f32", 4, 0x7f800001, 0x7fc00002, 0,
     0x7fc00001},
    {"gfx942", "ds_add_f32", 4, 0x7f800001, 0x7fc00002, 0, 0x7fc00002},
    {"gfx1201", "global_atomic_add_f32", 4, 0x7f800001, 0x7fc00002, 0,
     0x7fc00002},
    {"gfx1100", "global_atomic_add_f32 ds_add_f32", 4, Denormal, Denormal, 0,
     0x00800002},
    {"gfx90a", "ds_add_f32", 4, Denormal, Denormal, 0, 0x00800002},
    {"gfx90a", "global_atomic_add_f32", 4, Denormal, Denormal, 0, 0},
    {"gfx90a", "global_atomic_add_f32", 4, 0x3f800000, 0x80000001, 0,
     0x3f800000},
    {"gfx1030", "global_atomic_fmin ds_min_f32", 4, 0x40000000, 0xbf800000, 0,
     0xbf800000},
    {"gfx1030", "global_atomic_fmax ds_max_f32", 4, 0x40000000, 0xbf800000, 0,
     0x40000000},
    {"gfx1100", "global_atomic_min_f32 ds_min_f32", 4, 0, 0x80000000, 0,
     0x80000000},
    {"gfx1100", "global_atomic_max_f32 ds_max_f32", 4, 0x80000000, 0, 0, 0},
    {"gfx1201", "global_atomic_min_num_f32 ds_min_num_f32", 4, 0x7fc00000,
     0x3f800000, 0, 0x3f800000},
    {"gfx1201", "global_atomic_max_num_f32 ds_max_num_f32", 4, 0x3f800000,
     0x7f800001, 0, 0x3f800000},
    {"gfx1100", "global_atomic_min_f32 ds_max_f32", 4, 0x3f800000, 0x7f800001,
     0, 0x7fc00001},
    {"gfx90a", "global_atomic_min_f64 ds_min_f64", 8, 0x4000000000000000,
     0xbff0000000000000, 0, 0xbff0000000000000},
    {"gfx942", "global_atomic_max_f64 ds_max_f64", 8, 0x4000000000000000,
     0x7ff8000000000000, 0, 0x4000000000000000},
    {"gfx1030", "global_atomic_fcmpswap", 4, 0x80000000, 0x3f800000, 0,
     0x3f800000},
    {"gfx1030", "global_atomic_fcmpswap", 4, 0x7fc00000, 1, 0x7fc00000,
     0x7fc00000},
    {"gfx1100", "global_atomic_cmpswap_f32 ds_cmpstore_f32", 4, 0x3f800000, 7,
     0x3f800000, 7},
    {"gfx1030", "ds_cmpst_f64", 8, 0, Top, 9, 9},
    // f16: 1 + 2 and 65504 + 32 (rounds to infinity, a tie); denormals stay.
    {"gfx90a", "global_atomic_pk_add_f16 buffer_atomic_pk_add_f16", 4,
     0x7bff3c00, 0x50004000, 0, 0x7c004200},
    {"gfx942", "global_atomic_pk_add_f16 flat_atomic_pk_add_f16 ds_pk_add_f16",
     4, 0x00010001, 0x83ff0002, 0, 0x83fe0003},
    // bf16: 1 + 2 and 256 + 1 (a tie to even), 256 + 3 (a tie away).
    {"gfx942", "global_atomic_pk_add_bf16 ds_pk_add_bf16", 4, 0x43803f80,
     0x3f804000, 0, 0x43804040},
    {"gfx1201", "global_atomic_pk_add_bf16 ds_pk_add_bf16", 4, 0x43803f80,
     0x40404000, 0, 0x43824040},
};

class AtomicsTest : public MemoryFixture {
protected:
  /// \p Name with the operands of its address space.
  std::string text(std::string Name, const AtomicCase &C, bool Returns,
                   bool OnlyReturning, bool HasSecond) {
    const unsigned N = C.Bytes / 4;
    const std::string One = registers('v', 10, N), Two = registers('v', 12, N);
    const std::string Both = registers('v', 10, HasSecond ? 2 * N : N);
    const std::string Result = registers('v', 20, N);
    const std::string Flag = !Returns            ? ""
                             : Isa.isGfx12Plus() ? " th:TH_ATOMIC_RETURN"
                             : Isa.Processor == "gfx942" ? " sc0"
                                                         : " glc";
    const std::string Space = Name.substr(0, Name.find('_'));
    if (Space == "ds") {
      if (Returns && !OnlyReturning)
        Name.insert(Name.rfind('_'), "_rtn");
      return Name + " " + (Returns ? Result + ", " : "") + "v4, " + One +
             (HasSecond ? ", " + Two : "") + " offset:8";
    }
    if (Space == "buffer")
      return Name + " " + Both + ", v4, s[8:11], 0 offen offset:8" + Flag;
    return Name + " " + (Returns ? Result + ", " : "") + "v[2:3], " + Both +
           (Space == "global" ? ", off" : "") + " offset:8" + Flag;
  }

  void check(std::string Name, const AtomicCase &C, bool Returns) {
    start(C.Processor);
    const bool OnlyReturning = Name[0] == '+';
    if (OnlyReturning && !Returns)
      return;
    Name.erase(0, OnlyReturning);
    const bool HasSecond = Name.find("cmp") != std::string::npos ||
                           Name.find("mskor") != std::string::npos ||
                           Name.find("wrap") != std::string::npos;
    const bool InLds = Name[0] == 'd', IsBuffer = Name[0] == 'b';
    const std::string Text = text(Name, C, Returns, OnlyReturning, HasSecond);
    SCOPED_TRACE(Text + " on " + C.Processor);
    const unsigned Lane = 5;
    W.setExec(1 << Lane);
    setV64(2, global() + 64, Lane);
    v(4, Lane) = 64;
    setBuffer(global(), StoreBytes);
    const unsigned N = C.Bytes / 4;
    // Global and buffer instructions have the second data right behind.
    const unsigned Second = InLds ? 12 : 10 + N;
    for (unsigned R = 0; R < N; ++R) {
      v(10 + R, Lane) = uint32_t(C.Data >> 32 * R);
      if (HasSecond)
        v(Second + R, Lane) = uint32_t(C.Second >> 32 * R);
      v(20 + R, Lane) = 0x77777777;
    }
    std::vector<uint8_t> &Place = InLds ? Group.Lds : Store;
    std::memcpy(&Place[72], &C.Old, C.Bytes);
    std::vector<uint8_t> Expected = Place;
    std::memcpy(&Expected[72], &C.New, C.Bytes);
    run(Text.c_str());
    EXPECT_TRUE(Place == Expected)
        << std::hex << reinterpret_cast<uint32_t &>(Place[72]);
    const unsigned Result = IsBuffer ? 10 : 20;
    const uint64_t Untouched = IsBuffer ? C.Data : 0x7777777777777777;
    for (unsigned R = 0; R < N; ++R)
      EXPECT_EQ(v(Result + R, Lane),
                uint32_t((Returns ? C.Old : Untouched) >> 32 * R));
  }
};

TEST_F(AtomicsTest, EveryOperationIsRight) {
  for (const AtomicCase &C : Cases) {
    std::string Names = C.Names;
    while (!Names.empty()) {
      const size_t End = Names.find(' ');
      const std::string Name = Names.substr(0, End);
      Names.erase(0, End == std::string::npos ? End : End + 1);
      check(Name, C, /*Returns=*/true);
      check(Name, C, /*Returns=*/false);
    }
  }
}

TEST_F(AtomicsTest, DenormalModeOfLds) {
  start("gfx90a");
  W.setExec(1);
  W.Mode.Denorm32 = 0;
  v(4) = 64;
  lds<uint32_t>(64) = Denormal;
  v(5) = 0x3f800000;
  run("ds_min_f32 v4, v5"); // compared as 0, kept as it is
  EXPECT_EQ(lds<uint32_t>(64), Denormal);
  v(5) = Denormal;
  run("ds_add_f32 v4, v5");
  EXPECT_EQ(lds<uint32_t>(64), 0u);
}

TEST_F(AtomicsTest, LanesInAscendingOrder) {
  start("gfx90a");
  W.setExec(0x8000000000000015);
  at<uint32_t>(0) = 100;
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    setV64(2, global(), Lane);
    v(5, Lane) = Lane + 1;
  }
  run("global_atomic_add v6, v[2:3], v5, off glc");
  EXPECT_EQ(v(6, 0), 100u);
  EXPECT_EQ(v(6, 2), 101u);
  EXPECT_EQ(v(6, 4), 104u);
  EXPECT_EQ(v(6, 63), 109u);
  EXPECT_EQ(v(6, 1), 0u);
  EXPECT_EQ(at<uint32_t>(0), 173u);
}

TEST_F(AtomicsTest, GenericPointersToLdsAndPrivate) {
  start("gfx1030");
  for (unsigned Lane = 0; Lane < 32; ++Lane) {
    setV64(2, Lane & 1 ? SharedAperture + 16 : PrivateAperture + 16, Lane);
    v(5, Lane) = 3;
    std::memset(getPrivate(Lane) + 16, 0, 4);
  }
  lds<uint32_t>(16) = 7;
  run("flat_atomic_add v6, v[2:3], v5 glc");
  EXPECT_EQ(lds<uint32_t>(16), 7 + 3 * 16u);
  EXPECT_EQ(v(6, 31), 7 + 3 * 15u);
  for (unsigned Lane = 0; Lane < 32; Lane += 2) {
    EXPECT_EQ(getPrivate(Lane)[16], 3);
    EXPECT_EQ(v(6, Lane), 0u);
  }
}

TEST_F(AtomicsTest, ExchangesOfPairs) {
  start("gfx90a");
  W.setExec(2);
  v(4, 1) = 32;
  v(10, 1) = 1;
  v(11, 1) = 2;
  const uint32_t Old[2] = {lds<uint32_t>(32 + 8), lds<uint32_t>(32 + 12)};
  run("ds_wrxchg2_rtn_b32 v[20:21], v4, v10, v11 offset0:2 offset1:3");
  EXPECT_EQ(v(20, 1), Old[0]);
  EXPECT_EQ(v(21, 1), Old[1]);
  EXPECT_EQ(lds<uint32_t>(40), 1u);
  EXPECT_EQ(lds<uint32_t>(44), 2u);
  const uint64_t Far = lds<uint64_t>(32 + 64 * 8);
  run("ds_wrxchg2st64_rtn_b64 v[20:23], v4, v[10:11], v[10:11] offset0:1");
  EXPECT_EQ(v64(20, 1), Far);
  EXPECT_EQ(lds<uint64_t>(32 + 64 * 8), 0x200000001u);
}

TEST_F(AtomicsTest, WavesOnSeveralThreads) {
  start("gfx90a");
  std::memset(Store.data(), 0, 16);
  constexpr unsigned Threads = 2, Rounds = 200;
  auto Add = parseInstruction("global_atomic_add v[2:3], v5, off", 0, 8,
                              machineSemantics());
  auto AddFloat =
      parseInstruction("global_atomic_add_f64 v[2:3], v[6:7], off offset:8", 0,
                       8, machineSemantics());
  ASSERT_TRUE(bool(Add) && bool(AddFloat));
  std::vector<std::vector<Lanes32>> Files(
      Threads, std::vector<Lanes32>(VectorRegisterCount));
  std::vector<std::thread> Workers;
  for (unsigned T = 0; T < Threads; ++T)
    Workers.emplace_back([&, T] {
      Wave Own = W;
      Own.Vectors = Files[T].data();
      for (unsigned Lane = 0; Lane < 64; ++Lane) {
        Own.Vectors[2].V[Lane] = uint32_t(global());
        Own.Vectors[3].V[Lane] = uint32_t(global() >> 32);
        Own.Vectors[5].V[Lane] = 3;
        Own.Vectors[7].V[Lane] = 0x3ff00000; // 1.0
      }
      for (unsigned N = 0; N < Rounds; ++N) {
        (*Add)->Execute(Own, **Add);
        (*AddFloat)->Execute(Own, **AddFloat);
      }
    });
  for (std::thread &Worker : Workers)
    Worker.join();
  EXPECT_EQ(at<uint32_t>(0), Threads * Rounds * 64 * 3);
  EXPECT_EQ(at<double>(8), double(Threads * Rounds * 64));
}

} // namespace
