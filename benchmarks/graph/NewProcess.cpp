//===- NewProcess.cpp - time of prepare() with a filled cache -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The benchmark starts itself again with a cache that has the kernels, and the
// child prints what its one prepare() took. A process's first call is another
// one than the same call later: code, memory of malloc and files of the cache
// are touched for the first time. Weights are copied once more by themselves,
// since how many there are says nothing about us.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include "Support/Process.h"
#include "graph-encoder/build.h"
#include "kpack/JitGraph/Graph.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;
using bench::fail;
using bench::Row;
using encoder::Encoder;
using Clock = std::chrono::steady_clock;

namespace {

struct Measured {
  double Loading = 0, Wall = 0, Processor = 0, Weights = 0; ///< microseconds
  double Kilobytes = 0, WeightKilobytes = 0, HasLlvm = 0;

  static constexpr double Measured::*All[] = {
      &Measured::Loading, &Measured::Wall,      &Measured::Processor,
      &Measured::Weights, &Measured::Kilobytes, &Measured::WeightKilobytes,
      &Measured::HasLlvm};
};

} // namespace

static double now() {
  return std::chrono::duration<double, std::micro>(
             Clock::now().time_since_epoch())
      .count();
}

/// Of this process, user and system.
static double processor() {
  rusage Use{};
  ::getrusage(RUSAGE_SELF, &Use);
  auto Micro = [](const timeval &T) {
    return static_cast<double>(T.tv_sec) * 1e6 + static_cast<double>(T.tv_usec);
  };
  return Micro(Use.ru_utime) + Micro(Use.ru_stime);
}

static double residentKilobytes() {
  std::ifstream File("/proc/self/statm");
  double All = 0, Resident = 0;
  File >> All >> Resident;
  return Resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1024;
}

static bool mapsLlvm() {
  std::ifstream File("/proc/self/maps");
  std::stringstream Text;
  Text << File.rdbuf();
  return Text.str().find("libLLVM") != std::string::npos;
}

int bench::prepareInThisProcess(kpack_jit_cache *Cache, double Started) {
  Measured M;
  M.Loading = now() - Started;
  Graph<Encoder, encoder::Model> Encode =
      graph<Encoder>(encoder::Model(), encoder::build<float>);
  PrepareConfig Config;
  Config.cache = Cache;
  constexpr auto D = InterfaceOf<Encoder>::positions();
  double Resident = residentKilobytes(), Cpu = processor(), Wall = now();
  auto Ready = Encode.prepare(
      {.mel = {D.b, D.t, Encode.model().Mel}, .lengths = {D.b}}, Config);
  M.Wall = now() - Wall;
  M.Processor = processor() - Cpu;
  M.Kilobytes = residentKilobytes() - Resident;
  if (!Ready)
    fail(Ready.status().message());
  M.HasLlvm = mapsLlvm();
  PlanInfo Plan = Ready->plan();
  std::vector<ConstantBytes> Copies;
  Copies.reserve(Plan.constants().size());
  Wall = now();
  for (const OpConstant &C : Plan.constants())
    Copies.emplace_back(std::span(C.Bytes));
  M.Weights = now() - Wall;
  for (const ConstantBytes &C : Copies)
    M.WeightKilobytes += static_cast<double>(C.size()) / 1024;
  for (double Measured::*Value : Measured::All)
    std::printf("%.1f ", M.*Value);
  return 0;
}

/// Runs the benchmark as the program that only prepares.
static Measured runChild(const std::string &Folder) {
  int Ends[2];
  if (::pipe(Ends) != 0)
    fail("pipe: cannot be made");
  ProcessOptions Options;
  Options.Arguments = {"/proc/self/exe", "--prepare", Folder,
                       std::to_string(now())};
  Options.Output = Ends[1];
  Process Child = Process::start(Options);
  ::close(Ends[1]);
  std::string Text;
  char Part[512];
  for (ssize_t Got; (Got = ::read(Ends[0], Part, sizeof(Part))) > 0;)
    Text.append(Part, static_cast<size_t>(Got));
  ::close(Ends[0]);
  std::optional<ProcessEnd> End = Child ? Child.wait() : std::nullopt;
  Measured M;
  std::istringstream Stream(Text);
  for (double Measured::*Value : Measured::All)
    Stream >> M.*Value;
  if (!End || End->Code != 0 || !Stream)
    fail("the process that only prepares: failed");
  return M;
}

std::vector<Row> bench::newProcessRows(const std::string &Folder, int Rounds) {
  Measured Least = runChild(Folder);
  for (int Round = 1; Round < Rounds; ++Round) {
    Measured Next = runChild(Folder);
    for (double Measured::*Value : Measured::All)
      Least.*Value = std::min(Least.*Value, Next.*Value);
  }
  return {
      {"new process", "prepare", "ms", Least.Wall / 1000},
      {"new process", "prepare, processor time", "ms", Least.Processor / 1000},
      {"new process", "a copy of the weights", "ms", Least.Weights / 1000},
      {"new process", "prepare, without weights", "ms",
       (Least.Wall - Least.Weights) / 1000, 5},
      {"new process", "processor time, without weights", "ms",
       (Least.Processor - Least.Weights) / 1000},
      {"new process", "loading, up to main()", "ms", Least.Loading / 1000},
      {"new process", "memory, without weights", "KiB",
       Least.Kilobytes - Least.WeightKilobytes, 4096},
      {"new process", "libLLVM is loaded", "times", Least.HasLlvm}};
}
