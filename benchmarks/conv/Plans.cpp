//===- Plans.cpp - time to make and to run plans --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long a plan takes to be made, and what Plan::run() adds to a launch: the
// launch function of the device alone is called with a launch that is ready,
// in turn with run(), by a device whose launches do nothing, and by HIP where
// the process has a device of it.
//
//===----------------------------------------------------------------------===//
#include "Groups.h"

#include "kpack/ConvBuilder/Context.h"
#include "kpack/ConvBuilder/TensorShape.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

using namespace kpack;
using namespace kpack::conv;

namespace {

void check(const Status &Done) {
  if (!Done.ok())
    throw std::runtime_error(Done.message());
}
template <typename T> T take(Result<T> Outcome) {
  check(Outcome.status());
  return std::move(*Outcome);
}

/// Launches do nothing, on a GPU that need not be there.
class NothingBackend final : public Backend {
public:
  explicit NothingBackend(std::string Name) : Name(std::move(Name)) {}
  const std::string &processor() const override { return Name; }
  Result<void *> allocate(size_t Bytes) override { return std::malloc(Bytes); }
  void release(void *Memory) override { std::free(Memory); }
  Status upload(void *, const void *, size_t) override { return {}; }
  Status download(void *, const void *, size_t) override { return {}; }
  Result<std::unique_ptr<LoadedKernel>> load(const ConvKernel &) override {
    class Nothing final : public LoadedKernel {
      Status launch(const KernelLaunch &) override { return {}; }
    };
    return std::unique_ptr<LoadedKernel>(new Nothing);
  }

private:
  std::string Name;
};

/// The layer of Candidates.cpp.
Problem layerSizes() {
  Problem Sizes{
      .batch = 32, .c = 128, .k = 128, .image = {28, 28}, .filter = {3, 3}};
  Sizes.pad = {{1, 1}, {1, 1}};
  return Sizes;
}

constexpr Signature Layer{.spatial_dim = 2, .data_type = DataType::FP16};

template <typename Function> double measureSeconds(Function &&Do) {
  auto Start = std::chrono::steady_clock::now();
  Do();
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  return Took.count();
}

ContextOptions optionsIn(const std::string &Folder) {
  Result<jit::Cache> Opened =
      jit::Cache::open({.directory = Folder,
                        .compile_helper = HELPER,
                        .on_event = [](const kpack_jit_event *, void *) {}});
  ContextOptions With;
  With.jit.cache = take(std::move(Opened));
  return With;
}

/// What run() adds, in nanoseconds: the least of rounds of calls, in turn.
void measureCalls(const std::shared_ptr<Backend> &On, const char *Name,
                  int Calls, const Run &Settings, std::vector<Row> &Rows) {
  Problem Sizes{.c = 1, .k = 1, .image = {4}, .filter = {1}};
  Signature Sig{.spatial_dim = 1, .data_type = DataType::FP32};
  Algorithm Direct;
  Direct.kind = Kind::DIRECT;
  ContextOptions With = optionsIn(Settings.Folder + "/" + Name);
  Context Where = take(Context::create(On, With));
  Plan P = take(Where.plan(Sig, Sizes, {.algorithm = Direct}));
  check(P.prepare(0));
  Args Tensors = argsFor(P.signature());
  TensorArgs *Each[] = {&Tensors.input, &Tensors.weight, &Tensors.output};
  for (TensorArgs *One : Each)
    One->data = take(On->allocate(64));
  ConvKernel Kernel = take(
      ConvKernel::compile(P.signature(), P[0].how, On->processor(), With.jit));
  std::unique_ptr<LoadedKernel> Loaded = take(On->load(Kernel));
  KernelLaunch Ready = take(Kernel.launchOf(Sizes, Tensors));
  double Bare = 1e9, Planned = 1e9;
  for (int R = 0; R < Settings.Rounds * 5; ++R) {
    Bare = std::min(Bare, measureSeconds([&] {
                      for (int I = 0; I < Calls; ++I)
                        check(Loaded->launch(Ready));
                    }));
    Planned = std::min(Planned, measureSeconds([&] {
                         for (int I = 0; I < Calls; ++I)
                           check(P.run(nullptr, Tensors));
                       }));
  }
  auto Add = [&](const char *Label, double Seconds,
                 std::optional<Aim> Wanted = {}) {
    Rows.push_back({"call", std::string(Name) + ", " + Label, "ns",
                    Seconds / Calls * 1e9, Wanted});
  };
  Add("launch function", Bare);
  Add("run()", Planned);
  Add("what run() adds", Planned - Bare, Aim{100});
}

} // namespace

void measurePlans(const Run &Settings, std::vector<Row> &Rows) {
  auto On = std::make_shared<NothingBackend>("gfx942");
  double First = 1e9, Second = 1e9;
  size_t Count = 0;
  for (int R = 0; R < Settings.Rounds; ++R) {
    Context Where = take(Context::create(On, optionsIn(Settings.Folder)));
    auto Make = [&] {
      Plan P = take(Where.plan(Layer, layerSizes()));
      Count = P.size() + P.refusals().size();
    };
    First = std::min(First, measureSeconds(Make));
    Second = std::min(Second, measureSeconds(Make));
  }
  auto Add = [&](const char *Name, const char *Unit, double Value,
                 std::optional<Aim> Wanted = {}) {
    Rows.push_back({"plans", Name, Unit, Value, Wanted});
  };
  Add("algorithms", "tried", static_cast<double>(Count));
  Add("first of a problem", "ms", First * 1e3, Aim{2});
  Add("again", "ms", Second * 1e3, Aim{0.2});
  measureCalls(On, "nothing", 1000, Settings, Rows);
  if (Result<std::unique_ptr<Backend>> Gpu = makeHipBackend())
    measureCalls(std::move(*Gpu), "HIP", 100, Settings, Rows);
}
