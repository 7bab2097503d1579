//===- main.cpp - the three examples of JIT caching -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executor with a constant, a cache of the program's own, and instances that
// the library keeps; for each, where it came from:
//
//   jit-cache cold   compiles, and finds the second time in memory
//   jit-cache warm   another process, later: finds in files
//
// What is cached is a matter of content, so explain() can say beforehand what
// will happen, and in what the nearest entry differs.
//
//===----------------------------------------------------------------------===//
#include <kpack/Jit/Executor.h>

#include <cstdio>
#include <cstdlib>
#include <map>

using namespace kpack;

namespace {

/// Ends the program where something is wrong: an example has nobody to tell.
template <class T> T valueOf(Result<T> Made) {
  if (!Made) {
    std::printf("wrong: %s\n", Made.status().message().c_str());
    std::exit(EXIT_FAILURE);
  }
  return std::move(*Made);
}

void require(bool Is, const char *What) {
  if (!Is) {
    std::printf("wrong: %s\n", What);
    std::exit(EXIT_FAILURE);
  }
}

jit::Cache process() { return valueOf(jit::Cache::process()); }

/// Calls \p Get and says where what it gives came from.
template <class Function> auto told(const char *What, Function Get) {
  jit::Stats Before = process().stats();
  auto Made = valueOf(Get());
  jit::Stats After = process().stats();
  std::printf("%s: %s\n", What,
              After.compiles > Before.compiles ? "compiled"
              : After.hits > Before.hits       ? "from a file"
                                               : "in memory");
  return Made;
}

/// In what a source differs from what the cache has.
void explain(const jit::Source &Of, const jit::Options &How) {
  jit::Explanation E = valueOf(process().explain<int(int)>(Of, How));
  std::printf("a = %s: %s\n", How.constants[0].value.c_str(),
              E.cached ? "in files" : "in no file");
  for (const jit::Explanation::Difference &D : E.differences)
    std::printf("  %s: %s, was %s\n", D.field.c_str(), D.after.c_str(),
                D.before.c_str());
}

/// A constant is no argument of the call: it is known when the text is
/// compiled.
void executor() {
  jit::Source Add{.text = R"(
int add(int a, int b) {
  if constexpr (print_result)
    __builtin_printf("Result: %d\n", a + b);
  return a + b;
})",
                  .entry = "add"};
  jit::Options How{.constants = {jit::constant("print_result", true)}};
  auto Compile = [&] { return jit::compile<int(int, int)>(Add, How); };
  auto First = told("add", Compile), Again = told("add again", Compile);
  require(First.program() == Again.program(), "two programs of one source");
  require(First(1, 2) == 3, "1 + 2");
  std::fflush(stdout);
}

const jit::Source AddA{.text = "int add(int b) { return a + b; }",
                       .entry = "add"};

/// An executor is a value, so a map is a cache.
void custom() {
  std::map<int, jit::Executor<int(int)>> Mine;
  for (int A : {1, 2}) {
    jit::Options How{.constants = {jit::constant("a", A)}};
    explain(AddA, How);
    Mine.emplace(
        A, told("custom", [&] { return jit::compile<int(int)>(AddA, How); }));
  }
  require(Mine.at(1)(2) == 3 && Mine.at(2)(2) == 4, "the custom cache");
}

/// What the library keeps: an instance for each value, made by the first who
/// asks.
void instances() {
  jit::Source Subtract{.text = "int subtract(int b) { return a - b; }",
                       .entry = "subtract"};
  jit::Function<int(int)> F(Subtract);
  std::vector<jit::Program> Instances;
  std::vector<size_t> Counts;
  for (int A : {1, 1, 2}) {
    auto Made =
        told("instance", [&] { return F.get({jit::constant("a", A)}); });
    require(Made(2) == A - 2, "a - 2");
    bool IsNew = true;
    for (const jit::Program &Known : Instances)
      IsNew &= !(Known == Made.program());
    if (IsNew)
      Instances.push_back(Made.program());
    Counts.push_back(Instances.size());
  }
  std::printf("instances: %zu, %zu, %zu\n", Counts[0], Counts[1], Counts[2]);
  require(Counts == std::vector<size_t>{1, 1, 2}, "the number of instances");
}

} // namespace

int main(int Count, char **Arguments) {
  bool IsWarm = Count > 1 && std::string(Arguments[1]) == "warm";
  executor();
  custom();
  instances();
  jit::Stats Sum = process().stats();
  require(Sum.compiles == (IsWarm ? 0u : 5u), "the number of compiles");
  std::printf("right: %u compiled\n", unsigned(Sum.compiles));
  return EXIT_SUCCESS;
}
