//===- BufferMemoryTest.cpp - tests of buffer instructions ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MemoryTest.cpp does not cover: strides and indices, accesses out of
// bounds by the rule of each family, loads to LDS, and the private segment
// through its resource in both wave sizes.
//
//===----------------------------------------------------------------------===//
#include "MemoryFixture.h"

using namespace kpack::softgpu;

namespace {

class BufferMemoryTest : public MemoryFixture {
protected:
  /// The kernel's entry state for the stack: the resource in s[0:3].
  void setStack() {
    auto Resource = privateBuffer(Isa, W.Lanes);
    for (unsigned N = 0; N < 4; ++N)
      s(N) = Resource[N];
  }
};

TEST_F(BufferMemoryTest, IndexTimesStrideAndOffset) {
  start("gfx1030");
  setBuffer(global(), 100, /*Stride=*/20, /*Word3=*/0);
  for (unsigned Lane = 0; Lane < 32; ++Lane) {
    v(1, Lane) = Lane;
    v(2, Lane) = 4 * (Lane & 1);
  }
  s(6) = 8;
  run("buffer_load_dword v5, v1, s[8:11], s6 idxen offset:4");
  run("buffer_load_dword v6, v[1:2], s[8:11], 0 idxen offen offset:8");
  for (unsigned Lane = 0; Lane < 32; ++Lane) {
    EXPECT_EQ(v(5, Lane), at<uint32_t>(20 * Lane + 12));
    EXPECT_EQ(v(6, Lane), at<uint32_t>(20 * Lane + 8 + 4 * (Lane & 1)));
  }
}

struct BoundsCase {
  const char *Processor;
  unsigned Mode, Stride, Records, Index, Offset, Scalar;
  const char *Address; ///< "v1" with idxen, "v2" with offen, or both
  unsigned Dwords;     ///< of four that are in bounds
};

// gfx9: with an index and a stride, records; else bytes, scalar offset
// included, dword by dword. Later: OOB_SELECT 0 to 3 of the resource.
constexpr BoundsCase BoundsCases[] = {
    {"gfx90a", 0, 0, 40, 0, 24, 0, "v2", 4},
    {"gfx90a", 0, 0, 40, 0, 28, 0, "v2", 3},
    {"gfx90a", 0, 0, 43, 0, 28, 0, "v2", 3},
    {"gfx90a", 0, 0, 40, 0, 24, 8, "v2", 2},
    {"gfx90a", 0, 0, 40, 0, 400, 0, "v2", 0},
    {"gfx90a", 0, 0, 40, 0, 0xfffffff8, 0, "v2", 0},
    {"gfx90a", 0, 16, 5, 4, 0, 0, "v1", 4},
    {"gfx90a", 0, 16, 5, 5, 0, 0, "v1", 0},
    {"gfx942", 0, 16, 5, 4, 400, 0, "v[1:2]", 4},
    {"gfx942", 0, 16, 40, 0, 28, 0, "v2", 3},
    {"gfx1030", 3, 0, 40, 0, 28, 0, "v2", 3},
    {"gfx1100", 3, 0, 40, 0, 24, 8, "v2", 2},
    {"gfx1100", 0, 16, 5, 4, 0, 0, "v1", 4},
    {"gfx1100", 0, 16, 5, 4, 8, 0, "v[1:2]", 2},
    {"gfx1100", 0, 16, 5, 4, 0, 400, "v1", 4},
    {"gfx1100", 0, 16, 5, 5, 0, 0, "v1", 0},
    {"gfx1201", 1, 16, 5, 4, 80, 0, "v[1:2]", 4},
    {"gfx1201", 1, 16, 5, 5, 0, 0, "v1", 0},
    {"gfx1201", 2, 16, 1, 9, 100, 0, "v[1:2]", 4},
    {"gfx1201", 2, 16, 0, 0, 0, 0, "v[1:2]", 0},
};

TEST_F(BufferMemoryTest, OutOfBoundsReadsZeroAndWritesNothing) {
  for (const BoundsCase &C : BoundsCases) {
    const std::string Address = C.Address;
    start(C.Processor);
    const bool New = Isa.isGfx11Plus();
    setBuffer(global(), C.Records, C.Stride, C.Mode << 28);
    W.setExec(1);
    v(1) = C.Index;
    v(2) = C.Offset;
    s(6) = C.Scalar;
    for (unsigned R = 20; R < 24; ++R)
      v(R) = 0x55555555;
    const std::string Operands = " v[20:23], " + Address + ", s[8:11], s6" +
                                 (Address != "v2" ? " idxen" : "") +
                                 (Address != "v1" ? " offen" : "");
    SCOPED_TRACE(C.Processor + Operands + " mode " + std::to_string(C.Mode) +
                 " offset " + std::to_string(C.Offset));
    run(((New ? "buffer_load_b128" : "buffer_load_dwordx4") + Operands)
            .c_str());
    const unsigned First = (Address != "v2" ? C.Index * C.Stride : 0) +
                           (Address != "v1" ? C.Offset : 0) + C.Scalar;
    for (unsigned N = 0; N < 4; ++N)
      EXPECT_EQ(v(20 + N), N < C.Dwords ? at<uint32_t>(First + 4 * N) : 0);
    std::vector<uint8_t> Expected = Store;
    for (unsigned N = 0; N < 4; ++N)
      v(20 + N) = 0x01010101 * (N + 1);
    for (unsigned N = 0; N < C.Dwords; ++N)
      std::memcpy(&Expected[First + 4 * N], &v(20 + N), 4);
    run(((New ? "buffer_store_b128" : "buffer_store_dwordx4") + Operands)
            .c_str());
    EXPECT_EQ(Store, Expected);
  }
}

TEST_F(BufferMemoryTest, PartlyOutOfBoundsOverItsAddress) {
  start("gfx90a");
  setBuffer(global(), 40);
  W.setExec(1);
  v(2) = 28;
  run("buffer_load_dwordx4 v[2:5], v2, s[8:11], 0 offen");
  for (unsigned N = 0; N < 4; ++N)
    EXPECT_EQ(v(2 + N), N < 3 ? at<uint32_t>(28 + 4 * N) : 0) << N;
}

TEST_F(BufferMemoryTest, AtomicsOutOfBounds) {
  start("gfx90a");
  setBuffer(global(), 8);
  for (unsigned Lane = 0; Lane < 64; ++Lane) {
    v(2, Lane) = 4 * Lane;
    v(5, Lane) = 1;
  }
  const uint32_t Old[3] = {at<uint32_t>(0), at<uint32_t>(4), at<uint32_t>(8)};
  run("buffer_atomic_add v5, v2, s[8:11], 0 offen glc");
  EXPECT_EQ(at<uint32_t>(0), Old[0] + 1);
  EXPECT_EQ(at<uint32_t>(4), Old[1] + 1);
  EXPECT_EQ(at<uint32_t>(8), Old[2]);
  EXPECT_EQ(v(5, 1), Old[1]);
  EXPECT_EQ(v(5, 2), 0u);
}

TEST_F(BufferMemoryTest, AccessOutsideTheMapFaults) {
  start("gfx90a");
  setBuffer(global() + StoreBytes - 8, 100);
  W.setExec(2);
  v(2, 1) = 8;
  execute("buffer_load_dword v5, v2, s[8:11], 0 offen");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::MemoryAccess);
  EXPECT_EQ(W.Failure->Lane, 1);
  EXPECT_EQ(W.Failure->Address, global() + StoreBytes);
}

TEST_F(BufferMemoryTest, LoadsToLds) {
  start("gfx1030");
  setBuffer(global(), 4 * 30);
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    v(2, Lane) = 4 * Lane;
  W.Scalars[M0] = 0x100;
  run("buffer_load_dword v2, s[8:11], 0 offen offset:4 lds");
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    EXPECT_EQ(lds<uint32_t>(0x104 + 4 * Lane),
              Lane < 29 ? at<uint32_t>(4 + 4 * Lane) : 0);
  run("buffer_load_ubyte off, s[8:11], 0 lds");
  EXPECT_EQ(lds<uint32_t>(0x100), Store[0]);
}

TEST_F(BufferMemoryTest, SwizzledBuffersHaveNoSemantics) {
  start("gfx1030");
  setBuffer(global(), 4096, 16, 3u << 28 | 1u << 23);
  execute("buffer_load_dword v5, off, s[8:11], 0");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::UnknownInstruction);
}

struct StackSetting {
  const char *Processor;
  bool Wave64;
};

TEST_F(BufferMemoryTest, StackInBothWaveSizes) {
  for (StackSetting S :
       {StackSetting{"gfx90a", true}, StackSetting{"gfx1030", false},
        StackSetting{"gfx1030", true}}) {
    SCOPED_TRACE(S.Processor + std::string(S.Wave64 ? " 64" : " 32"));
    start(S.Processor, S.Wave64);
    setStack();
    // A frame 48 bytes a lane up, in bytes of the wave.
    s(33) = 48 * W.Lanes;
    for (unsigned Lane = 0; Lane < 64; ++Lane)
      v(2, Lane) = 100 + 4 * (Lane % 5);
    run("buffer_load_dword v5, off, s[0:3], s33 offset:8");
    run("buffer_load_dwordx4 v[12:15], v2, s[0:3], s33 offen offset:12");
    run("buffer_load_ushort v6, v2, s[0:3], 0 offen offset:1");
    for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
      const uint8_t *P = getPrivate(Lane);
      uint32_t Frame, Quad[4];
      std::memcpy(&Frame, P + 48 + 8, 4);
      std::memcpy(Quad, P + 48 + 12 + v(2, Lane), 16);
      EXPECT_EQ(v(5, Lane), Frame);
      for (unsigned N = 0; N < 4; ++N)
        EXPECT_EQ(v(12 + N, Lane), Quad[N]);
      EXPECT_EQ(v(6, Lane), P[v(2, Lane) + 1] | P[v(2, Lane) + 2] << 8);
    }
    fill(7, 0x0badcafe);
    run("buffer_store_dword v7, off, s[0:3], s33 offset:4");
    for (unsigned Lane = 0; Lane < W.Lanes; ++Lane) {
      uint32_t Stored;
      std::memcpy(&Stored, getPrivate(Lane) + 52, 4);
      EXPECT_EQ(Stored, 0x0badcafeu);
      EXPECT_EQ(getPrivate(Lane)[51], pattern(Lane * 4096 + 51 + 4321));
      EXPECT_EQ(getPrivate(Lane)[56], pattern(Lane * 4096 + 56 + 4321));
    }
  }
}

TEST_F(BufferMemoryTest, StackAndGenericPointersMeet) {
  start("gfx1030");
  setStack();
  s(32) = 64 * 32;
  for (unsigned Lane = 0; Lane < 32; ++Lane) {
    setV64(2, PrivateAperture + 64 + 20, Lane);
    v(5, Lane) = 1000 + Lane;
  }
  run("flat_store_dword v[2:3], v5");
  run("buffer_load_dword v6, off, s[0:3], s32 offset:20");
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    EXPECT_EQ(v(6, Lane), 1000 + Lane);
}

TEST_F(BufferMemoryTest, FaultsOfTheStack) {
  start("gfx1030");
  setStack();
  W.setExec(4);
  s(33) = 32 * 4 + 4;
  execute("buffer_load_dword v5, off, s[0:3], s33");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::ScratchAccess);
  W.Failure.reset();
  W.Status = Wave::State::Running;
  v(2, 2) = 4096;
  execute("buffer_store_dword v5, v2, s[0:3], 0 offen");
  ASSERT_TRUE(W.Failure);
  EXPECT_EQ(W.Failure->What, Fault::Kind::ScratchAccess);
  EXPECT_EQ(W.Failure->Lane, 2);
  EXPECT_EQ(W.Failure->Address, 4096u);
}

} // namespace
