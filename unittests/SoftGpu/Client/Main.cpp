//===- Main.cpp - main() of tests that use driver files -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program starts itself again, as kpack-run starts programs: with a folder
// of the driver's files, of two GPUs, that is removed in the end. What a
// process leaves at its exit is looked for, which the options of others leave
// out, and children of processes with threads may have threads.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Sysfs.h"
#include "Support/Process.h"

#include "../../Support/TempDir.h"

#include "gtest/gtest.h"

#include <cstdio>

using namespace kpack;
using namespace kpack::softgpu;

static void append(const char *Variable, const char *Option) {
  const char *Before = std::getenv(Variable);
  std::string Options = Before ? std::string(Before) + ":" : "";
  ::setenv(Variable, (Options + Option).c_str(), 1);
}

static int runBelowTree(int Count, char **Arguments) {
  test::TempDir Folder;
  const GpuProcessor *Gpus[] = {findProcessor("gfx90a"),
                                findProcessor("gfx1030")};
  if (llvm::Error E = writeSysfs(Folder.file(""), Gpus)) {
    std::fprintf(stderr, "%s\n", llvm::toString(std::move(E)).c_str());
    return 1;
  }
  ::setenv("KPACK_SOFTGPU_SYSFS", Folder.file("").c_str(), 1);
  ::setenv("KPACK_SOFTGPU_GPUS", "gfx90a,gfx1030", 1);
  append("ASAN_OPTIONS", "detect_leaks=1");
  // A thread that ends a queue while the process exits has not joined it yet.
  append("TSAN_OPTIONS", "die_after_fork=0:report_thread_leaks=0");
  ProcessOptions Options;
  Options.Arguments.assign(Arguments, Arguments + Count);
  Options.File = "/proc/self/exe";
  Process Tests = Process::start(Options);
  if (!Tests) {
    std::perror(Arguments[0]);
    return 1;
  }
  return Tests.wait()->Code;
}

int main(int Count, char **Arguments) {
  if (!std::getenv("KPACK_SOFTGPU_SYSFS"))
    return runBelowTree(Count, Arguments);
  testing::InitGoogleTest(&Count, Arguments);
  return RUN_ALL_TESTS();
}
