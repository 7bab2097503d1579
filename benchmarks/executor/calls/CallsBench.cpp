//===- CallsBench.cpp - what an executor costs ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what a call of an executor and of a function takes, beside a call
// through the raw pointer, by one thread and by two at once; what it takes to
// get an executor that the process has; and what a new process takes until it
// has one that is cached, and all of such a process. All but the last two are
// processor time. docs/reference/bench.md.
//
//   executor-calls-bench [--json]
//
// Runs itself for the last part. KPACK_JIT_COMPILER names the compiler.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Executor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <unistd.h>

using namespace kpack;
using Clock = std::chrono::steady_clock;
using Sig = int(int);

namespace {

constexpr int Calls = 2'000'000, Gets = 2'000, Rounds = 15, Processes = 25;

const jit::Source Add{.text = "int add(int b) { return a + b; }",
                      .entry = "add"};
const jit::Options How{.constants = {jit::constant("a", 1)}};

double secondsSince(Clock::time_point Start) {
  return std::chrono::duration<double>(Clock::now() - Start).count();
}

/// The median; of each round one value, so that a busy machine shows less.
double median(std::vector<double> Values) {
  std::nth_element(Values.begin(), Values.begin() + Values.size() / 2,
                   Values.end());
  return Values[Values.size() / 2];
}

[[noreturn]] void fail(const std::string &Why) {
  std::fprintf(stderr, "executor-calls-bench: error: %s\n", Why.c_str());
  std::exit(1);
}

template <class T> T good(Result<T> Made) {
  if (!Made)
    fail(Made.status().message());
  return std::move(*Made);
}

/// Of this thread, in seconds: other programs on the machine do not count.
double processorTime() {
  timespec Now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &Now);
  return double(Now.tv_sec) + double(Now.tv_nsec) * 1e-9;
}

/// Nanoseconds for one call, each of which needs the one before.
template <class Function> double oneThread(const Function &Call) {
  double Start = processorTime();
  int Value = 0;
  for (int I = 0; I < Calls; ++I)
    Value = Call(Value);
  double Seconds = processorTime() - Start;
  if (Value != Calls)
    fail("the function has computed something else");
  return Seconds * 1e9 / Calls;
}

/// The same of two threads that call at once: the slower one.
template <class Function> double twoThreads(const Function &Call) {
  double Taken[2];
  std::atomic<int> Ready{0};
  auto Run = [&](int Which) {
    for (++Ready; Ready != 2;)
      ;
    Taken[Which] = oneThread(Call);
  };
  std::thread Other(Run, 1);
  Run(0);
  Other.join();
  return std::max(Taken[0], Taken[1]);
}

double medianOf(const std::function<double()> &Measure) {
  std::vector<double> Values;
  for (int I = 0; I < Rounds; ++I)
    Values.push_back(Measure());
  return median(std::move(Values));
}

/// Microseconds for an executor that this process has.
double getOnce(const jit::Function<Sig> &F) {
  double Start = processorTime();
  for (int I = 0; I < Gets; ++I)
    if (!F.get())
      fail("the executor is gone");
  return (processorTime() - Start) * 1e6 / Gets;
}

/// In the new process: prints the microseconds until it has the executor.
int runChild() {
  Clock::time_point Start = Clock::now();
  jit::Executor<Sig> Made = good(jit::compile<Sig>(Add, How));
  double Microseconds = secondsSince(Start) * 1e6;
  if (Made(2) != 3 || good(jit::Cache::process()).stats().compiles != 0)
    fail("the program was not in the cache");
  std::printf("%.1f\n", Microseconds);
  return 0;
}

/// Of one new process what it prints, and how long all of it takes.
std::pair<double, double> newProcess() {
  Clock::time_point Start = Clock::now();
  FILE *Out = ::popen("exec /proc/$PPID/exe --child", "r");
  double Microseconds = -1;
  bool IsRead = Out && std::fscanf(Out, "%lf", &Microseconds) == 1;
  if (!Out || ::pclose(Out) != 0 || !IsRead)
    fail("a process of its own has failed");
  return {Microseconds, secondsSince(Start) * 1e6};
}

struct Row {
  const char *Name, *Unit;
  double Value;
};

void print(const std::vector<Row> &Rows, bool IsJson) {
  if (!IsJson) {
    for (const Row &R : Rows)
      std::printf("%-28s %10.2f %s\n", R.Name, R.Value, R.Unit);
    return;
  }
  std::printf("{\"schema\":\"kpack.bench.executor-calls/1\"");
  for (const Row &R : Rows)
    std::printf(",\"%s_%s\":%.3f", R.Name, R.Unit, R.Value);
  std::printf("}\n");
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc == 2 && std::strcmp(Argv[1], "--child") == 0)
    return runChild();
  bool IsJson = Argc == 2 && std::strcmp(Argv[1], "--json") == 0;
  if (Argc > 1 && !IsJson)
    fail(std::string(Argv[1]) + ": there is no option but --json");
  std::string Folder =
      std::filesystem::temp_directory_path() / "kpack-calls-XXXXXX";
  if (!::mkdtemp(Folder.data()))
    fail(Folder + ": cannot be made");
  ::setenv("KPACK_JIT_CACHE_DIR", (Folder + "/cache").c_str(), 1);
  jit::Executor<Sig> E = good(jit::compile<Sig>(Add, How));
  jit::Function<Sig> F(Add, How);
  (void)F(1);
  // What the compiler cannot see through, as it cannot through the others.
  int (*volatile Pointer)(int) = E.native_handle();
  int (*Raw)(int) = Pointer;
  auto Direct = [&](int Value) { return Raw(Value); };
  std::vector<Row> Rows = {
      {"raw_call", "ns", medianOf([&] { return oneThread(Direct); })},
      {"executor_call", "ns", medianOf([&] { return oneThread(E); })},
      {"function_call", "ns", medianOf([&] { return oneThread(F); })},
      {"executor_call_2_threads", "ns",
       medianOf([&] { return twoThreads(E); })},
      {"function_call_2_threads", "ns",
       medianOf([&] { return twoThreads(F); })},
      {"loaded_get", "us", medianOf([&] { return getOnce(F); })}};
  std::vector<double> Cached, Whole;
  for (int I = 0; I < Processes; ++I) {
    auto [Inside, All] = newProcess();
    Cached.push_back(Inside);
    Whole.push_back(All);
  }
  Rows.push_back({"cached_compile_new_process", "us", median(Cached)});
  Rows.push_back({"new_process", "us", median(Whole)});
  print(Rows, IsJson);
  std::filesystem::remove_all(Folder);
}
