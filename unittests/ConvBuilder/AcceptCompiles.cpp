//===- AcceptCompiles.cpp - acceptance: valid algorithms compile ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random signatures and algorithms on all processors that meet S and A: partial
// ones that resolve() completes, and others near them. Each has a kernel, which
// compiles, takes no more LDS than was computed (R1), spills in at most one of
// fifty cases (R2), and is for its processor (R5).
//
//===----------------------------------------------------------------------===//
#include "Accept.h"
#include "Corruption.h"
#include "DeviceRun.h"

#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

#include <map>

using namespace kpack;
using namespace kpack::conv;

static void complain(const Signature &Sig, const Algorithm &Algo,
                     std::string_view Processor, std::string_view Why) {
  std::printf("  %.*s %s %s: %.*s\n", static_cast<int>(Processor.size()),
              Processor.data(), std::string(textOf(Sig).view()).c_str(),
              std::string(textOf(Algo).view()).c_str(),
              static_cast<int>(std::min<size_t>(Why.size(), 600)), Why.data());
}

bool conv::acceptCompiles(const AcceptRun &Run) {
  RandomAlgorithm Random(Run.Seed);
  unsigned Compiled = 0, NoKernel = 0, Failed = 0;
  std::map<std::string, unsigned> Broken;
  for (unsigned Seen = 0; Seen < Run.Count;) {
    std::string Processor(ProcessorNames[Random.below(8)]);
    auto [Sig, How, Why] =
        resolve(Random.signature(), Random.partial(), Target(Processor));
    if (!Why.ok())
      continue;
    vary(Random, Random.below(4), Sig, How);
    if (!validate(Sig, How, Target(Processor)).ok())
      continue;
    ++Seen;
    Result<ConvKernel> Kernel =
        ConvKernel::compile(Sig, How, Processor, testOptions());
    if (!Kernel) {
      ++(Kernel.status().code() == StatusCode::NotImplemented ? NoKernel
                                                              : Failed);
      complain(Sig, How, Processor, Kernel.status().message());
      continue;
    }
    ++Compiled;
    Report Found = Kernel->checkCode();
    for (unsigned I = 0; I < Found.size(); ++I)
      ++Broken[std::string(Found[I].Id)];
    if (!Found.ok())
      complain(Sig, How, Processor, Found.view());
  }
  std::printf("row 15: %u have no kernel, %u do not compile\n", NoKernel,
              Failed);
  printShare("row 15, compiled", Compiled, Run.Count);
  for (const char *Id : {"R1", "R2", "R3", "R5", "R6"})
    printShare(Id, Compiled - Broken[Id], Compiled);
  return Compiled == Run.Count && Broken["R1"] == 0 &&
         Broken["R2"] * 50 <= Compiled && Broken["R5"] == 0;
}
