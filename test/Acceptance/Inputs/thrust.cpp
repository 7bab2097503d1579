// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Speaks as the driver of Thrust's unit tests does, which ends the line of a
// test's announcement only when the test has ended.
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void run(const char *Name) {
  std::printf("Running %s...", Name);
  if (std::strcmp(Name, "TestFault") == 0)
    std::puts("kpack-run: error: fill(int*): memory access fault");
  std::fflush(stdout);
  if (std::strcmp(Name, "TestCrashes") == 0)
    std::abort();
  if (std::strcmp(Name, "TestLong") == 0)
    for (volatile int I = 0;; I = I + 1)
      ;
  // It says how long a test took only if that has passed.
  const char *How = std::strcmp(Name, "TestFails") == 0   ? "[FAILURE]          "
                    : std::strcmp(Name, "TestKnown") == 0 ? "[KNOWN FAILURE]     "
                                                          : "[PASS]    713.855 ms";
  std::printf("\r%s %s\n", How, Name);
}

int main(int Count, char **Arguments) {
  if (Count == 2 && std::strcmp(Arguments[1], "--list") == 0) {
    std::puts("TestCrashes\nTestFails\nTestFault\nTestKnown\n"
              "TestLong\nTestVector<thrust::host_vector>");
    return 0;
  }
  std::puts("There is 1 device supporting HIP\n\nRunning 6 unit tests.");
  for (int I = 1; I < Count; ++I)
    if (Arguments[I][0] != '-')
      run(Arguments[I]);
  std::puts("Totals: 1 failures, 1 known failures, 0 errors, and 3 passes.");
}
