//===- CompiledOffsetsTest.cpp - tests of tensors beyond 2 GiB ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Offsets that 32 bits do not hold, with split.index64: images of a few bytes
// that are more than 2^31 elements apart. With split.split_image they are a
// little less apart, and there are as many of them as 32 bits do not hold. What
// lies between is allocated, and never touched, so that it needs no memory.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr long long Far = (1ll << 31) + 16;
constexpr int Groups = 2, Images = 2, Width = 9, Filter = 3,
              Results = Width - Filter + 1;

struct FarRow {
  const char *Processor;
  Kind Which;
};

constexpr FarRow Rows[] = {{"cpu", Kind::DIRECT},
                           {"gfx90a", Kind::DIRECT},
                           {"gfx90a", Kind::DEPTHWISE},
                           {"gfx1100", Kind::IMPLICIT_GEMM}};

Algorithm makeAlgorithm(Kind Which) {
  Algorithm Algo;
  Algo.kind = Which;
  Algo.isa = Isa::VALU;
  Algo.block_size = 64;
  Algo.split.make().index64 = true;
  if (Which == Kind::DEPTHWISE)
    Algo.depthwise = Depthwise{{1, 8}, {1, 2}, 1, 1, 1, {}};
  if (Which != Kind::IMPLICIT_GEMM)
    return Algo;
  Algo.tile = MNK{16, 16, 2};
  Algo.thread.make().m1 = Algo.thread.make().n1 = 2;
  // The step behind has offsets of its own.
  Algo.split->k_batch = 2;
  Algo.split->two_stage = true;
  return Algo;
}

/// Elements of small tensors, in any order.
int8_t inputAt(int G, int N, int W) {
  return static_cast<int8_t>((G * 5 + N * 3 + W * 7) % 5 - 2);
}
int8_t weightAt(int G, int X) { return static_cast<int8_t>((G + X) % 3 - 1); }

class FarTensors {
public:
  explicit FarTensors(Backend &On) : On(On) {
    for (size_t Bytes : {Size, size_t(Groups * Filter), Size}) {
      Result<void *> Allocated = On.allocate(Bytes);
      EXPECT_TRUE(Allocated.ok());
      At.push_back(Allocated ? static_cast<int8_t *>(*Allocated) : nullptr);
    }
  }
  ~FarTensors() {
    for (void *Each : At)
      On.release(Each);
  }
  void upload() {
    for (int G = 0; G < Groups; ++G) {
      for (int X = 0; X < Filter; ++X)
        put(At[1] + G * Filter + X, weightAt(G, X));
      for (int N = 0; N < Images; ++N)
        for (int W = 0; W < Width; ++W)
          put(At[0] + G * 64 + N * Far + W * 2, inputAt(G, N, W));
    }
  }
  int8_t result(int G, int N, int W) const {
    int8_t Value = 0;
    EXPECT_TRUE(On.download(&Value, At[2] + G * 64 + N * Far + W * 3, 1).ok());
    return Value;
  }
  std::vector<int8_t *> At;

private:
  static constexpr size_t Size = Far + 128;
  void put(int8_t *Destination, int8_t Value) {
    EXPECT_TRUE(On.upload(Destination, &Value, 1).ok());
  }
  Backend &On;
};

void checkFar(Backend &On, Kind Which) {
  Signature Sig;
  Sig.spatial_dim = 1;
  Sig.data_type = DataType::I8;
  Sig.input.config.layout = TensorLayout::G_NW_C_strided;
  Sig.weight.config.layout = TensorLayout::GKXC;
  Sig.output.config.layout = TensorLayout::G_NW_K_strided;
  Sig = resolveSignature(Sig);
  Problem P;
  P.groups = Groups, P.batch = Images, P.c = P.k = 1;
  P.image = {Width}, P.filter = {Filter};
  P.input_strides = {64, Far, 2, 1};
  P.output_strides = {64, Far, 3, 1};
  Result<ConvKernel> Kernel = ConvKernel::compile(
      Sig, makeAlgorithm(Which), On.processor(), testOptions());
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  Result<std::unique_ptr<LoadedKernel>> Loaded = On.load(*Kernel);
  ASSERT_TRUE(Loaded.ok()) << Loaded.status().message();
  FarTensors Tensors(On);
  Result<void *> Workspace = On.allocate(
      static_cast<size_t>(workspaceBytes(Sig, Kernel->lowered(), P)));
  ASSERT_TRUE(Workspace.ok() && Tensors.At[0] && Tensors.At[2]);
  Tensors.upload();
  Args With = argsFor(Sig);
  With.input.data = Tensors.At[0];
  With.weight.data = Tensors.At[1];
  With.output.data = Tensors.At[2];
  With.workspace = *Workspace;
  Result<KernelLaunch> Launch = Kernel->launchOf(P, With);
  ASSERT_TRUE(Launch.ok()) << Launch.status().message();
  Status Done = (*Loaded)->launch(*Launch);
  ASSERT_TRUE(Done.ok()) << Done.message();
  for (int G = 0; G < Groups; ++G)
    for (int N = 0; N < Images; ++N)
      for (int W = 0; W < Results; ++W) {
        int Sum = 0;
        for (int X = 0; X < Filter; ++X)
          Sum += inputAt(G, N, W + X) * weightAt(G, X);
        ASSERT_EQ(Tensors.result(G, N, W), Sum) << G << " " << N << " " << W;
      }
  On.release(*Workspace);
}

TEST(CompiledOffsetsTest, BeyondTwoGigabytes) {
  for (size_t I = 0; I < std::size(Rows); ++I) {
    const FarRow &Row = Rows[I];
    if (!isAsked(I, 3))
      continue;
    std::unique_ptr<Backend> On = chooseBackend(Row.Processor);
    ASSERT_TRUE(On);
    ASSERT_NO_FATAL_FAILURE(checkFar(*On, Row.Which))
        << nameOf(Row.Which) << " on " << Row.Processor;
  }
}

//===----------------------------------------------------------------------===//
// split_image
//===----------------------------------------------------------------------===//

/// The operand of four images that are 6 GiB together; all others are near.
struct FarImages {
  static constexpr int Images = 4, Width = 5, Filter = 2, Results = 4;
  static constexpr long long Apart = (1ll << 29) - 64; ///< of FP32
  Signature Sig;
  Problem P;
  Role Far;

  explicit FarImages(ConvDirection Direction)
      : Far(Direction == ConvDirection::BACKWARD_DATA ? Role::Output
                                                      : Role::Input) {
    Sig.spatial_dim = 1;
    Sig.direction = Direction;
    Sig.data_type = DataType::FP32;
    Sig.input.config.layout =
        Far == Role::Input ? TensorLayout::G_NW_C_strided : TensorLayout::GNWC;
    Sig.weight.config.layout = TensorLayout::GKXC;
    Sig.output.config.layout =
        Far == Role::Output ? TensorLayout::G_NW_K_strided : TensorLayout::GNWK;
    Sig = resolveSignature(Sig);
    P.groups = 1, P.batch = Images, P.c = P.k = 1;
    P.image = {Width}, P.filter = {Filter};
    (Far == Role::Input ? P.input_strides : P.output_strides) = {0, Apart, 1,
                                                                 1};
  }

  static float at(Role TensorRole, int N, int W) {
    return static_cast<float>(
        (N * 3 + W * 7 + static_cast<int>(TensorRole)) % 5 - 2);
  }
  /// Elements beside each other, and images of them.
  static int width(Role TensorRole) {
    return TensorRole == Role::Input    ? Width
           : TensorRole == Role::Weight ? Filter
                                        : Results;
  }
  static int images(Role TensorRole) {
    return TensorRole == Role::Weight ? 1 : Images;
  }
  long long placeOf(Role TensorRole, int N, int W) const {
    return N * (TensorRole == Far ? Apart : width(TensorRole)) + W;
  }
  /// The result, from the sum that a convolution is.
  std::vector<float> expected() const {
    Role Result = roleOfResult(Sig.direction);
    std::vector<float> Sums(
        static_cast<size_t>(images(Result) * width(Result)));
    for (int N = 0; N < Images; ++N)
      for (int W = 0; W < Results; ++W)
        for (int X = 0; X < Filter; ++X) {
          float In = at(Role::Input, N, W + X), Tap = at(Role::Weight, 0, X),
                Out = at(Role::Output, N, W);
          if (Result == Role::Output)
            Sums[static_cast<size_t>(N * Results + W)] += In * Tap;
          else if (Result == Role::Input)
            Sums[static_cast<size_t>(N * Width + W + X)] += Out * Tap;
          else
            Sums[static_cast<size_t>(X)] += In * Out;
        }
    return Sums;
  }
};

/// Memory of the three tensors; operands have their elements.
class NearAndFar {
public:
  NearAndFar(Backend &On, const FarImages &Images) : On(On) {
    for (Role Each : {Role::Input, Role::Weight, Role::Output}) {
      long long Last =
          Images.placeOf(Each, Images.images(Each) - 1, Images.width(Each));
      Result<void *> Allocated =
          On.allocate(static_cast<size_t>(Last) * sizeof(float));
      EXPECT_TRUE(Allocated.ok()) << Allocated.status().message();
      At.push_back(Allocated ? static_cast<float *>(*Allocated) : nullptr);
      if (!Allocated || Each == roleOfResult(Images.Sig.direction))
        continue;
      for (int N = 0; N < Images.images(Each); ++N)
        for (int W = 0; W < Images.width(Each); ++W) {
          float Value = Images.at(Each, N, W);
          EXPECT_TRUE(On.upload(At.back() + Images.placeOf(Each, N, W), &Value,
                                sizeof(Value))
                          .ok());
        }
    }
  }
  ~NearAndFar() {
    for (void *Each : At)
      On.release(Each);
  }
  std::vector<float *> At;

private:
  Backend &On;
};

void checkImages(Backend &On, ConvDirection Direction) {
  FarImages Images(Direction);
  Algorithm Algo;
  Algo.kind = Kind::IMPLICIT_GEMM;
  Algo.isa = Isa::VALU;
  Algo.tile = MNK{4, 4, 4};
  Algo.thread.make().m1 = Algo.thread.make().n1 = 1;
  Algo.split.make().k_batch = 1;
  Algo.split->split_image = true;
  Result<ConvKernel> Kernel =
      ConvKernel::compile(Images.Sig, Algo, On.processor(), testOptions());
  ASSERT_TRUE(Kernel.ok()) << Kernel.status().message();
  Result<std::unique_ptr<LoadedKernel>> Loaded = On.load(*Kernel);
  ASSERT_TRUE(Loaded.ok()) << Loaded.status().message();
  NearAndFar Tensors(On, Images);
  Args With = argsFor(Images.Sig);
  With.input.data = Tensors.At[0];
  With.weight.data = Tensors.At[1];
  With.output.data = Tensors.At[2];
  Result<KernelLaunch> Launch = Kernel->launchOf(Images.P, With);
  ASSERT_TRUE(Launch.ok()) << Launch.status().message();
  Status Done = (*Loaded)->launch(*Launch);
  ASSERT_TRUE(Done.ok()) << Done.message();
  std::vector<float> Want = Images.expected(), Got(Want.size());
  Role Result = roleOfResult(Direction);
  ASSERT_TRUE(On.download(Got.data(),
                          Tensors.At[static_cast<size_t>(Result) - 1],
                          Got.size() * sizeof(float))
                  .ok());
  EXPECT_EQ(Got, Want);
}

TEST(CompiledOffsetsTest, LargeTensorsAreSplitByImages) {
  for (auto [Processor, Direction] :
       {std::pair("gfx90a", ConvDirection::FORWARD),
        std::pair("gfx1030", ConvDirection::BACKWARD_DATA),
        std::pair("gfx90a", ConvDirection::BACKWARD_WEIGHT)}) {
    std::unique_ptr<Backend> On = chooseBackend(Processor);
    ASSERT_TRUE(On);
    ASSERT_NO_FATAL_FAILURE(checkImages(*On, Direction))
        << nameOf(Direction) << " on " << Processor;
  }
}

} // namespace
