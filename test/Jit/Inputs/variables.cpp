//===- variables.cpp - a program whose compiles are looked at -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function, for the constant that is given; with "debug" with debug
// information, with "kernel" a kernel. ../executor-variables.test runs it.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Executor.h"

#include <cstring>

using namespace kpack;

static int fail(const Status &Why) {
  std::fprintf(stderr, "error %d: %s\n", int(Why.detail()),
               Why.message().c_str());
  return 1;
}

int main(int Argc, char **Argv) {
  int A = Argc > 1 ? std::atoi(Argv[1]) : 1;
  std::string Mode = Argc > 2 ? Argv[2] : "";
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
}
