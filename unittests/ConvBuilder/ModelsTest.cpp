//===- ModelsTest.cpp - tests of the layers of two networks ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ResNet-50 and the 3D U-Net as test/ConvBuilder/Inputs/models has them, for
// smaller images with all of their channels, by matrix instructions of emulated
// GPUs. A few layers each; with KPACK_CONV_MODELS=all each layer that differs
// from the others, in all three directions, and in FP32 on gfx1030, too; with
// =pass ResNet-50 for an image of 224x224 on gfx90a. It says how many seconds
// of the processor each GPU took.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"
#include "ModelCase.h"

#include "kpack/ConvBuilder/Candidates.h"
#include "kpack/ConvBuilder/Describe.h"

#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr ConvDirection Directions[] = {ConvDirection::FORWARD,
                                        ConvDirection::BACKWARD_DATA,
                                        ConvDirection::BACKWARD_WEIGHT};

std::vector<ModelLayer> getLayers(const std::string &Name) {
  Result<std::vector<ModelLayer>> Read =
      readModel(CONV_TEST_MODELS "/" + Name + ".txt");
  EXPECT_TRUE(Read.ok()) << Read.status().message();
  return Read ? *Read : std::vector<ModelLayer>();
}

long long computeSum(const std::vector<ModelLayer> &Layers,
                     long long (*Metric)(const ModelLayer &)) {
  long long Sum = 0;
  for (const ModelLayer &Layer : Layers)
    Sum += Metric(Layer);
  return Sum;
}

/// Numbers that are known of the networks.
TEST(ModelsTest, ResNet50IsWhole) {
  std::vector<ModelLayer> Layers = getLayers("resnet50");
  EXPECT_EQ(Layers.size(), 53U);
  EXPECT_EQ(distinct(Layers).size(), 23U);
  // 25,557,032 parameters, less 2,049,000 of the last layer, which is not a
  // convolution, and two for each of 26,560 channels.
  EXPECT_EQ(computeSum(Layers, getWeights), 25557032 - 2049000 - 2 * 26560);
  EXPECT_EQ(computeSum(Layers, getProducts), 4087136256);
}

TEST(ModelsTest, UNetIsWhole) {
  std::vector<ModelLayer> Layers = getLayers("unet3d");
  EXPECT_EQ(Layers.size(), 18U);
  // The paper counts 19,069,955 parameters: with a bias for each channel, but
  // for those of the three that double the image.
  long long Biases = 0, Doubling = 0;
  for (const ModelLayer &Layer : Layers)
    Layer.Sig.direction == ConvDirection::BACKWARD_DATA ? ++Doubling
                                                        : Biases += Layer.P.k;
  EXPECT_EQ(Doubling, 3);
  EXPECT_EQ(computeSum(Layers, getWeights) + Biases, 19069955);
}

TEST(ModelsTest, WrongLinesAreReported) {
  std::string Path = testing::TempDir() + "kpack-conv-model.txt";
  auto Message = [&](const char *Line) {
    std::FILE *File = std::fopen(Path.c_str(), "w");
    std::fputs(Line, File);
    std::fclose(File);
    return readModel(Path).status().message().substr(Path.size());
  };
  EXPECT_EQ(Message("# no layer\n\n{spatial_dim=2}\n"),
            ":3: a signature, a space and a problem are expected");
  EXPECT_EQ(Message("{spatial_dim=2} {z=1}\n"),
            ":1: problem: at 1: 'z' is no field; did you mean c?");
  std::remove(Path.c_str());
  EXPECT_FALSE(readModel(Path).ok());
}

/// Each layer as published, for one image and for 32, has algorithms on each
/// generation of GPUs, and the first one has a launch. Nothing is compiled.
TEST(ModelsTest, EachHasCandidates) {
  std::clock_t Begin = std::clock();
  unsigned Problems = 0;
  size_t Found = 0;
  auto Check = [&](const Signature &Sig, const Problem &Sizes,
                   const char *Processor) {
    SCOPED_TRACE(text(Sizes) + " on " + Processor);
    std::vector<Refusal> Why;
    std::vector<Candidate> Can = candidates(Sig, Sizes, Processor, {}, &Why);
    ASSERT_FALSE(Can.empty()) << (Why.empty() ? "" : Why.front().text());
    Result<Lowered> Kernel = lower(Sig, Can.front().how, Processor);
    ASSERT_TRUE(Kernel.ok());
    Result<KernelLaunch> Launch = launchOf(Sig, *Kernel, Sizes, argsFor(Sig));
    EXPECT_TRUE(Launch.ok()) << Launch.status().message();
    Found += Can.size();
    ++Problems;
  };
  for (const char *Name : {"resnet50", "unet3d"})
    for (ModelLayer Layer : distinct(getLayers(Name)))
      for (int Batch : {1, 32})
        for (const char *Processor :
             {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"}) {
          Layer.P.batch = Batch;
          Check(resolveSignature(Layer.Sig), Layer.P, Processor);
        }
  EXPECT_EQ(Problems, (23U + 18) * 2 * 5);
  std::printf("%u problems, %zu candidates, %.2f CPU-s\n", Problems, Found,
              static_cast<double>(std::clock() - Begin) / CLOCKS_PER_SEC);
}

/// Where the layers of a test run.
struct ModelRow {
  const char *Processor;
  DataType Type;
  Isa In;
  MNK Tile, Waves, Instr;
};

constexpr ModelRow Mfma = {"gfx90a",     DataType::FP16, Isa::MFMA,
                           {64, 64, 32}, {2, 2, 1},      {32, 32, 8}};
constexpr ModelRow Wmma = {"gfx1100",    DataType::FP16, Isa::WMMA,
                           {32, 32, 32}, {2, 2, 1},      {16, 16, 16}};
constexpr ModelRow Valu = {
    "gfx1030", DataType::FP32, Isa::VALU, {32, 32, 16}, {}, {}};

Algorithm makeAlgorithm(const ModelRow &Row) {
  return makeGemm(Row.In, Row.Tile, {Row.Waves, Row.Instr});
}

/// WMMA of gfx11 does not give 0 for 1 - 1.
bool needsOneSign(const ModelRow &Row) {
  return Row.In == Isa::WMMA &&
         std::string_view(Row.Processor).starts_with("gfx11");
}

class ModelRun {
public:
  explicit ModelRun(const ModelRow &Row)
      : Row(Row), On(chooseBackend(Row.Processor)), Begin(std::clock()) {}
  ~ModelRun() {
    std::printf("%s %.*s: %u layers, %.3g products, %.1f CPU-s\n",
                Row.Processor, static_cast<int>(nameOf(Row.Type).size()),
                nameOf(Row.Type).data(), Count, Products,
                static_cast<double>(std::clock() - Begin) / CLOCKS_PER_SEC);
  }

  void check(const ModelLayer &Layer, ConvDirection Direction) {
    ASSERT_TRUE(On);
    ModelCase Case(Layer, Direction, Row.Type, needsOneSign(Row), ++Count);
    SCOPED_TRACE(Row.Processor + (" " + Case.conv().text()));
    ASSERT_EQ(Case.conv().Memory.size(), 3U);
    Products += static_cast<double>(getProducts(Layer));
    std::vector<TensorBytes> Expected = Case.expected();
    ASSERT_FALSE(Expected.empty()) << "a sum that FP16 does not have";
    TensorBytes Computed = runOn(*On, Case.conv(), makeAlgorithm(Row));
    EXPECT_EQ(Case.conv().compare(Expected, Computed), "");
  }

private:
  ModelRow Row;
  std::unique_ptr<Backend> On;
  unsigned Count = 0;
  double Products = 0;
  std::clock_t Begin;
};

/// The layer that takes \p C channels to \p K by a filter of \p Size.
ModelLayer find(const std::vector<ModelLayer> &Layers, int C, int K, int Size,
                int Stride) {
  for (const ModelLayer &Layer : Layers)
    if (Layer.P.c == C && Layer.P.k == K && Layer.P.filter[0] == Size &&
        strideOf(Layer.P, 0) == Stride)
      return Layer;
  ADD_FAILURE() << "no layer with " << C << " and " << K << " channels";
  return Layers.front();
}

/// Six layers of ResNet-50 for an image of 32x32, three of U-Net for 4x4x4.
std::vector<ModelLayer> someLayers() {
  std::vector<ModelLayer> ResNet = getLayers("resnet50"),
                          UNet = getLayers("unet3d"), Some;
  for (const ModelLayer &Layer :
       {find(ResNet, 3, 64, 7, 2), find(ResNet, 64, 256, 1, 1),
        find(ResNet, 256, 512, 1, 2), find(ResNet, 128, 128, 3, 1),
        find(ResNet, 256, 256, 3, 2), find(ResNet, 512, 512, 3, 1)})
    Some.push_back(scaled(Layer, 224, 32));
  for (const ModelLayer &Layer :
       {find(UNet, 32, 64, 3, 1), find(UNet, 64, 128, 3, 1),
        find(UNet, 128, 128, 2, 2)})
    Some.push_back(scaled(Layer, 128, 4));
  return Some;
}

/// The loops over integers are right: the host reference says the same, a
/// direction each.
TEST(ModelsTest, IntegerLoopsMatchTheReference) {
  std::vector<ModelLayer> Layers = someLayers();
  for (size_t I = 0; I < Layers.size(); I += 4) {
    ModelCase Case(Layers[I], Directions[I % 3], DataType::FP16, I == 4, 5);
    std::vector<TensorBytes> Expected = Case.conv().expected();
    ASSERT_FALSE(Expected.empty());
    EXPECT_TRUE(Case.expected() == Expected) << Case.conv().text();
  }
}

class ModelLayersTest : public testing::TestWithParam<ModelRow> {};

TEST_P(ModelLayersTest, SomeLayersMatchTheReference) {
  ModelRun Run(GetParam());
  for (const ModelLayer &Layer : someLayers())
    ASSERT_NO_FATAL_FAILURE(Run.check(Layer, Layer.Sig.direction));
}

class EachModelLayerTest : public testing::TestWithParam<ModelRow> {};

/// Not while a change is tested: KPACK_CONV_MODELS.
TEST_P(EachModelLayerTest, AllDirectionsMatchTheReference) {
  const char *Wanted = std::getenv("KPACK_CONV_MODELS");
  if (!Wanted || std::string_view(Wanted) != "all")
    return;
  std::vector<ModelLayer> Layers;
  for (const ModelLayer &Layer : distinct(getLayers("resnet50")))
    Layers.push_back(scaled(Layer, 224, 64));
  for (const ModelLayer &Layer : distinct(getLayers("unet3d")))
    Layers.push_back(scaled(Layer, 128, 8));
  ModelRun Run(GetParam());
  for (const ModelLayer &Layer : Layers)
    for (ConvDirection Direction : Directions)
      ASSERT_NO_FATAL_FAILURE(Run.check(Layer, Direction));
}

/// All of ResNet-50 as published, forward: with KPACK_CONV_MODELS=pass. Each
/// layer has numbers of its own, not those of the one before.
TEST(ModelsTest, WholeForwardPassMatchesTheReference) {
  const char *Wanted = std::getenv("KPACK_CONV_MODELS");
  if (!Wanted || std::string_view(Wanted) != "pass")
    return;
  ModelRun Run(Mfma);
  for (const ModelLayer &Layer : getLayers("resnet50"))
    ASSERT_NO_FATAL_FAILURE(Run.check(Layer, ConvDirection::FORWARD));
}

std::string nameOfRow(const testing::TestParamInfo<ModelRow> &Info) {
  return Info.param.Processor;
}

INSTANTIATE_TEST_SUITE_P(Processors, ModelLayersTest,
                         testing::Values(Mfma, Wmma), nameOfRow);
INSTANTIATE_TEST_SUITE_P(Processors, EachModelLayerTest,
                         testing::Values(Mfma, Wmma, Valu), nameOfRow);

} // namespace
