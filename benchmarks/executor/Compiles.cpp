//===- Compiles.cpp - time of an uncached compile() -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the call of compile() to a function that can be called, or a code object
// that can be loaded, by both routes in turn (KPACK_JIT_ROUTE): a constant that
// is another one each time makes each a text that no cache has. Programs are
// kept in files as by default.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include "kpack/Jit/Executor.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>

using namespace kpack;

namespace {

/// A cache of its own whose compiles go one way.
class Route {
public:
  Route(const char *Word, const std::string &Directory) {
    ::setenv("KPACK_JIT_ROUTE", Word, 1);
    kpack_jit_cache_options Options{};
    Options.size = sizeof(Options);
    Options.directory = Directory.c_str();
    Options.on_event = [](const kpack_jit_event *, void *) {};
    if (kpack_jit_cache_open(&Options, &Opened) != KPACK_JIT_SUCCESS)
      throw std::runtime_error(kpack_jit_last_error());
  }
  ~Route() { kpack_jit_cache_close(Opened); }
  Route(const Route &) = delete;

  jit::Options options() {
    jit::Options Opts;
    Opts.cache = jit::Cache(Opened);
    Opts.constants = {jit::constant("number", ++Number)};
    return Opts;
  }

private:
  kpack_jit_cache *Opened;
  int Number = 0;
};

/// What is compiled: by these options, or an error.
using Compile = std::function<Status(jit::Options)>;

} // namespace

static Status compileAdd(jit::Options Opts) {
  Opts.target = "x86-64-v3";
  static const jit::Source Text{
      .text = "int add(int a, int b) { return a + b + number; }",
      .entry = "add"};
  auto Compiled = jit::compile<int(int, int)>(Text, Opts);
  if (Compiled && (*Compiled)(1, 2) <= 3)
    throw std::runtime_error("add: gives a wrong sum");
  return Compiled.status();
}

static Status compileSaxpy(jit::Options Opts) {
  Opts.target = "gfx90a";
  static const jit::Source Text{
      .text = "__global__ void saxpy(float *y, const float *x, float a, int n) "
              "{\n"
              "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "  if (i < n)\n    y[i] = a * x[i] + y[i] + number;\n}\n",
      .entry = "saxpy"};
  return jit::compile_program(Text, {&Text.entry, 1}, Opts).status();
}

static double measureMilliseconds(const Compile &Step, Route &Channel) {
  jit::Options Options = Channel.options();
  auto Start = std::chrono::steady_clock::now();
  Status Outcome = Step(std::move(Options));
  std::chrono::duration<double, std::milli> Took =
      std::chrono::steady_clock::now() - Start;
  if (!Outcome.ok())
    throw std::runtime_error(Outcome.message());
  return Took.count();
}

/// \p Most: milliseconds that a served compile may take.
static void measure(const std::string &Name, const Compile &Step, double Most,
                    Route &Serve, Route &Fork, int Rounds,
                    std::vector<Row> &Rows) {
  double First = measureMilliseconds(Step, Serve);
  // A warm compiler for each processor, and what all of them ask once.
  for (int I = 0; I != Rounds; ++I)
    (void)measureMilliseconds(Step, Serve);
  std::vector<double> Served, Forked;
  for (int I = 0; I != Rounds; ++I) {
    Served.push_back(measureMilliseconds(Step, Serve));
    Forked.push_back(measureMilliseconds(Step, Fork));
  }
  constexpr Aim Faster{4, /*IsLeast=*/true};
  double Middle = computeMedian(Served), Programs = computeMedian(Forked);
  auto Add = [&](const char *Action, const char *Unit, double Value,
                 std::optional<Aim> Wanted = {}) {
    Rows.push_back({"compile", Name + ", " + Action, Unit, Value, Wanted});
  };
  Add("first served", "ms", First);
  Add("served", "ms", Middle, Aim{Most});
  Add("served, best", "ms", *std::min_element(Served.begin(), Served.end()));
  Add("fork", "ms", Programs);
  Add("fork over served", "times", Programs / Middle, Faster);
}

void measureCompiles(const Run &Settings, std::vector<Row> &Rows) {
  Route Serve("serve", Settings.Folder + "/serve"),
      Fork("fork", Settings.Folder + "/fork");
  ::unsetenv("KPACK_JIT_ROUTE");
  measure("add x86-64", compileAdd, 8, Serve, Fork, Settings.Rounds, Rows);
  measure("saxpy gfx90a", compileSaxpy, 15, Serve, Fork, Settings.Rounds, Rows);
}
