//===- TopologyTest.cpp - what ROCr is told of the machine ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Figures that ROCr or device code depends on.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/SoftGpu/Machine/Wave.h"
#include "KmtFixture.h"

using namespace kpack::softgpu;

namespace {

class KmtTopology : public KmtFixture {};

TEST(KmtClosed, EverythingIsRefused) {
  HsaSystemProperties System;
  EXPECT_EQ(hsaKmtAcquireSystemProperties(&System),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(hsaKmtFreeMemory(&System, 1),
            HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

TEST(KmtClosed, SettingsWithoutMeaningAreRefused) {
  auto Refused = [](const char *Name, const char *Value) {
    ::setenv(Name, Value, 1);
    auto C = Configuration::fromEnvironment();
    ::unsetenv(Name);
    return llvm::errorToBool(C.takeError());
  };
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_GPUS", "gfx90a,gfx942"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_GPUS", "gfx90a,"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_CHECK", "races"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_STATS", "yes"));
  EXPECT_TRUE(Refused("KPACK_SOFTGPU_INSTRUCTION_LIMIT", "-1"));
}

TEST_F(KmtTopology, NodesAreACpuAndTheGpus) {
  HsaSystemProperties System;
  ASSERT_EQ(hsaKmtAcquireSystemProperties(&System), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(System.NumNodes, 3u);
  HsaNodeProperties P;
  ASSERT_EQ(hsaKmtGetNodeProperties(0, &P), HSAKMT_STATUS_SUCCESS);
  EXPECT_GT(P.NumCPUCores, 0u);
  EXPECT_EQ(P.NumFComputeCores, 0u);
  ASSERT_EQ(hsaKmtGetNodeProperties(1, &P), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(P.EngineId.ui32.Major, 9u);
  EXPECT_EQ(P.EngineId.ui32.Minor, 0u);
  EXPECT_EQ(P.EngineId.ui32.Stepping, 10u);
  EXPECT_EQ(P.WaveFrontSize, 64u);
  ASSERT_EQ(hsaKmtGetNodeProperties(2, &P), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(P.EngineId.ui32.Major, 10u);
  EXPECT_EQ(P.EngineId.ui32.Minor, 3u);
  EXPECT_EQ(P.WaveFrontSize, 32u);
  EXPECT_EQ(hsaKmtGetNodeProperties(3, &P), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

TEST_F(KmtTopology, AperturesAreTheInterpreters) {
  HsaMemoryProperties Banks[3];
  ASSERT_EQ(hsaKmtGetNodeMemoryProperties(1, 3, Banks), HSAKMT_STATUS_SUCCESS);
  unsigned Seen = 0;
  for (const HsaMemoryProperties &B : Banks) {
    if (B.HeapType == HSA_HEAPTYPE_GPU_LDS) {
      EXPECT_EQ(HSAuint64(B.VirtualBaseAddress), SharedAperture);
      Seen |= 1;
    }
    if (B.HeapType == HSA_HEAPTYPE_GPU_SCRATCH) {
      EXPECT_EQ(HSAuint64(B.VirtualBaseAddress), PrivateAperture);
      Seen |= 2;
    }
  }
  EXPECT_EQ(Seen, 3u);
}

TEST_F(KmtTopology, EachNodeIsLinkedToEachOther) {
  for (uint32_t Node = 0; Node < 3; ++Node) {
    HsaNodeProperties P;
    ASSERT_EQ(hsaKmtGetNodeProperties(Node, &P), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(P.NumIOLinks, 2u);
    HsaIoLinkProperties Links[2];
    ASSERT_EQ(hsaKmtGetNodeIoLinkProperties(Node, 2, Links),
              HSAKMT_STATUS_SUCCESS);
    unsigned Reached = 1u << Node;
    for (const HsaIoLinkProperties &L : Links) {
      EXPECT_EQ(L.NodeFrom, Node);
      Reached |= 1u << L.NodeTo;
    }
    EXPECT_EQ(Reached, 7u);
  }
}

} // namespace
