//===- CallsBench.cpp - time of a call through an executor ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what a call of an executor and of a function takes, beside a call
// through the raw pointer, by one thread and by as many at once as there are
// processors; what it takes to get an executor that the process has; and what a
// new process takes until it has one that is cached, and all of such a process.
// All but the last two are processor time. Scaling is what all threads get done
// in the time in which one thread does 1: how near that comes to their number
// the raw pointer says, since processors may be halves of a core.
// docs/evidence/bench.md.
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

template <class T> T good(Result<T> Outcome) {
  if (!Outcome)
    fail(Outcome.status().message());
  return std::move(*Outcome);
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

/// The same of \p Count threads that call at once: the slowest one.
template <class Function> double atOnce(unsigned Count, const Function &Call) {
  std::vector<double> Taken(Count);
  std::atomic<unsigned> Ready{0};
  auto Run = [&](unsigned Which) {
    for (++Ready; Ready != Count;)
      ;
    Taken[Which] = oneThread(Call);
  };
  std::vector<std::thread> Others;
  for (unsigned I = 1; I < Count; ++I)
    Others.emplace_back(Run, I);
  Run(0);
  for (std::thread &Other : Others)
    Other.join();
  return *std::max_element(Taken.begin(), Taken.end());
}

double computeMedian(const std::function<double()> &Measure) {
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
  jit::Executor<Sig> Compiled = good(jit::compile<Sig>(Add, How));
  double Microseconds = secondsSince(Start) * 1e6;
  if (Compiled(2) != 3 || good(jit::Cache::process()).stats().compiles != 0)
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
  std::string Name;
  const char *Unit;
  double Value;
};

/// Calls by 1, 2, 4... threads, and how they scale.
template <class Direct>
void measureCalls(std::vector<Row> &Rows, const Direct &Raw,
                  const jit::Executor<Sig> &E, const jit::Function<Sig> &F) {
  const char *Names[] = {"raw", "executor", "function"};
  double One[3] = {}, Scaling[3] = {};
  unsigned Most = std::max(2U, std::thread::hardware_concurrency());
  for (unsigned Count = 1; Count <= Most; Count *= 2) {
    // In turn, so that other load hits all of them alike.
    std::vector<double> Taken[3];
    for (int Round = 0; Round < Rounds; ++Round) {
      Taken[0].push_back(atOnce(Count, Raw));
      Taken[1].push_back(atOnce(Count, E));
      Taken[2].push_back(atOnce(Count, F));
    }
    std::string Threads = "_" + std::to_string(Count) + "_threads";
    for (int I = 0; I < 3; ++I) {
      std::string Name = Names[I];
      double Value = median(Taken[I]);
      Rows.push_back(
          {Name + "_call" + (Count == 1 ? "" : Threads), "ns", Value});
      if (Count == 1)
        One[I] = Value;
      Scaling[I] = Count * One[I] / Value;
      if (Count > 1)
        Rows.push_back({Name + "_scaling" + Threads, "times", Scaling[I]});
      if (Count > 1 && I > 0)
        Rows.push_back({Name + "_scaling_over_raw" + Threads, "times",
                        Scaling[I] / Scaling[0]});
    }
  }
}

void print(const std::vector<Row> &Rows, bool IsJson) {
  if (!IsJson) {
    for (const Row &R : Rows)
      std::printf("%-36s %8.2f %s\n", R.Name.c_str(), R.Value, R.Unit);
    return;
  }
  std::printf("{\"schema\":\"kpack.bench.executor-calls/1\"");
  for (const Row &R : Rows)
    std::printf(",\"%s_%s\":%.3f", R.Name.c_str(), R.Unit, R.Value);
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
  std::vector<Row> Rows;
  measureCalls(Rows, Direct, E, F);
  Rows.push_back(
      {"loaded_get", "us", computeMedian([&] { return getOnce(F); })});
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
