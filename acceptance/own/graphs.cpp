//===- graphs.cpp - graphs of work ----------------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Captured from streams and made of nodes; instantiated, launched again and
// again, and changed afterwards.
//
//===----------------------------------------------------------------------===//
#include "own.h"

#include <algorithm>
#include <atomic>

using namespace own;

namespace {
/// A node that adds. Its arguments are copied when it is made.
class Adding {
public:
  Adding(int *Data, int Value, int N) : Data(Data), Value(Value), N(N) {
    Parameters.func = const_cast<void *>(addKernel());
    Parameters.gridDim = dim3((unsigned(N) + 63) / 64);
    Parameters.blockDim = dim3(64);
    Parameters.kernelParams = Arguments;
  }
  Adding(const Adding &) = delete;
  Adding &operator=(const Adding &) = delete;
  const hipKernelNodeParams *node() const { return &Parameters; }

private:
  int *Data, Value, N;
  void *Arguments[3] = {&Data, &Value, &N};
  hipKernelNodeParams Parameters{};
};

class Graphs : public testing::Test {
protected:
  void TearDown() override {
    if (Ready) {
      HIP(hipGraphExecDestroy(Ready));
    }
    if (Graph) {
      HIP(hipGraphDestroy(Graph));
    }
  }
  void instantiate() {
    HIP(hipGraphInstantiate(&Ready, Graph, nullptr, nullptr, 0));
  }
  void run(hipStream_t On, int Times = 1) {
    for (int Round = 0; Round < Times; ++Round)
      HIP(hipGraphLaunch(Ready, On));
    HIP(hipStreamSynchronize(On));
  }

  hipGraph_t Graph = nullptr;
  hipGraphExec_t Ready = nullptr;
  Stream S;
};
} // namespace

TEST_F(Graphs, AreCapturedFromAStream) {
  Array Data(256, 100);
  std::vector<int> From = all(256, 3), To = all(256, -1);
  HIP(hipStreamBeginCapture(S, hipStreamCaptureModeGlobal));
  HIP(hipMemcpyAsync(Data, From.data(), Data.bytes(), hipMemcpyHostToDevice,
                     S));
  HIP(add(Data, 4, 256, S));
  HIP(hipMemcpyAsync(To.data(), Data, Data.bytes(), hipMemcpyDeviceToHost, S));
  hipStreamCaptureStatus Status;
  HIP(hipStreamIsCapturing(S, &Status));
  EXPECT_EQ(Status, hipStreamCaptureStatusActive);
  HIP(hipStreamEndCapture(S, &Graph));
  size_t Nodes = 0;
  HIP(hipGraphGetNodes(Graph, nullptr, &Nodes));
  EXPECT_EQ(Nodes, 3u);
  // Nothing has been done yet.
  EXPECT_EQ(Data.read(), all(256, 100));
  instantiate();
  run(S);
  EXPECT_EQ(To, all(256, 7));
  std::fill(From.begin(), From.end(), 30);
  run(S);
  EXPECT_EQ(To, all(256, 34));
}

// What streams wait for becomes edges, also of a stream that joins in.
TEST_F(Graphs, AreCapturedFromTwoStreams) {
  Stream Other;
  Array A(64), B(64), C(64);
  hipEvent_t Fork, Join;
  HIP(hipEventCreateWithFlags(&Fork, hipEventDisableTiming));
  HIP(hipEventCreateWithFlags(&Join, hipEventDisableTiming));
  HIP(hipStreamBeginCapture(S, hipStreamCaptureModeThreadLocal));
  HIP(hipEventRecord(Fork, S));
  HIP(hipStreamWaitEvent(Other, Fork, 0));
  HIP(add(A, 1, 64, S));
  HIP(add(B, 10, 64, Other));
  HIP(hipEventRecord(Join, Other));
  HIP(hipStreamWaitEvent(S, Join, 0));
  HIP(launchOn(S, sumKernel(), dim3(1), dim3(64), static_cast<const int *>(A),
               static_cast<const int *>(B), static_cast<int *>(C), 64));
  HIP(hipStreamEndCapture(S, &Graph));
  instantiate();
  run(S, 3);
  EXPECT_EQ(C.read(), all(64, 33));
  HIP(hipEventDestroy(Fork));
  HIP(hipEventDestroy(Join));
}

TEST_F(Graphs, AreMadeOfNodes) {
  static std::atomic<int> Calls;
  Calls = 0;
  Array Data(64, 50);
  std::vector<int> To = all(64, -1);
  HIP(hipGraphCreate(&Graph, 0));
  hipMemsetParams Zero{};
  Zero.dst = Data;
  Zero.elementSize = 4;
  Zero.value = 2;
  Zero.width = 64;
  Zero.height = 1;
  Adding Five(Data, 5, 64);
  hipHostNodeParams Call{};
  Call.fn = [](void *Number) { Calls += *static_cast<int *>(Number); };
  int Number = 11;
  Call.userData = &Number;
  hipGraphNode_t Set, Add, Copy, Host;
  HIP(hipGraphAddMemsetNode(&Set, Graph, nullptr, 0, &Zero));
  HIP(hipGraphAddKernelNode(&Add, Graph, &Set, 1, Five.node()));
  HIP(hipGraphAddMemcpyNode1D(&Copy, Graph, nullptr, 0, To.data(), Data,
                              Data.bytes(), hipMemcpyDeviceToHost));
  HIP(hipGraphAddDependencies(Graph, &Add, &Copy, 1));
  HIP(hipGraphAddHostNode(&Host, Graph, &Copy, 1, &Call));
  size_t Nodes = 0, Edges = 0, Roots = 0;
  HIP(hipGraphGetNodes(Graph, nullptr, &Nodes));
  HIP(hipGraphGetEdges(Graph, nullptr, nullptr, &Edges));
  HIP(hipGraphGetRootNodes(Graph, nullptr, &Roots));
  EXPECT_EQ(Nodes, 4u);
  EXPECT_EQ(Edges, 3u);
  EXPECT_EQ(Roots, 1u);
  instantiate();
  run(S, 2);
  EXPECT_EQ(To, all(64, 7));
  EXPECT_EQ(Calls, 22);
}

TEST_F(Graphs, ChangeAKernelsArguments) {
  Array Data(64), Other(64);
  Adding Five(Data, 5, 64), Six(Other, 6, 64);
  hipGraphNode_t Add;
  HIP(hipGraphCreate(&Graph, 0));
  HIP(hipGraphAddKernelNode(&Add, Graph, nullptr, 0, Five.node()));
  instantiate();
  run(S);
  HIP(hipGraphExecKernelNodeSetParams(Ready, Add, Six.node()));
  run(S, 2);
  EXPECT_EQ(Data.read(), all(64, 5));
  EXPECT_EQ(Other.read(), all(64, 12));
}

TEST_F(Graphs, AreUpdatedFromAnother) {
  Array Data(64);
  Adding Five(Data, 5, 64), Seven(Data, 7, 64);
  hipGraphNode_t Add;
  HIP(hipGraphCreate(&Graph, 0));
  HIP(hipGraphAddKernelNode(&Add, Graph, nullptr, 0, Five.node()));
  instantiate();
  run(S);
  hipGraph_t Changed;
  HIP(hipGraphCreate(&Changed, 0));
  HIP(hipGraphAddKernelNode(&Add, Changed, nullptr, 0, Seven.node()));
  hipGraphExecUpdateResult Result = hipGraphExecUpdateError;
  HIP(hipGraphExecUpdate(Ready, Changed, &Add, &Result));
  EXPECT_EQ(Result, hipGraphExecUpdateSuccess);
  run(S);
  EXPECT_EQ(Data.read(), all(64, 12));
  // Of another shape it is not the same graph.
  HIP(hipGraphAddKernelNode(&Add, Changed, nullptr, 0, Seven.node()));
  EXPECT_NE(hipGraphExecUpdate(Ready, Changed, &Add, &Result), hipSuccess);
  HIP(hipGraphDestroy(Changed));
}

TEST_F(Graphs, HaveClonesAndChildren) {
  Array Data(64);
  Adding Five(Data, 5, 64), Two(Data, 2, 64);
  hipGraphNode_t Add, Child;
  hipGraph_t Inner, Clone;
  HIP(hipGraphCreate(&Inner, 0));
  HIP(hipGraphAddKernelNode(&Add, Inner, nullptr, 0, Five.node()));
  HIP(hipGraphClone(&Clone, Inner));
  HIP(hipGraphCreate(&Graph, 0));
  HIP(hipGraphAddChildGraphNode(&Child, Graph, nullptr, 0, Inner));
  HIP(hipGraphAddKernelNode(&Add, Graph, &Child, 1, Two.node()));
  instantiate();
  run(S);
  EXPECT_EQ(Data.read(), all(64, 7));
  HIP(hipGraphExecDestroy(Ready));
  HIP(hipGraphInstantiate(&Ready, Clone, nullptr, nullptr, 0));
  run(S);
  EXPECT_EQ(Data.read(), all(64, 12));
  HIP(hipGraphDestroy(Clone));
  HIP(hipGraphDestroy(Inner));
}
