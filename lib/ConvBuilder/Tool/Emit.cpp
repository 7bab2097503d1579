//===- Emit.cpp - conv-builder emit: source of a kernel -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the source of a kernel as a file that any clang compiles: the same
// text that the executor compiles (ConvBuilder/Emit.h).
//
//===----------------------------------------------------------------------===//
#include "Question.h"

#include "ConvBuilder/Emit.h"
#include "Support/SafePath.h"
#include "ToolSupport/Output.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

/// Writes the headers of a source below \p Folder, and creates the folder if
/// needed.
static Error writeHeaders(const KernelSource &Source, StringRef Folder) {
  for (const auto &[Name, Text] : Source.Headers) {
    SmallString<128> Path(Folder);
    sys::path::append(Path, Name);
    StringRef Parent = sys::path::parent_path(Path);
    if (!makeFolders(Parent.str()))
      return objectError(Parent, "cannot be made: " + sys::StrError(errno) +
                                     "; give a folder to write to");
    if (Error E = writeOutput(Path, Text))
      return E;
  }
  return Error::success();
}

static Error runEmit(const Invocation &I) {
  StringRef Processor = I.Args.getLastArgValue(OPT_arch_EQ);
  if (Processor.empty())
    return createStringError(inconvertibleErrorCode(),
                             "command line: no processor given; give "
                             "--arch=gfx90a, or --arch=cpu");
  if (Processor != StringRef(CpuProcessor))
    if (Error E = checkProcessor("--arch=" + Processor, Processor))
      return E;
  Expected<Question> Q = makeQuestion(I);
  if (!Q)
    return Q.takeError();
  Expected<Resolved> R = kernelFor(*Q, Processor);
  if (!R)
    return R.takeError();
  Result<KernelSource> Source =
      emit(R->Sig, R->Algo, std::string_view(Processor));
  if (!Source)
    return toError(Source.status());
  if (const opt::Arg *A = I.Args.getLastArg(OPT_headers_EQ))
    if (Error E = writeHeaders(*Source, A->getValue()))
      return E;
  writeResult(I.S, I.Args.getLastArgValue(OPT_output_file, "-"), Source->Text);
  return Error::success();
}

const Command conv::EmitVerb = {
    {.Name = "emit",
     .Operands = "<signature> [<algorithm>] [<problem>]",
     .Summary = "the source text of a kernel, for any clang",
     .Overview =
         "Completes a signature and an algorithm, as 'explain' shows it, and "
         "prints the\nsource of what is compiled for them: comments with both "
         "texts, "
         "constants, one kernel. It includes headers\n"
         "<kpack/ConvBuilder/kernels/...>, which are installed with kpack; "
         "--headers= writes\nthem where you want. The kernel takes one "
         "argument, AllArguments of "
         "arguments.h.",
     .Examples =
         "  $ conv-builder emit --arch=gfx90a -o conv.hip --headers=include "
         "'{spatial_dim=2,data_type=FP16}'\n"
         "  $ clang++ -x hip --offload-arch=gfx90a --offload-device-only "
         "--no-gpu-bundle-output -nogpuinc -nogpulib -O3 -std=c++20 -I include "
         "conv.hip -o conv.co\n"
         "  $ conv-builder emit --arch=cpu '{spatial_dim=1,data_type=FP32}' "
         "'{kind=REFERENCE}'\n",
     .Known = EmitOption},
    [](Invocation &I) { I.S.error(runEmit(I)); }};
