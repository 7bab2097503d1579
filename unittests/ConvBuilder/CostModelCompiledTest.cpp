//===- CostModelCompiledTest.cpp - tests of estimates against execution ---===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model has instructions of kernels that nobody has compiled. Here
// they are compiled, the emulated GPU counts what its waves execute, and the
// two orders are compared: of KPACK_CONV_COST=<pairs>, which are printed.
// Without it nothing is compiled, and CostModelTest.cpp is all there is.
//
//===----------------------------------------------------------------------===//
#include "DeviceCase.h"

#include "kpack/ConvBuilder/Candidates.h"
#include "kpack/ConvBuilder/Describe.h"

#include "SoftGpu/Machine/CodeObjects/CodeObject.h"
#include "kpack/ConvBuilder/Requirements.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// A number for each value, equal ones the mean of theirs.
std::vector<double> computeRanks(const std::vector<double> &Values) {
  std::vector<size_t> Order(Values.size());
  std::iota(Order.begin(), Order.end(), size_t(0));
  std::sort(Order.begin(), Order.end(),
            [&](size_t A, size_t B) { return Values[A] < Values[B]; });
  std::vector<double> Ranks(Values.size());
  for (size_t I = 0, End; I < Order.size(); I = End) {
    for (End = I; End < Order.size() && Values[Order[End]] == Values[Order[I]];)
      ++End;
    for (size_t J = I; J < End; ++J)
      Ranks[Order[J]] = static_cast<double>(I + End - 1) / 2;
  }
  return Ranks;
}

/// Spearman's; 1 where one of them has no order.
double rankCorrelation(const std::vector<double> &A,
                       const std::vector<double> &B) {
  std::vector<double> X = computeRanks(A), Y = computeRanks(B);
  double Mean = (static_cast<double>(A.size()) - 1) / 2;
  double Both = 0, OfX = 0, OfY = 0;
  for (size_t I = 0; I < X.size(); ++I) {
    Both += (X[I] - Mean) * (Y[I] - Mean);
    OfX += (X[I] - Mean) * (X[I] - Mean);
    OfY += (Y[I] - Mean) * (Y[I] - Mean);
  }
  return OfX == 0 || OfY == 0 ? 1 : Both / std::sqrt(OfX * OfY);
}

/// Tensors of one problem, all zero.
class Tensors {
public:
  Tensors(softgpu::MemoryMap &Memory, const Signature &Sig, const Problem &P)
      : Memory(Memory) {
    for (Role TensorRole : TensorRoles) {
      auto Bytes = static_cast<size_t>(extentOf(Sig, P, TensorRole)) *
                   bytesOf(tensorOf(Sig, TensorRole).config.data_type);
      All.emplace_back(Bytes / 8 + 1);
      auto Begin = reinterpret_cast<uint64_t>(All.back().data());
      Memory.add({Begin, Begin + All.back().size() * 8, true, "tensor"});
    }
    With = argsFor(Sig);
    With.input.data = All[0].data();
    With.weight.data = All[1].data();
    With.output.data = All[2].data();
  }
  ~Tensors() {
    for (std::vector<uint64_t> &Each : All) {
      auto Begin = reinterpret_cast<uint64_t>(Each.data());
      Memory.remove(Begin, Begin + Each.size() * 8);
    }
  }
  Args With;

private:
  softgpu::MemoryMap &Memory;
  std::vector<std::vector<uint64_t>> All;
};

/// One processor, whose kernels are counted.
class Counter {
public:
  explicit Counter(std::string Name) : Name(std::move(Name)) {
    auto Created = softgpu::Machine::create(this->Name, Memory);
    EXPECT_TRUE(static_cast<bool>(Created))
        << llvm::toString(Created.takeError());
    Gpu = std::move(*Created);
  }

  /// Wave-instructions of each problem; nothing where it failed.
  std::vector<double> count(const Signature &Sig, const Algorithm &Algo,
                            const std::vector<Problem> &Problems) {
    Result<ConvKernel> Kernel =
        ConvKernel::compile(Sig, Algo, Name, testOptions());
    EXPECT_TRUE(Kernel.ok()) << Kernel.status().message();
    if (!Kernel)
      return {};
    std::string_view Image = Kernel->image();
    auto Code = softgpu::CodeObject::load(
        {reinterpret_cast<const uint8_t *>(Image.data()), Image.size()},
        Memory);
    EXPECT_TRUE(static_cast<bool>(Code)) << llvm::toString(Code.takeError());
    std::vector<double> Counts;
    for (const Problem &P : Problems) {
      Tensors With(Memory, Sig, P);
      Result<KernelLaunch> Launch = Kernel->launchOf(P, With.With);
      EXPECT_TRUE(Launch.ok()) << Launch.status().message();
      llvm::ArrayRef<uint8_t> Bytes(
          reinterpret_cast<const uint8_t *>(Launch->Arguments.data()),
          Launch->Arguments.size());
      Counts.push_back(0);
      for (const LaunchStep &Step : Launch->Steps) {
        auto Done = (*Code)->launch(*Gpu, Kernel->symbol(Step.Which), Step.Grid,
                                    {Step.Block, 1, 1}, Step.Lds, Bytes);
        EXPECT_TRUE(static_cast<bool>(Done))
            << llvm::toString(Done.takeError());
        EXPECT_FALSE(Done->Failure) << Done->Failure->message();
        Counts.back() += static_cast<double>(Done->Instructions);
      }
    }
    return Counts;
  }

  const std::string Name;

private:
  softgpu::MemoryMap Memory;
  std::unique_ptr<softgpu::Machine> Gpu;
};

/// Signatures, problems and candidates of them, any.
class RandomPairs {
public:
  explicit RandomPairs(unsigned Seed) : Random(Seed) {}

  template <typename T> T any(std::initializer_list<T> Choices) {
    return Choices.begin()[below(Choices.size())];
  }
  size_t below(size_t End) {
    return std::uniform_int_distribution<size_t>(0, End - 1)(Random);
  }

  Signature signature() {
    Signature Sig;
    Sig.spatial_dim = any({1, 2, 2, 3});
    Sig.data_type = any({DataType::FP32, DataType::FP16, DataType::FP16,
                         DataType::BF16, DataType::I8});
    if (!isInteger(Sig.data_type))
      Sig.direction = any({ConvDirection::FORWARD, ConvDirection::BACKWARD_DATA,
                           ConvDirection::BACKWARD_WEIGHT});
    return resolveSignature(Sig);
  }

  Problem problem(int Dims) {
    Problem P{.groups = any({1, 1, 2}),
              .batch = any({1, 2, 3}),
              .c = any({8, 16, 32, 64}),
              .k = any({8, 16, 32, 64})};
    for (int D = 0; D < Dims; ++D) {
      P.image.push(Dims == 1   ? any({64, 100, 300})
                   : Dims == 2 ? any({8, 14, 20})
                               : any({4, 6}));
      P.filter.push(any({1, 3, 3}));
      P.stride.push(any({1, 1, 2}));
      P.pad.push({1, 1});
    }
    return P;
  }

private:
  std::mt19937 Random;
};

/// What the emulated GPU does within a second.
bool isSmall(const Estimate &E) {
  return E.operations < 4e7 && E.instructions < 6e5;
}

} // namespace

TEST(CostModelCompiledTest, OrderIsThatOfExecutedInstructions) {
  constexpr size_t PerKernel = 4;
  const char *Asked = std::getenv("KPACK_CONV_COST");
  if (!Asked)
    return;
  size_t Pairs = std::strtoul(Asked, nullptr, 10);
  RandomPairs Random(1);
  std::deque<Counter> Gpus;
  for (const char *Name : {"gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"})
    Gpus.emplace_back(Name);
  std::vector<double> Estimated, Executed;
  for (size_t Which = 0; Estimated.size() < Pairs; ++Which) {
    Counter &On = Gpus[Which % Gpus.size()];
    Signature Sig = Random.signature();
    Problem First = Random.problem(Sig.spatial_dim);
    std::vector<Candidate> All =
        candidates(Sig, First, On.Name, {.workspace_limit = 0});
    ASSERT_FALSE(All.empty());
    // DIRECT is five of hundreds.
    if (Which % 4 == 3)
      std::erase_if(All, [](const Candidate &One) {
        return One.how.kind != Kind::DIRECT;
      });
    const Algorithm &Algo = All[Random.below(All.size())].how;
    const Processor *Gpu = findProcessor(Target(On.Name));
    std::vector<Problem> Problems;
    std::vector<double> Its;
    Problem Next = First;
    for (int Try = 0; Try < 100 && Problems.size() < PerKernel; ++Try) {
      Estimate E = estimate(Sig, Algo, Next, *Gpu);
      if (isSmall(E) && validate(Sig, Algo, Target(On.Name), Next).ok()) {
        Problems.push_back(Next);
        Its.push_back(E.instructions);
      }
      Next = Random.problem(Sig.spatial_dim);
    }
    std::vector<double> Counts = On.count(Sig, Algo, Problems);
    ASSERT_EQ(Counts.size(), Its.size());
    for (size_t I = 0; I < Its.size(); ++I) {
      Estimated.push_back(Its[I]);
      Executed.push_back(Counts[I]);
      std::printf("%-8s %8.0f estimated, %8.0f executed: %s %s %s\n",
                  On.Name.c_str(), Its[I], Counts[I], text(Sig).c_str(),
                  text(Algo).c_str(), text(Problems[I]).c_str());
      std::fflush(stdout);
    }
  }
  double Correlation = rankCorrelation(Estimated, Executed);
  std::printf("rank correlation %.3f of %zu pairs\n", Correlation,
              Estimated.size());
  EXPECT_GE(Correlation, 0.8);
}
