//===- GraphBench.cpp - time of a call of a graph of empty kernels --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what a call of a graph of 16 empty kernels takes, beside a loop over
// the same functions that is written by hand, beside one that finds its values
// in a map of names, and beside doing all the work in each call. Then what the
// models of examples/graph-* take, beside loops (Models.cpp).
// docs/evidence/bench.md.
//
//   graph-bench [--rounds N] [--json]
//
// KPACK_JIT_COMPILER names the compiler.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "Support/Numbers.h"
#include "kpack/JitGraph/Graph.h"
#include "kpack/Support/Json.h"
#include "kpack/kpack_jit.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unordered_map>

using namespace kpack;
using namespace kpack::jit;
using bench::fail;
using bench::Row;
using Clock = std::chrono::steady_clock;
using Kernel = void(void *const *, const long long *, long long, long long);

static constexpr size_t Nodes = 16;
static constexpr int Calls = 20000;

void kpack::bench::fail(const std::string &Why) {
  std::fprintf(stderr, "graph-bench: error: %s\n", Why.c_str());
  std::exit(1);
}

template <class P> struct Empty {
  In<P, float> x{};
  Out<P, float> y{};
  Var<P, 1, 8> b{};
  Var<P, 1, 1500> t{};
};

static std::string nameOf(size_t I) { return "node_" + std::to_string(I); }

static std::string source() {
  std::string Text;
  for (size_t I = 0; I < Nodes; ++I)
    Text += "extern \"C\" void " + nameOf(I) +
            "(void *const *, const long long *, long long, long long) {}\n";
  return Text;
}

static GraphBuffer getBuffer(BufferRole Role, const OpInput &Like) {
  GraphBuffer B;
  B.Name = Role == BufferRole::Input ? "x" : "y";
  B.Role = Role;
  B.Extents = Like.Shape;
  B.Strides = {Like.Shape[1].hi(), 1};
  B.Bytes = static_cast<uint64_t>(Like.Shape[0].hi() * Like.Shape[1].hi()) *
            sizeof(float);
  return B;
}

/// Nodes as an encoder has them: each with a size, and rows of its own.
static Result<GraphPlan> lowerEmpty(OpGraph Ops) {
  GraphPlan Plan;
  const OpInput &Input = Ops.inputs()[0];
  Plan.Buffers = {getBuffer(BufferRole::Input, Input),
                  getBuffer(BufferRole::Output, Input)};
  Plan.Inputs = {0};
  Plan.Outputs = {1};
  Plan.Source = source();
  for (size_t I = 0; I < Nodes; ++I) {
    Dim Time = ceilDiv(Input.Shape[1], static_cast<int64_t>(I % 4 + 1));
    Plan.Kernels.push_back({nameOf(I), "nothing", {}});
    GraphNode N;
    N.Kernel = static_cast<uint32_t>(I);
    N.Buffers = {1, 0};
    N.Sizes = {Time};
    N.Rows = Input.Shape[0] * Time;
    Plan.Nodes.push_back(std::move(N));
  }
  Plan.Ops = std::move(Ops);
  return Plan;
}

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

struct HandNode {
  Kernel *Call;
  void *Buffers[2];
  long long Sizes[1], Rows;
};

/// The same functions, as a program would have them that needs no graph.
class HandLoop {
public:
  explicit HandLoop(kpack_jit_cache *Cache) {
    std::string Text = source();
    std::vector<std::string> Names;
    for (size_t I = 0; I < Nodes; ++I)
      Names.push_back(nameOf(I));
    std::vector<kpack_jit_entry_point> Entries;
    for (const std::string &Name : Names)
      Entries.push_back({Name.c_str(), nullptr});
    kpack_jit_program_source Source{};
    Source.size = sizeof(Source);
    Source.text = Text.c_str();
    Source.entries = Entries.data();
    Source.entry_count = Entries.size();
    if (kpack_jit_compile(Cache, &Source, 0, &Program))
      fail(kpack_jit_last_error());
    for (size_t I = 0; I < Nodes; ++I) {
      void *Address;
      if (kpack_jit_program_function(Program, I, &Address))
        fail(kpack_jit_last_error());
      All[I] = {reinterpret_cast<Kernel *>(Address), {}, {1}, 1};
    }
  }
  ~HandLoop() { kpack_jit_program_release(Program); }
  HandLoop(const HandLoop &) = delete;

  void run() const {
    for (const HandNode &N : All)
      N.Call(N.Buffers, N.Sizes, 0, N.Rows);
  }

  /// Values come with their names, and each node finds those that it needs.
  void
  runByName(std::initializer_list<std::pair<const char *, int64_t>> Values) {
    std::unordered_map<std::string, int64_t> Map;
    for (const auto &[Name, Value] : Values)
      Map.insert_or_assign(Name, Value);
    for (size_t I = 0; I < Nodes; ++I) {
      auto Divisor = static_cast<int64_t>(I % 4 + 1);
      int64_t Time = (Map.at("t") + Divisor - 1) / Divisor;
      All[I].Sizes[0] = Time;
      All[I].Rows = Map.at("b") * Time;
    }
    run();
  }

private:
  kpack_jit_program *Program = nullptr;
  HandNode All[Nodes];
};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Nanoseconds of a call; the least that was measured so far.
template <typename Function> static void measure(double &Best, Function F) {
  Clock::time_point Start = Clock::now();
  for (int I = 0; I < Calls; ++I)
    F(I);
  std::chrono::duration<double, std::nano> Took = Clock::now() - Start;
  Best = std::min(Best, Took.count() / Calls);
}

static PrepareConfig makeConfig(kpack_jit_cache *Cache) {
  PrepareConfig Config;
  Config.cache = Cache;
  Config.lower = lowerEmpty;
  return Config;
}

static Prepared<Empty> prepare(kpack_jit_cache *Cache) {
  constexpr Empty<Names> D = InterfaceOf<Empty>::positions();
  auto G = graph<Empty>(0, [](const int &, Empty<Trace> &Io) {
             Io.y = Io.x;
           }).prepare({.x = {D.b, D.t}}, makeConfig(Cache));
  if (!G)
    fail(G.status().message());
  return std::move(*G);
}

static std::vector<Row> rows(kpack_jit_cache *Cache, int Rounds) {
  Prepared<Empty> G = prepare(Cache);
  HandLoop Loop(Cache);
  double Hand = 1e9, Plain = 1e9, Vars = 1e9, Same = 1e9, Bound = 1e9,
         ByName = 1e9, Whole = 1e9;
  std::vector<float> Mine(8 * 1500);
  bool IsRight = true;
  auto T = [](int I) { return I % 1500 + 1; };
  for (int Round = 0; Round < Rounds; ++Round) {
    measure(Hand, [&](int) { Loop.run(); });
    measure(Plain, [&](int) { IsRight &= G.execute().ok(); });
    measure(Vars, [&](int I) {
      IsRight &= G.execute({.b = I % 8 + 1, .t = T(I)}).ok();
    });
    measure(Same, [&](int) { IsRight &= G.execute({.b = 4, .t = 8}).ok(); });
    measure(Bound,
            [&](int I) { IsRight &= G.execute({.x = Mine, .t = T(I)}).ok(); });
    IsRight &= G.execute({.x = G.io().x}).ok();
    measure(ByName,
            [&](int I) { Loop.runByName({{"b", I % 8 + 1}, {"t", T(I)}}); });
    // Kernels are in memory: the compile itself would be a thousand times this.
    Clock::time_point Start = Clock::now();
    IsRight &= prepare(Cache).execute().ok();
    Whole = std::min(
        Whole,
        std::chrono::duration<double, std::nano>(Clock::now() - Start).count());
  }
  if (!IsRight)
    fail("a call: failed; run the tests");
  double Over = Plain - Hand;
  return {{"call", "loop by hand", "ns", Hand},
          {"call", "execute", "ns", Plain},
          {"call", "execute over the loop", "ns", Over, 30 + 2.0 * Nodes},
          {"variables", "execute, new values", "ns", Vars, 200},
          {"variables", "execute, the same values", "ns", Same},
          {"variables", "execute, new values, input bound", "ns", Bound},
          {"variables", "loop by hand, a map of names", "ns", ByName},
          {"each time", "prepare and execute", "us", Whole / 1000},
          {"each time", "over execute", "times", Whole / Vars, 0, 1000}};
}

static void print(const std::vector<Row> &Rows) {
  const char *Group = "";
  for (const Row &R : Rows) {
    if (std::string_view(Group) != R.Group)
      std::printf("%s\n", Group = R.Group);
    std::printf("  %-34s %9.1f %s", R.Name, R.Value, R.Unit);
    if (R.AtMost)
      std::printf(" (aim: at most %g)", R.AtMost);
    if (R.AtLeast)
      std::printf(" (aim: at least %g)", R.AtLeast);
    std::printf("\n");
  }
}

static void printJson(const std::vector<Row> &Rows) {
  std::vector<std::string> All;
  for (const Row &R : Rows) {
    JsonMembers Members = {{"group", jsonString(R.Group)},
                           {"name", jsonString(R.Name)},
                           {"unit", jsonString(R.Unit)},
                           {"value", std::to_string(R.Value)}};
    if (R.AtMost)
      Members.emplace_back("at_most", std::to_string(R.AtMost));
    if (R.AtLeast)
      Members.emplace_back("at_least", std::to_string(R.AtLeast));
    if (R.AtMost || R.AtLeast)
      Members.emplace_back(
          "met", (R.AtMost ? R.Value <= R.AtMost : R.Value >= R.AtLeast)
                     ? "true"
                     : "false");
    All.push_back(jsonObject(Members));
  }
  std::printf("%s\n", jsonObject({{"schema", jsonString("kpack.bench.graph/1")},
                                  {"rows", jsonArray(All)}})
                          .c_str());
}

static kpack_jit_cache *openCache(const std::string &Folder) {
  kpack_jit_cache_options Options{};
  Options.size = sizeof(Options);
  Options.directory = Folder.c_str();
  kpack_jit_cache *Cache;
  if (kpack_jit_cache_open(&Options, &Cache))
    fail(kpack_jit_last_error());
  return Cache;
}

int main(int Count, char **Arguments) {
  // What newProcessRows() starts.
  if (Count == 4 && std::string_view(Arguments[1]) == "--prepare")
    return bench::prepareInThisProcess(openCache(Arguments[2]),
                                       std::strtod(Arguments[3], nullptr));
  int Rounds = 50;
  bool IsJson = false;
  for (int I = 1; I < Count; ++I) {
    std::string_view Word = Arguments[I];
    std::optional<int> Parsed;
    if (Word == "--rounds" && I + 1 < Count)
      Parsed = parseNumber<int>(Arguments[++I]);
    if (Word == "--json")
      IsJson = true;
    else if (Parsed && *Parsed > 0)
      Rounds = *Parsed;
    else
      fail("usage: graph-bench [--rounds N] [--json]");
  }
  std::string Folder =
      (std::filesystem::temp_directory_path() / "graph-bench-XXXXXX").string();
  if (!::mkdtemp(Folder.data()))
    fail(Folder + ": cannot be made");
  kpack_jit_cache *Cache = openCache(Folder);
  std::vector<Row> Rows = rows(Cache, Rounds);
  for (const Row &R : bench::modelRows(Cache, Rounds))
    Rows.push_back(R);
  for (const Row &R : bench::newProcessRows(Folder, Rounds))
    Rows.push_back(R);
  kpack_jit_cache_close(Cache);
  std::error_code Ignored;
  std::filesystem::remove_all(Folder, Ignored);
  IsJson ? printJson(Rows) : print(Rows);
}
