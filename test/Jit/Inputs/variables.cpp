//===- variables.cpp - a program whose compiles are looked at -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function, for the constant that is given; with "debug" with debug
// information, with "many" for the next two, too, with "kernel" a kernel, with
// "profile" one that takes a second of processor time.
// ../executor-variables.test and executor-debug.test run it.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Executor.h"

#include <cstring>
#include <ctime>
#include <dlfcn.h>

using namespace kpack;

static int fail(const Status &Why) {
  std::fprintf(stderr, "error %d: %s\n", int(Why.detail()),
               Why.message().c_str());
  return 1;
}

/// Says which file the code is mapped from, and where in it, as a profiler
/// finds it in a sample.
static int profile() {
  jit::Source Spin{.text = "double spin(long turns) {\n"
                           "  double sum = 1;\n"
                           "  for (long i = 0; i < turns; ++i)\n"
                           "    sum += 1 / (sum + i);\n"
                           "  return sum;\n"
                           "}\n",
                   .entry = "spin",
                   .display_name = "spin.cpp"};
  Result<jit::Executor<double(long)>> Made =
      jit::compile<double(long)>(Spin, {.line_info = true});
  if (!Made)
    return fail(Made.status());
  auto Code = reinterpret_cast<char *>(Made->native_handle());
  Dl_info Where{};
  dladdr(Code, &Where);
  std::printf("%s 0x%zx\n", Where.dli_fname,
              std::size_t(Code - static_cast<char *>(Where.dli_fbase)));
  double Sum = 0;
  do
    Sum += (*Made)(1 << 20);
  while (std::clock() < CLOCKS_PER_SEC);
  return Sum > 0 ? 0 : 1;
}

static int add(int A, const std::string &Mode) {
  jit::Source Add{.text = "int add_to(int b) {\n"
                          "  int sum = a + b;\n"
                          "  return sum;\n"
                          "}\n",
                  .entry = "add_to",
                  .display_name = "add.cpp"};
  Result<jit::Executor<int(int)>> Made = jit::compile<int(int)>(
      Add, {.constants = {jit::constant("a", A)},
            .opt = Mode == "debug" ? jit::OptLevel::O0 : jit::OptLevel::O3,
            .line_info = Mode == "debug"});
  if (!Made)
    return fail(Made.status());
  std::printf("sum: %d\n", (*Made)(2));
  return 0;
}

int main(int Argc, char **Argv) {
  int A = Argc > 1 ? std::atoi(Argv[1]) : 1;
  std::string Mode = Argc > 2 ? Argv[2] : "";
  if (Mode == "profile")
    return profile();
  if (Mode == "kernel") {
    std::string Entry = "k";
    Result<jit::Program> Made = jit::compile_program(
        {.text = "__global__ void k(int *p) { *p = 1; }", .entry = ""},
        {&Entry, 1}, {});
    if (!Made)
      return fail(Made.status());
    std::printf("kernel for %s\n", Made->info().target);
    return 0;
  }
  // "many": three of them.
  for (int Last = A + (Mode == "many" ? 2 : 0); A < Last; ++A)
    if (add(A, Mode))
      return 1;
  return add(A, Mode);
}
