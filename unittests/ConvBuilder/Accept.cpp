//===- Accept.cpp - main() of conv-accept, the acceptance program ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-accept PART SEED COUNT: one part of Accept.h. The last line has the seed
// and the processor time, that of the compilers with it; exit status 1 where a
// bound does not hold.
//
//===----------------------------------------------------------------------===//
#include "Accept.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/resource.h>

using namespace kpack::conv;

void kpack::conv::printShare(const char *Label, unsigned Share, unsigned All) {
  std::printf("%s: %u of %u (%.1f %%)\n", Label, Share, All,
              All ? 100.0 * Share / All : 0.0);
}

static double processorSeconds() {
  double Sum = 0;
  for (int Who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage Used{};
    ::getrusage(Who, &Used);
    for (timeval T : {Used.ru_utime, Used.ru_stime})
      Sum +=
          static_cast<double>(T.tv_sec) + 1e-6 * static_cast<double>(T.tv_usec);
  }
  return Sum;
}

int main(int Argc, char **Argv) {
  struct Part {
    std::string_view Name;
    bool (*Run)(const AcceptRun &);
  };
  constexpr Part Parts[] = {{"texts", acceptTexts},
                            {"compiles", acceptCompiles},
                            {"refusals", acceptRefusals},
                            {"faults", acceptFaults}};
  // Hours may pass until the next line.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  for (const Part &Each : Parts)
    if (Argc == 4 && Each.Name == Argv[1]) {
      AcceptRun Run{static_cast<unsigned>(std::strtoul(Argv[2], nullptr, 10)),
                    static_cast<unsigned>(std::strtoul(Argv[3], nullptr, 10))};
      bool Holds = Each.Run(Run);
      std::printf("%s: %s, seed %u, %u cases, %.1f CPU-s\n", Argv[1],
                  Holds ? "holds" : "DOES NOT HOLD", Run.Seed, Run.Count,
                  processorSeconds());
      return Holds ? 0 : 1;
    }
  std::fprintf(stderr, "usage: conv-accept texts|compiles|refusals|faults SEED "
                       "COUNT\n");
  return 2;
}
