//===- Check.cpp - conv-builder check: kernel against reference -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel on generated data and compares the result with the host
// reference. kpack/ConvBuilder/TestData.h defines the data and the error
// bounds.
//
//===----------------------------------------------------------------------===//
#include "Backends.h"
#include "OperationParameters.h"
#include "Question.h"
#include "TensorFiles.h"

#include "ToolSupport/Output.h"
#include "kpack/ConvBuilder/TestData.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

/// The number of differences that are printed.
static constexpr size_t Most = 5;

namespace {

/// The check to run on each device.
struct Task {
  Question Q;
  unsigned Seed = 1;
  bool IsRandom = false;
  std::vector<std::string> Settings;
};

/// The result of a check on one device.
struct Outcome {
  std::string Device;
  Resolved Kernel;
  CallTensor Result;
  Comparison Found;
};

} // namespace

static bool isMatrix(const Algorithm &A) {
  return A.isa == Isa::MFMA || A.isa == Isa::WMMA;
}

/// True if all operations map small integers to exact results.
static bool isExact(const Signature &Sig) {
  auto IsExact = [](const Tensor &T) {
    const Operation &Op = *T.operation;
    bool Is = conv::isExact(Op.elementwise_operation) &&
              (!hasActivation(Op.elementwise_operation) ||
               conv::isExact(Op.activation));
    for (ElementwiseOperation Link : Op.chain)
      Is = Is && conv::isExact(Link);
    for (const AuxiliaryOperand &Operand : Op.auxiliary_operand_configs)
      Is = Is && conv::isExact(Operand.elementwise_operation);
    return Is;
  };
  return IsExact(Sig.input) && IsExact(Sig.weight) && IsExact(Sig.output);
}

/// Returns the numbers of operations before --set= applies.
static Args makeNumbers(const Task &T, const Signature &Sig) {
  Args Numbers = argsFor(Sig);
  if (T.IsRandom)
    return Numbers;
  auto Set = [](TensorArgs &Target, const Tensor &Given) {
    Target.params = exactNumbers(Given.operation->elementwise_operation);
  };
  Set(Numbers.input, Sig.input);
  Set(Numbers.weight, Sig.weight);
  Set(Numbers.output, Sig.output);
  return Numbers;
}

/// Selects data without negative numbers for WMMA and DOT on gfx11, whose dot
/// products of floats do not compute 1 - 1 as 0.
static TestNumbers dataFor(const Task &T, const Resolved &R,
                           StringRef Processor) {
  if (T.IsRandom)
    return TestNumbers::Random;
  bool IsInexact = (R.Algo.isa == Isa::WMMA || R.Algo.isa == Isa::DOT) &&
                   Processor.starts_with("gfx11");
  return IsInexact ? TestNumbers::Naturals : TestNumbers::Integers;
}

static Expected<Comparison> compare(const Task &T, const Resolved &R,
                                    const CallTensor &Tensor, Fp8Form Form,
                                    const Args &Numbers,
                                    std::vector<TensorBytes> Reference,
                                    const TensorBytes &Is) {
  std::vector<void *> Pointers;
  for (TensorBytes &Each : Reference)
    Pointers.push_back(Each.data());
  Args With = argsAt(R.Sig, Numbers, Pointers);
  if (!T.IsRandom && T.Settings.empty() && isExact(R.Sig)) {
    if (Status S = reference(R.Sig, *T.Q.Sizes, With, Form); !S.ok())
      return toError(S);
    auto Which = static_cast<size_t>(Tensor.Of) - 1;
    return compareStored(Tensor, Form, Reference[Which], Is, Most);
  }
  Tolerance By = boundOf(R.Sig, *T.Q.Sizes, isMatrix(R.Algo));
  Result<ReferenceResult> Should =
      resultOf(R.Sig, *T.Q.Sizes, With, Form, By.Errors);
  if (!Should)
    return toError(Should.status());
  return compareNearly(Tensor, Form, *Should, Is, By.Ulps, Most);
}

static Expected<Outcome> checkOn(const Task &T, StringRef Device) {
  Expected<std::unique_ptr<Backend>> Created = chooseBackend(Device);
  if (!Created)
    return Created.takeError();
  Backend &On = **Created;
  Expected<Resolved> R = kernelFor(T.Q, On.processor());
  if (!R)
    return R.takeError();
  Args Numbers = makeNumbers(T, R->Sig);
  if (Error E = setNumbers(Numbers, R->Sig, T.Settings))
    return std::move(E);
  Result<std::vector<CallTensor>> Tensors = callTensors(R->Sig, *T.Q.Sizes);
  if (!Tensors)
    return toError(Tensors.status());
  if (Error E = checkMemory(*Tensors))
    return std::move(E);
  Result<ConvKernel> Kernel =
      ConvKernel::compile(R->Sig, R->Algo, On.processor());
  if (!Kernel)
    return toError(Kernel.status());
  Fp8Form Form = readFp8Form(On);
  std::vector<TensorBytes> Memory =
      testData(R->Sig, *Tensors, Form, T.Seed, dataFor(T, *R, On.processor()));
  std::vector<TensorBytes> Own = Memory;
  if (Status S = callOnce(On, *Kernel, R->Sig, *T.Q.Sizes, Numbers, Memory);
      !S.ok())
    return toError(S);
  auto Which = static_cast<size_t>(roleOfResult(R->Sig.direction)) - 1;
  const CallTensor &Tensor = (*Tensors)[Which];
  Expected<Comparison> Found =
      compare(T, *R, Tensor, Form, Numbers, std::move(Own), Memory[Which]);
  if (!Found)
    return Found.takeError();
  return Outcome{Device.str(), *R, Tensor, std::move(*Found)};
}

static void print(raw_ostream &OS, const Outcome &One) {
  const Comparison &C = One.Found;
  OS << One.Device << ": " << One.Result.name() << ", " << C.Elements
     << " elements, ";
  if (C.ok())
    OS << "all right";
  else
    OS << C.Wrong << " wrong";
  OS << "; " << text(One.Kernel.Algo) << '\n';
  for (const Mismatch &M : C.First)
    OS << "  " << placeText(One.Result, One.Kernel.Sig.spatial_dim, M)
       << ": is " << format("%.9g", M.Is) << ", should be "
       << format("%.9g", M.Should)
       << (M.Bound > 0 ? formatv(" within {0:E2}", M.Bound).str() : "") << '\n';
}

static void printJson(json::OStream &J, const Outcome &One) {
  J.object([&] {
    J.attribute("on", One.Device);
    J.attribute("ok", One.Found.ok());
    J.attribute("signature", text(One.Kernel.Sig));
    J.attribute("algorithm", text(One.Kernel.Algo));
    J.attribute("tensor", One.Result.name());
    J.attribute("elements", One.Found.Elements);
    J.attribute("wrong", One.Found.Wrong);
    J.attributeArray("first", [&] {
      for (const Mismatch &M : One.Found.First)
        J.object([&] {
          J.attribute("place",
                      placeText(One.Result, One.Kernel.Sig.spatial_dim, M));
          J.attribute("element", M.Element);
          // JSON has no infinite numbers.
          J.attribute("is", formatv("{0}", M.Is).str());
          J.attribute("should", formatv("{0}", M.Should).str());
          J.attribute("bound", M.Bound);
        });
    });
  });
}

static Expected<Task> makeTask(const Invocation &I) {
  Expected<Question> Q = makeQuestion(I);
  if (!Q)
    return Q.takeError();
  if (!Q->Sizes)
    return createStringError(inconvertibleErrorCode(),
                             "command line: no problem given; give the sizes, "
                             "such as '{c=8,k=8,image=[5],filter=[3]}'");
  Task T{*Q, 1, I.Args.hasArg(OPT_random), I.Args.getAllArgValues(OPT_set_EQ)};
  StringRef Seed = I.Args.getLastArgValue(OPT_seed_EQ, "1");
  if (Seed.getAsInteger(10, T.Seed))
    return objectError("--seed=" + Seed.str(),
                       "no number; give one from 0 to 4294967295");
  return T;
}

static void run(Invocation &I) {
  Expected<Task> T = makeTask(I);
  if (!T)
    return I.S.error(T.takeError());
  std::vector<Outcome> All;
  bool IsRight = true;
  for (StringRef Device :
       split(I.Args.getLastArgValue(OPT_on_EQ, "cpu"), ",")) {
    Expected<Outcome> One = checkOn(*T, Device);
    if (!One) {
      reportKernel(I.S, One.takeError());
      continue;
    }
    IsRight = IsRight && One->Found.ok();
    if (!I.json())
      ::print(I.S.out(), *One);
    All.push_back(std::move(*One));
  }
  if (I.json())
    kpack::printJson(I.S.out(), "conv-builder.check/1", [&](json::OStream &J) {
      J.attribute("seed", static_cast<int64_t>(T->Seed));
      J.attribute("random", T->IsRandom);
      J.attributeArray("devices", [&] {
        for (const Outcome &One : All)
          ::printJson(J, One);
      });
    });
  if (!IsRight)
    I.S.setFailed();
}

const Command conv::CheckVerb = {
    {.Name = "check",
     .Operands = "<signature> [<algorithm>] <problem>",
     .Summary = "compares a kernel with the reference, on made-up data",
     .Overview =
         "Compiles a kernel for each device, runs it once, and compares its "
         "result with that of\na plain loop in double. The first differences "
         "are printed with their coordinates.\n\nData are integers from -2 to "
         "2, and numbers of operations such that nothing is\nrounded before "
         "the result is stored: it has to have the same bits. With --random "
         "they\nare any numbers, and an element may be off by what K + 8 "
         "roundings of its sum and 4\nulp of its operations make of it. What "
         "lies between elements may not be written to.\n\nEXIT STATUS: 0, or 1 "
         "when an element is wrong, or anything else was",
     .Examples =
         "  $ conv-builder check --on=cpu,softgpu:gfx90a "
         "'{spatial_dim=2,data_type=FP16}' 'conv -n 2 -c 32 -H 7 -W 7 -k 32 "
         "-y 3 -x 3 -p 1 -q 1'\n"
         "  $ conv-builder check --random --seed=7 "
         "'{spatial_dim=1,data_type=BF16}' "
         "'{c=40,k=3,image=[20],filter=[3]}'\n",
     .Known = CheckOption},
    run};
