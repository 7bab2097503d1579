//===- LdsTest.cpp - tests of LDS and lane permutations -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loads and stores of LDS are in MemoryTest.cpp, its atomics in
// AtomicsTest.cpp. Lanes that are read are given as lists worked out by hand,
// or from the patterns' names (reverse, broadcast, swap).
//
//===----------------------------------------------------------------------===//
#include "MemoryFixture.h"
#include "SoftGpu/Machine/FindingLog.h"
#include <functional>

using namespace kpack::softgpu;

namespace {

class LdsTest : public MemoryFixture {
protected:
  /// v5 = 1000 + lane.
  void numberLanes() {
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      v(5, Lane) = 1000 + Lane;
  }
  /// Runs \p Text, which writes v6 from v5; \p From: the lane that each lane
  /// reads. Lanes that are not in \p Exec give zero and stay.
  void expectLanes(const char *Text, uint64_t Exec,
                   std::function<unsigned(unsigned)> From) {
    SCOPED_TRACE(Text);
    numberLanes();
    fill(6, 7);
    W.setExec(Exec);
    run(Text);
    for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
      uint32_t Expected = 7;
      if (W.exec() >> Lane & 1)
        Expected = (W.exec() >> From(Lane) & 1) ? 1000 + From(Lane) : 0;
      EXPECT_EQ(v(6, Lane), Expected) << "lane " << Lane;
    }
  }
};

/// A workgroup of 640 bytes, as a kernel of rocFFT that reads what is behind.
class OutsideOfLdsTest : public LdsTest {
protected:
  void startSmall(const char *Processor) {
    start(Processor);
    Group.Lds.resize(640);
    Before = Group.Lds;
    Launch.Findings = &Log;
    W.setExec(1);
    for (unsigned R = 20; R < 28; ++R)
      v(R) = 0x5a5a5a5a;
  }
  FindingLog Log;
  std::vector<uint8_t> Before;
};

TEST_F(OutsideOfLdsTest, IsAFaultUnlessItIsAllowed) {
  startSmall("gfx90a");
  Launch.Findings = nullptr;
  v(1) = 640;
  execute("ds_read_b128 v[20:23], v1");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::LdsAccess);
}

TEST_F(OutsideOfLdsTest, ReadsGiveZeroAndWritesGoNowhere) {
  startSmall("gfx90a");
  // Behind, partly behind, in the aperture, far behind.
  for (uint32_t Address : {640u, 632u, 0xfffffff0u}) {
    v(1) = Address;
    v(20) = v(23) = 1;
    run("ds_read_b128 v[20:23], v1");
    EXPECT_EQ(v(20) | v(21) | v(22) | v(23), 0u) << Address;
    v(20) = v(23) = 1;
    run("ds_write_b128 v1, v[20:23]");
    EXPECT_EQ(Group.Lds, Before);
    run("ds_read_b128 v[20:23], v1");
    EXPECT_EQ(v(20) | v(21) | v(22) | v(23), 0u) << Address;
    setV64(2, SharedAperture | Address);
    v(20) = 1;
    run("flat_load_dwordx4 v[20:23], v[2:3]");
    EXPECT_EQ(v(20), 0u);
  }
  EXPECT_FALSE(W.Failure);
}

TEST_F(OutsideOfLdsTest, PairAddressesAreCheckedSeparately) {
  startSmall("gfx1100");
  v(1) = 636;
  run("ds_load_2addr_b32 v[20:21], v1 offset1:1");
  EXPECT_EQ(v(20), lds<uint32_t>(636));
  EXPECT_EQ(v(21), 0u);
  v(5) = 1, v(6) = 2, v(1) = 640;
  run("ds_storexchg_2addr_rtn_b32 v[20:21], v1, v5, v6 offset1:1");
  EXPECT_EQ(v(20), 0u);
  EXPECT_EQ(v(21), 0u);
  run("ds_add_rtn_u32 v20, v1, v5");
  EXPECT_EQ(v(20), 0u);
  EXPECT_EQ(Group.Lds, Before);
}

TEST_F(OutsideOfLdsTest, IsCountedForEachInstruction) {
  startSmall("gfx90a");
  W.setExec(0xff);
  for (unsigned Lane = 0; Lane < 8; ++Lane)
    v(1, Lane) = 600 + 16 * Lane;
  W.Index = 3;
  Group.Id = {7, 1, 0};
  run("ds_read_b64 v[20:21], v1"); // from lane 3 on
  Group.Id = {8, 1, 0};
  run("ds_read_b64 v[20:21], v1");
  Group.Id = {9, 0, 0};
  run("ds_read_b64 v[20:21], v1");
  std::vector<Finding> Found = Log.take();
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Count, 3 * 5u);
  const Fault &First = Found[0].First;
  EXPECT_EQ(First.Workgroup, (std::array<uint32_t, 3>{9, 0, 0}));
  EXPECT_EQ(First.Lane, 3);
  EXPECT_EQ(First.Wave, 3u);
  EXPECT_EQ(First.Address, 648u);
  EXPECT_EQ(First.Detail,
            "read of 8 bytes at LDS offset 648, the workgroup has 640");
  EXPECT_TRUE(Log.take().empty());
}

struct PairCase {
  const char *Processor, *Load, *Store;
  unsigned Bytes, Unit;
};

TEST_F(LdsTest, TwoElementsALane) {
  for (const PairCase &C : {
           PairCase{"gfx90a", "ds_read2_b32", "ds_write2_b32", 4, 4},
           PairCase{"gfx90a", "ds_read2st64_b32", "ds_write2st64_b32", 4, 256},
           PairCase{"gfx1030", "ds_read2_b64", "ds_write2_b64", 8, 8},
           PairCase{"gfx1030", "ds_read2st64_b64", "ds_write2st64_b64", 8, 512},
           PairCase{"gfx1100", "ds_load_2addr_b32", "ds_store_2addr_b32", 4, 4},
           PairCase{"gfx1100", "ds_load_2addr_stride64_b32",
                    "ds_store_2addr_stride64_b32", 4, 256},
           PairCase{"gfx1201", "ds_load_2addr_b64", "ds_store_2addr_b64", 8, 8},
           PairCase{"gfx1201", "ds_load_2addr_stride64_b64",
                    "ds_store_2addr_stride64_b64", 8, 512},
       }) {
    SCOPED_TRACE(C.Load);
    start(C.Processor);
    const unsigned N = C.Bytes / 4;
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      v(20, Lane) = Lane * 20;
    W.setExec(0x5a5a5a5a);
    // The address is the destination's first register.
    run((C.Load + std::string(" ") + registers('v', 20, 2 * N) +
         ", v20 offset0:3 offset1:9")
            .c_str());
    for (unsigned Lane = 0; Lane < 32; ++Lane)
      for (unsigned R = 0; R < 2 * N && (0x5a5a5a5a >> Lane & 1); ++R) {
        unsigned Offset = R < N ? 3 * C.Unit : 9 * C.Unit;
        EXPECT_EQ(v(20 + R, Lane),
                  lds<uint32_t>(Lane * 20 + Offset + 4 * (R % N)));
      }
    W.setExec(2);
    v(1, 1) = 40;
    for (unsigned R = 0; R < 4; ++R)
      v(30 + R, 1) = 0x11111111 * (R + 1);
    std::vector<uint8_t> Expected = Group.Lds;
    for (unsigned R = 0; R < 2 * N; ++R)
      std::memcpy(&Expected[40 + (R < N ? 2 : 0) * C.Unit + 4 * (R % N)],
                  &v(30 + R, 1), 4);
    run((C.Store + std::string(" v1, ") + registers('v', 30, N) + ", " +
         registers('v', 30 + N, N) + " offset0:2")
            .c_str());
    EXPECT_EQ(Group.Lds, Expected);
  }
}

TEST_F(LdsTest, LaneNumbersAsAddresses) {
  start("gfx90a");
  W.Scalars[M0] = 0x70020;
  run("ds_read_addtid_b32 v5 offset:8");
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    EXPECT_EQ(v(5, Lane), lds<uint32_t>(0x28 + 4 * Lane));
  numberLanes();
  run("ds_write_addtid_b32 v5 offset:4");
  EXPECT_EQ(lds<uint32_t>(0x24 + 4 * 63), 1063u);
}

TEST_F(LdsTest, UninitialisedBytesAreReportedOnDemand) {
  start("gfx90a");
  Group.LdsWritten.assign(Group.Lds.size(), false);
  W.setExec(1);
  v(4) = 64;
  run("ds_write_b16 v4, v5 offset:2");
  run("ds_read_u16 v6, v4 offset:2");
  execute("ds_read_b32 v6, v4");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::UninitialisedLds);
  EXPECT_EQ(W.Failure->Address, 64u);
  EXPECT_EQ(W.Failure->Lane, 0);
  W.Failure.reset();
  W.Status = Wave::State::Running;
  run("ds_write_b8 v4, v5");
  run("ds_write_b8 v4, v5 offset:1");
  run("ds_read_b32 v6, v4");
  execute("ds_add_u32 v4, v5 offset:4");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::UninitialisedLds);
}

TEST_F(LdsTest, SwizzlePatternsAreRight) {
  start("gfx90a");
  const uint64_t All = ~uint64_t(0), Some = 0xfff0ff3f7fffffe9;
  expectLanes("ds_swizzle_b32 v6, v5 offset:swizzle(QUAD_PERM,3,0,1,1)", All,
              [](unsigned L) {
                const unsigned Quad[] = {3, 0, 1, 1};
                return L / 4 * 4 + Quad[L % 4];
              });
  expectLanes("ds_swizzle_b32 v6, v5 offset:swizzle(SWAP,16)", Some,
              [](unsigned L) { return L % 32 < 16 ? L + 16 : L - 16; });
  expectLanes("ds_swizzle_b32 v6, v5 offset:swizzle(REVERSE,8)", Some,
              [](unsigned L) { return L / 8 * 8 + 7 - L % 8; });
  expectLanes("ds_swizzle_b32 v6, v5 offset:swizzle(BROADCAST,4,1)", Some,
              [](unsigned L) { return L / 4 * 4 + 1; });
  expectLanes("ds_swizzle_b32 v6, v5 offset:swizzle(BITMASK_PERM,\"01pip\")",
              All, [](unsigned L) {
                return L / 32 * 32 + 8 + (L & 4) + (~L & 2) + (L & 1);
              });
  expectLanes("ds_swizzle_b32 v6, v5 offset:swizzle(ROTATE,0,3)", All,
              [](unsigned L) { return L / 32 * 32 + (L + 3) % 32; });
  expectLanes("ds_swizzle_b32 v6, v5 offset:swizzle(ROTATE,1,3)", Some,
              [](unsigned L) { return L / 32 * 32 + (L + 29) % 32; });
  expectLanes(
      "ds_swizzle_b32 v6, v5 offset:swizzle(FFT,0)", All, [](unsigned L) {
        const unsigned Reversed = (L & 1) << 4 | (L & 2) << 2 | (L & 4) |
                                  (L & 8) >> 2 | (L & 16) >> 4;
        return L / 32 * 32 + Reversed;
      });
  expectLanes("ds_swizzle_b32 v6, v5 offset:swizzle(FFT,16)", Some,
              [](unsigned L) { // the low four bits reversed, the fifth kept
                const unsigned Reversed =
                    (L & 1) << 3 | (L & 2) << 1 | (L & 4) >> 1 | (L & 8) >> 3;
                return L / 32 * 32 + (L & 16) + Reversed;
              });
}

TEST_F(LdsTest, BackwardPermuteReadsLanes) {
  const uint64_t Exec = 0xffffff7fffff0fff;
  struct {
    const char *Processor;
    bool Wave64;
    unsigned Reach; ///< lanes that can reach each other
  } const Settings[] = {{"gfx90a", true, 64},   {"gfx1030", false, 32},
                        {"gfx1030", true, 32},  {"gfx1100", true, 32},
                        {"gfx1201", false, 32}, {"gfx1201", true, 64}};
  for (const auto &S : Settings) {
    SCOPED_TRACE(S.Processor);
    start(S.Processor, S.Wave64);
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      v(4, Lane) = (Lane * 7 + 3) * 4 + Lane % 4;
    expectLanes("ds_bpermute_b32 v6, v4, v5 offset:8", Exec, [&](unsigned L) {
      return L / S.Reach * S.Reach + (L * 7 + 5) % S.Reach;
    });
  }
  start("gfx1201");
  numberLanes();
  fill(4, 4 * 9);
  W.setExec(1);
  run("ds_bpermute_fi_b32 v6, v4, v5");
  EXPECT_EQ(v(6), 1009u);
}

TEST_F(LdsTest, ForwardPermuteWritesLanes) {
  start("gfx90a");
  numberLanes();
  // Every lane pushes to twice its number; even lanes have two sources.
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    v(4, Lane) = 8 * Lane;
  fill(6, 7);
  W.setExec(~(uint64_t(1) << 37 | 1 << 6));
  run("ds_permute_b32 v6, v4, v5");
  EXPECT_EQ(v(6, 0), 1032u);
  EXPECT_EQ(v(6, 2), 1033u);
  EXPECT_EQ(v(6, 10), 1005u) << "lane 37 is not active";
  EXPECT_EQ(v(6, 6), 7u) << "not active";
  EXPECT_EQ(v(6, 3), 0u) << "nobody pushes here";
  start("gfx1030", /*Wave64=*/true);
  numberLanes();
  for (unsigned Lane = 0; Lane < 64; ++Lane)
    v(4, Lane) = 4 * (Lane + 1);
  run("ds_permute_b32 v6, v4, v5");
  EXPECT_EQ(v(6, 0), 1031u);
  EXPECT_EQ(v(6, 32), 1063u);
  EXPECT_EQ(v(6, 33), 1032u);
}

TEST_F(LdsTest, AppendAndConsume) {
  start("gfx90a");
  W.Scalars[M0] = 0x40;
  lds<uint32_t>(0x50) = 100;
  fill(6, 7);
  W.setExec(0xf0000000000000ff);
  run("ds_append v6 offset:16");
  EXPECT_EQ(lds<uint32_t>(0x50), 112u);
  EXPECT_EQ(v(6, 63), 100u);
  EXPECT_EQ(v(6, 0), 100u);
  EXPECT_EQ(v(6, 8), 7u);
  W.setExec(0x7);
  run("ds_consume v6 offset:16");
  EXPECT_EQ(lds<uint32_t>(0x50), 109u);
  EXPECT_EQ(v(6, 2), 112u);
  W.setExec(0);
  run("ds_append v6 offset:16");
  EXPECT_EQ(lds<uint32_t>(0x50), 109u);
}

} // namespace
