//===- launches.cpp - kernels and what they are started with --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grids, arguments, shared memory, cooperative launches, stacks, and what a
// kernel asks of the host by printf(). assert() ends a process: insist.cpp.
//
//===----------------------------------------------------------------------===//
#include "own.h"

#include <algorithm>
#include <string>

using namespace own;

TEST(Launches, HaveThreeDimensions) {
  const dim3 Grid(3, 2, 4), Block(5, 3, 2);
  Array Shape(15 * 6 * 8, -1);
  HIP(launch(shapeKernel(), Grid, Block,
             reinterpret_cast<unsigned *>(static_cast<int *>(Shape))));
  std::vector<int> Host = Shape.read();
  for (int Z = 0, I = 0; Z < 8; ++Z)
    for (int Y = 0; Y < 6; ++Y)
      for (int X = 0; X < 15; ++X, ++I)
        ASSERT_EQ(Host[size_t(I)], Z * 10000 + Y * 100 + X);
}

TEST(Launches, HaveSharedMemory) {
  Array Data(256);
  std::vector<int> Numbers = ascending(256);
  HIP(hipMemcpy(Data, Numbers.data(), Data.bytes(), hipMemcpyHostToDevice));
  int *Pointer = Data;
  void *Arguments[] = {&Pointer};
  HIP(hipLaunchKernel(reverseKernel(), dim3(1), dim3(256), Arguments, 1024,
                      nullptr));
  std::reverse(Numbers.begin(), Numbers.end());
  EXPECT_EQ(Data.read(), Numbers);
}

TEST(Launches, PassStructures) {
  Many Values{3, 40.5, {}};
  for (int I = 0; I < 20; ++I)
    Values.Numbers[I] = I * 100;
  Array Out(1);
  HIP(launch(structureKernel(), dim3(1), dim3(1), Values,
             static_cast<int *>(Out)));
  EXPECT_EQ(Out.read(), all(1, 43 + 19000));
}

TEST(Launches, FailWhereTheBlockIsTooLarge) {
  Array Data(64);
  EXPECT_NE(
      launch(addKernel(), dim3(1), dim3(4096), static_cast<int *>(Data), 1, 64),
      hipSuccess);
  (void)hipGetLastError();
  EXPECT_EQ(Data.read(), all(64, 0));
}

TEST(Launches, WithoutOptimizationHaveAStack) {
  Array Data(256, 5);
  HIP(launch(stackKernel(), dim3(4), dim3(64), static_cast<int *>(Data), 10));
  HIP(hipDeviceSynchronize());
  EXPECT_EQ(Data.read(), all(256, 5 + 55));
}

TEST(Launches, AreCooperative) {
  int Groups = 0, Units = 0;
  HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&Groups, gridSumKernel(), 64,
                                                   0));
  HIP(hipDeviceGetAttribute(&Units, hipDeviceAttributeMultiprocessorCount, 0));
  int Count = Groups * Units, Rounds = 4;
  ASSERT_GT(Count, 1);
  Array Sums(2 * Rounds);
  auto *Data = reinterpret_cast<unsigned *>(static_cast<int *>(Sums));
  void *Arguments[] = {&Data, &Rounds};
  SUPPORTED(hipLaunchCooperativeKernel(gridSumKernel(), dim3(unsigned(Count)),
                                       dim3(64), Arguments, 0, nullptr));
  HIP(hipDeviceSynchronize());
  std::vector<int> Host = Sums.read();
  unsigned Expected = 1;
  for (int Round = 0; Round < Rounds; ++Round)
    EXPECT_EQ(unsigned(Host[size_t(Round)]), Expected *= unsigned(Count));
  // HIP 6 counts less than it launches where units are pairs.
  EXPECT_EQ(hipLaunchCooperativeKernel(gridSumKernel(),
                                       dim3(unsigned(Count) * 8), dim3(64),
                                       Arguments, 0, nullptr),
            hipErrorCooperativeLaunchTooLarge);
}

TEST(Launches, Print) {
  testing::internal::CaptureStdout();
  hipError_t Error = launch(printKernel(), dim3(1), dim3(3), 42);
  hipError_t Ended = hipDeviceSynchronize();
  std::string Text = testing::internal::GetCapturedStdout();
  HIP(Error);
  HIP(Ended);
  EXPECT_EQ(Text, "lane 0: 42 10.50 text\nlane 1: 43 10.50 text\n"
                  "lane 2: 44 10.50 text\n");
}

TEST(Launches, AreCountedByOccupancy) {
  int Grid = 0, Block = 0;
  HIP(hipOccupancyMaxPotentialBlockSize(&Grid, &Block, addKernel(), 0, 0));
  EXPECT_GT(Grid, 0);
  EXPECT_GE(Block, 64);
  EXPECT_LE(Block, 1024);
  hipFuncAttributes Found{};
  HIP(hipFuncGetAttributes(&Found, addKernel()));
  EXPECT_EQ(Found.maxThreadsPerBlock, 1024);
  EXPECT_GT(Found.numRegs, 0);
}
