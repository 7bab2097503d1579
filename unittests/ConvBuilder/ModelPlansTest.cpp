//===- ModelPlansTest.cpp - tests of plans for two networks ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each layer of ResNet-50 and the 3D U-Net as published, for one image and for
// 32, on each generation of GPUs, without any of these: a plan, and the kernel
// that it would run, compiled and kept. With the same files nothing is compiled
// a second time, by another cache of this process or, where
// KPACK_CONV_PLANS=FOLDER names them, by another process: so
// test/ConvBuilder/second-process.test calls it for a layer of each on one GPU.
// With KPACK_CONV_MODELS=plans all of them.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"
#include "ModelLayers.h"

#include "kpack/ConvBuilder/Context.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// A GPU that is not here: kernels can be loaded, and do nothing.
class AbsentGpu final : public Backend {
public:
  explicit AbsentGpu(std::string Name) : Name(std::move(Name)) {}
  const std::string &processor() const override { return Name; }
  Result<void *> allocate(size_t) override { return none(); }
  void release(void *) override {}
  Status upload(void *, const void *, size_t) override { return none(); }
  Status download(void *, const void *, size_t) override { return none(); }
  Result<std::unique_ptr<LoadedKernel>> load(const ConvKernel &) override {
    class Nothing final : public LoadedKernel {
      Status launch(const KernelLaunch &) override { return none(); }
    };
    return std::unique_ptr<LoadedKernel>(new Nothing);
  }

private:
  static Status none() {
    return Status(StatusCode::IoError, "no device", Errc::NoDevice);
  }
  std::string Name;
};

/// Layers as published; \p Step: each that many of them.
std::vector<ModelLayer> layers(size_t Step) {
  std::vector<ModelLayer> All, Some;
  for (const char *Name : {"resnet50", "unet3d"}) {
    Result<std::vector<ModelLayer>> Read =
        readModel(std::string(CONV_TEST_MODELS "/") + Name + ".txt");
    EXPECT_TRUE(Read.ok()) << Read.status().message();
    if (Read)
      for (const ModelLayer &Layer : distinct(*Read))
        All.push_back(Layer);
  }
  for (size_t I = 0; I < All.size(); I += Step)
    Some.push_back(All[I]);
  return Some;
}

/// What was done for all layers.
struct Made {
  unsigned Plans = 0;
  std::set<std::string> Kernels; ///< processor, signature, algorithm
  unsigned Cold = 0;             ///< before they were prepared
  unsigned long long Compiles = 0;
  double Seconds = 0; ///< to plan
};

void planAll(const std::vector<const char *> &Processors,
             const std::vector<ModelLayer> &Layers, const jit::Cache &In,
             Made &Totals) {
  for (const char *Processor : Processors) {
    ContextOptions With;
    With.jit.cache = In;
    Result<Context> Where =
        Context::create(std::make_shared<AbsentGpu>(Processor), With);
    ASSERT_TRUE(Where.ok()) << Where.status().message();
    for (ModelLayer Layer : Layers)
      for (int Batch : {1, 32}) {
        Layer.P.batch = Batch;
        SCOPED_TRACE(text(Layer.P) + " on " + Processor);
        auto Begin = std::chrono::steady_clock::now();
        Result<Plan> P = Where->plan(Layer.Sig, Layer.P);
        Totals.Seconds += std::chrono::duration<double>(
                              std::chrono::steady_clock::now() - Begin)
                              .count();
        ASSERT_TRUE(P.ok()) << P.status().message();
        Totals.Cold += P->state(P->selected()) == KernelState::Cold;
        Status Done = P->prepare(P->selected());
        ASSERT_TRUE(Done.ok()) << Done.message();
        Totals.Kernels.insert(Processor + text(P->signature()) +
                              P->text(P->selected()));
        ++Totals.Plans;
      }
  }
  Totals.Compiles = In.stats().compiles;
}

class ModelPlansTest : public testing::Test {
protected:
  ModelPlansTest() {
    const char *Wanted = std::getenv("KPACK_CONV_MODELS");
    All = Wanted && std::string_view(Wanted) == "plans";
    Layers = layers(All ? 1 : 23);
    Processors = {"gfx1100"};
    if (All)
      Processors = {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"};
    ::setenv("KPACK_JIT_COMPILER", CONV_TEST_COMPILER, 1);
  }

  /// Through a cache that no object of this process has looked into.
  void planAllIn(const std::string &Folder, Made &Totals) const {
    Result<jit::Cache> Opened =
        jit::Cache::open({.directory = Folder,
                          .compile_helper = CONV_TEST_HELPER,
                          .on_event = [](const kpack_jit_event *, void *) {}});
    ASSERT_TRUE(Opened.ok()) << Opened.status().message();
    ASSERT_NO_FATAL_FAILURE(planAll(Processors, Layers, *Opened, Totals));
    EXPECT_EQ(Totals.Plans, Layers.size() * 2 * Processors.size());
    EXPECT_LE(Totals.Compiles, Totals.Kernels.size());
    std::printf("%u plans in %.3f s, %zu kernels, %u cold, %llu compiled\n",
                Totals.Plans, Totals.Seconds, Totals.Kernels.size(),
                Totals.Cold, Totals.Compiles);
  }

  bool All;
  std::vector<ModelLayer> Layers;
  std::vector<const char *> Processors;
};

TEST_F(ModelPlansTest, NothingIsCompiledTwice) {
  Made First, Second;
  if (const char *Shared = std::getenv("KPACK_CONV_PLANS"))
    return planAllIn(Shared, First);
  if (!All)
    return; // two processes say more
  std::string Folder = testing::TempDir() + "kpack-conv-plans-XXXXXX";
  ASSERT_TRUE(::mkdtemp(Folder.data()));
  ASSERT_NO_FATAL_FAILURE(planAllIn(Folder, First));
  ASSERT_NO_FATAL_FAILURE(planAllIn(Folder, Second));
  std::error_code Ignored;
  std::filesystem::remove_all(Folder, Ignored);
  EXPECT_GT(First.Compiles, 0U);
  EXPECT_EQ(Second.Cold, 0U);
  EXPECT_EQ(Second.Compiles, 0U);
  EXPECT_EQ(Second.Kernels, First.Kernels);
}

} // namespace
