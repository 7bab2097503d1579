//===- executor.cpp - the examples of JIT caching -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executor, a cache of the program's own, and instances by constants; what
// each compiles, with the cache of the process. ../executor.test runs it.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Executor.h"

#include <map>

using namespace kpack;

static int fail(const Status &Why) {
  std::fprintf(stderr, "%s\n", Why.message().c_str());
  return 1;
}

static unsigned compiles() {
  Result<jit::Cache> Cache = jit::Cache::process();
  kpack_jit_statistics Sum{};
  Sum.size = sizeof(Sum);
  (void)kpack_jit_cache_get_statistics(Cache->native_handle(), &Sum);
  return unsigned(Sum.compiles);
}

int main() {
  jit::Source Print{.text = R"(extern "C" int printf(const char *, ...);
int add(int a, int b) {
  if constexpr (print_result)
    printf("Result: %d\n", a + b);
  return a + b;
})",
                    .entry = "add"};
  Result<jit::Executor<int(int, int)>> Executor = jit::compile<int(int, int)>(
      Print, {.constants = {jit::constant("print_result", true)}});
  if (!Executor)
    return fail(Executor.status());
  std::fflush(stdout);
  (*Executor)(1, 2);

  jit::Source Add{.text = "int add(int b) { return a + b; }", .entry = "add"};
  std::map<int, jit::Executor<int(int)>> Mine;
  for (int A : {1, 2}) {
    Result<jit::Executor<int(int)>> Made =
        jit::compile<int(int)>(Add, {.constants = {jit::constant("a", A)}});
    if (!Made)
      return fail(Made.status());
    Mine.emplace(A, *Made);
  }
  std::printf("mine: %d %d %d\n", Mine.at(1)(2), Mine.at(2)(2), Mine.at(1)(2));

  jit::Function<int(int)> F(Add);
  for (int A : {1, 1, 3}) {
    unsigned Before = compiles();
    Result<jit::Executor<int(int)>> Made = F.get({jit::constant("a", A)});
    if (!Made)
      return fail(Made.status());
    std::printf("function: %d, %u compiled\n", (*Made)(2), compiles() - Before);
  }
  std::printf("compiles: %u\n", compiles());
}
