//===- FindingReport.cpp - tolerated errors of kernels --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// finish() prints counts if the process ends by exit(). A process that is
// killed leaves only the line for the first occurrence.
//
//===----------------------------------------------------------------------===//
#include "FindingReport.h"
#include "Support/Printable.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstdio>

using namespace kpack::softgpu;

static void warn(const std::string &Kernel, const std::string &What) {
  std::fprintf(stderr, "kpack-run: warning: %s: %s\n",
               kpack::printable(Kernel).c_str(),
               kpack::printable(What).c_str());
}

void FindingReport::add(const std::string &Kernel,
                        const std::vector<Finding> &Found) {
  std::lock_guard<std::mutex> Guard(Lock);
  for (const Finding &F : Found) {
    Total &Sum = Totals[{Kernel, F.First.PcOffset}];
    Sum.Accesses += F.Count;
    if (Sum.Launches++)
      continue;
    Sum.Example = F.First;
    Sum.Example.Kernel.clear(); // already in front of the message
    warn(Kernel, Sum.Example.message() +
                     "; reads give 0 and writes go nowhere, as on hardware");
  }
}

void FindingReport::finish() {
  std::lock_guard<std::mutex> Guard(Lock);
  for (const auto &[Where, Sum] : Totals)
    warn(
        Where.first,
        llvm::formatv("accesses outside of LDS by '{0}': {1}, in launches: {2}",
                      Sum.Example.Instruction, Sum.Accesses, Sum.Launches));
  Totals.clear();
}
