//===- Run.cpp - conv-builder run: a convolution of files -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one convolution from files to a file, so that any program that reads and
// writes arrays can use a kernel and judge it. Siblings: Check.cpp, which
// generates its data; TensorFiles.h, the format of the files.
//
//===----------------------------------------------------------------------===//
#include "Backends.h"
#include "OperationParameters.h"
#include "Question.h"
#include "TensorFiles.h"

#include "ToolSupport/Output.h"
#include "llvm/Support/FileSystem.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

namespace {

/// The result of a run.
struct Done {
  Resolved Kernel;
  CallTensor Result;
  std::string File;
  std::string Processor;
};

} // namespace

/// Compiles and launches the kernel, and stores the result in \p Memory.
static Error compute(Backend &On, const Resolved &R, const Problem &Sizes,
                     const Args &Numbers, MutableArrayRef<TensorBytes> Memory) {
  Result<ConvKernel> Kernel =
      ConvKernel::compile(R.Sig, R.Algo, On.processor());
  if (!Kernel)
    return toError(Kernel.status());
  return toError(callOnce(On, *Kernel, R.Sig, Sizes, Numbers,
                          std::span(Memory.data(), Memory.size())));
}

/// Returns the index of the computed tensor.
static size_t resultOf(ArrayRef<CallTensor> Tensors) {
  return static_cast<size_t>(
      find_if(Tensors, [](const CallTensor &T) { return T.IsResult; }) -
      Tensors.begin());
}

/// Refuses a result file that is an operand's, which would be overwritten.
static Error checkOutput(ArrayRef<CallTensor> Tensors,
                         ArrayRef<std::string> Files) {
  size_t Result = resultOf(Tensors);
  for (size_t Which = 0; Which < Files.size(); ++Which)
    if (Which != Result && sys::fs::equivalent(Files[Which], Files[Result]))
      return objectError(Files[Result],
                         "is the " + Twine(Tensors[Which].name()) +
                             ", and would be overwritten by the " +
                             Tensors[Result].name() + "; give another file");
  return Error::success();
}

static Expected<Done> runConvolution(const Invocation &I) {
  Expected<Question> Q = makeQuestion(I);
  if (!Q)
    return Q.takeError();
  if (!Q->Sizes)
    return createStringError(inconvertibleErrorCode(),
                             "command line: no problem given; give the sizes, "
                             "such as '{c=8,k=8,image=[5],filter=[3]}'");
  Expected<std::unique_ptr<Backend>> On =
      chooseBackend(I.Args.getLastArgValue(OPT_on_EQ, "cpu"));
  if (!On)
    return On.takeError();
  Expected<Resolved> R = kernelFor(*Q, (*On)->processor());
  if (!R)
    return R.takeError();
  Args Numbers = argsFor(R->Sig);
  if (Error E = setNumbers(Numbers, R->Sig, I.Args.getAllArgValues(OPT_set_EQ)))
    return std::move(E);
  Result<std::vector<CallTensor>> Tensors = callTensors(R->Sig, *Q->Sizes);
  if (!Tensors)
    return toError(Tensors.status());
  if (Error E = checkMemory(*Tensors))
    return std::move(E);
  Expected<std::vector<std::string>> Files = getFiles(I, *Tensors);
  if (!Files)
    return Files.takeError();
  if (Error E = checkOutput(*Tensors, *Files))
    return std::move(E);
  Expected<std::vector<TensorBytes>> Memory =
      readTensors(R->Sig, *Tensors, *Files);
  if (!Memory)
    return Memory.takeError();
  if (Error E = compute(**On, *R, *Q->Sizes, Numbers, *Memory))
    return std::move(E);
  size_t Which = resultOf(*Tensors);
  const TensorBytes &Bytes = (*Memory)[Which];
  if (Error E =
          writeOutput((*Files)[Which],
                      StringRef(reinterpret_cast<const char *>(Bytes.data()),
                                Bytes.size())))
    return std::move(E);
  return Done{*R, (*Tensors)[Which], (*Files)[Which], (*On)->processor()};
}

static void run(Invocation &I) {
  Expected<Done> D = runConvolution(I);
  if (!D)
    return reportKernel(I.S, D.takeError());
  std::string Form = formText(D->Kernel.Sig, D->Result);
  if (!I.json()) {
    I.S.out() << printable(D->File) << ": " << D->Result.name() << ", " << Form
              << ", " << D->Result.bytes() << " bytes\n"
              << D->Processor << ": " << text(D->Kernel.Algo) << '\n';
    return;
  }
  printJson(I.S.out(), "conv-builder.run/1", [&](json::OStream &J) {
    J.attribute("file", jsonText(D->File));
    J.attribute("tensor", D->Result.name());
    J.attribute("form", Form);
    J.attribute("bytes", static_cast<int64_t>(D->Result.bytes()));
    J.attribute("processor", D->Processor);
    J.attribute("signature", text(D->Kernel.Sig));
    J.attribute("algorithm", text(D->Kernel.Algo));
  });
}

const Command conv::RunVerb = {
    {.Name = "run",
     .Operands = "<signature> [<algorithm>] <problem>",
     .Summary = "one convolution, from files to a file",
     .Overview =
         "Compiles a kernel, runs it once, and writes its result. Files are "
         "raw: the elements in\nthe order of the layout, as memory has them; "
         "with a strided layout all that the\nstrides span.\n\n"
         "  direction          reads               writes\n"
         "  FORWARD            --input  --weight   --output\n"
         "  BACKWARD_DATA      --output --weight   --input\n"
         "  BACKWARD_WEIGHT    --output --input    --weight\n\n"
         "The file of the result appears when it is complete. --aux= is given "
         "once for each\nauxiliary operand: first those of the input's "
         "operation, then of the weight's, then of\nthe output's. FP8 and BF8 "
         "have the form of the processor.\n\n"
         "--set= gives numbers of operations; others have the defaults of "
         "'conv-builder ops':\n\n"
         "  output.a=0.5            of the output's operation\n"
         "  output.activation.b=2   of its activation\n"
         "  output.d0.a=3           of the operation on its auxiliary operand "
         "d0\n"
         "  output.dynamic=RELU     what DYNAMIC_UNARY_OP is",
     .Examples =
         "  $ conv-builder run --input=x --weight=w --output=y "
         "'{spatial_dim=2,data_type=FP32}' 'conv -n 1 -c 8 -H 9 -W 9 -k 4 -y 3 "
         "-x 3'\n"
         "  $ conv-builder run --on=softgpu:gfx90a --input=x --weight=w "
         "--output=y '{spatial_dim=1,data_type=FP16}' "
         "'{c=16,k=32,image=[64],filter=[3]}'\n"
         "  $ conv-builder run --input=dx --weight=w --output=dy "
         "'{spatial_dim=1,direction=BACKWARD_DATA,data_type=FP32}' "
         "'{c=4,k=4,image=[8],filter=[3]}'\n",
     .Known = RunOption},
    run};
