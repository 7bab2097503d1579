// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a graph asks HIP for. Every function of HIP goes through here, since the
// program is looked into first: it is counted, and can be made to fail.
//   gpu-calls count|errors|pointers|devices|files|empty|async launches|graph
//   gpu-calls buckets launches|graph
//   gpu-calls replays|rebound launches|graph COUNT
// functions.def, of the test, has HIP(name) for each function.
#include <kpack/JitGraph/AnyGraph.h>
#include <kpack/JitGraph/Graph.h>
#include <kpack/JitGraph/Layers.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

// clang-format off
#define HIP(Name)                                                              \
  asm(".globl " #Name "\n.type " #Name ", @function\n" #Name ":\n"             \
      "lock incq count_" #Name "(%rip)\njmp *to_" #Name "(%rip)\n");           \
  extern "C" { long count_##Name; void *to_##Name; }
#include "functions.def"
#undef HIP
// clang-format on

struct Function {
  const char *Name;
  long *Count;
  void **To;
};
static const Function Functions[] = {
#define HIP(Name) {#Name, &count_##Name, &to_##Name},
#include "functions.def"
#undef HIP
};

static const Function &find(const char *Name) {
  for (const Function &F : Functions)
    if (!std::strcmp(F.Name, Name))
      return F;
  std::abort();
}

static int fails() { return 719; } // hipErrorLaunchFailure
static int doesNothing() { return 0; }

/// Another function in the place of one of HIP's.
class Instead {
public:
  Instead(const Function &Of, int (*Other)()) : Of(Of), Real(*Of.To) {
    *Of.To = reinterpret_cast<void *>(Other);
  }
  ~Instead() { *Of.To = Real; }

private:
  const Function &Of;
  void *Real;
};

/// y = softmax(relu(x * w1) * w2), a row a time.
template <class P> struct Net {
  In<P, float> x{};
  Out<P, float> y{};
  Var<P, 1, 64> t{};
};

static constexpr int64_t Width = 8;

static Result<Prepared<Net>> prepareNet(bool IsGraph, int Device = -1,
                                        std::vector<SizeBucket> Buckets = {}) {
  constexpr Net<Names> D = InterfaceOf<Net>::positions();
  PrepareConfig How = PrepareConfig::from_env();
  How.where = GraphTarget::Hip;
  How.one_launch = IsGraph;
  How.device = Device;
  How.buckets = std::move(Buckets);
  std::vector<float> W(Width * Width);
  for (size_t I = 0; I < W.size(); ++I)
    W[I] = static_cast<float>(I % 5) / 4 - 0.5F;
  return graph<Net>(W,
                    [](const std::vector<float> &W, Net<Trace> &Io) {
                      auto Weight = [&] {
                        return LinearWeights<float>{
                            constant(Io.x, W, {Width, Width}),
                            constant(Io.x, std::vector<float>(Width), {Width})};
                      };
                      Io.y = softmax(
                          linear(relu(linear(Io.x, Weight())), Weight()), 1);
                    })
      .prepare({.x = {D.t, Width}}, How);
}

/// Rows of a softmax have a sum of 1, and not of what was there before.
static bool isRight(const Prepared<Net> &G) {
  const auto &Y = G.io().y;
  for (int64_t T = 0; T < Y.extents()[0]; ++T) {
    float Sum = 0;
    for (int64_t I = 0; I < Width; ++I)
      Sum += Y(T, I);
    if (!(std::abs(Sum - 1) < 1e-4F))
      return false;
  }
  return true;
}

static bool run(Prepared<Net> &G, const Net<Bind> &Call) {
  std::memset(const_cast<float *>(G.io().y.data()), 0x5c,
              64 * Width * sizeof(float));
  Status S = G.execute(Call);
  if (!S.ok())
    std::printf("%s\n", S.message().c_str());
  return S.ok() && isRight(G);
}

static Prepared<Net> prepared(bool IsGraph, int Device = -1) {
  Result<Prepared<Net>> G = prepareNet(IsGraph, Device);
  if (!G) {
    std::printf("%s\n", G.status().message().c_str());
    std::exit(1);
  }
  for (size_t I = 0; I < G->io().x.size(); ++I)
    G->io().x.data()[I] = static_cast<float>(I % 11) / 8 - 0.5F;
  return std::move(*G);
}

static void clearCounts() {
  for (const Function &F : Functions)
    *F.Count = 0;
}

/// HIP 5.2 runs what it is to capture; updates of graphs leak in later ones.
static long countOfForbidden() {
  long Count = 0;
  for (const Function &F : Functions)
    if (std::strstr(F.Name, "Capture") || std::strstr(F.Name, "ExecUpdate"))
      Count += *F.Count;
  return Count;
}

static void count(bool IsGraph) {
  Prepared<Net> G = prepared(IsGraph);
  std::printf("captures and updates: %ld\n", countOfForbidden());
  clearCounts();
  bool Right = true;
  for (int64_t T : {1, 64, 7, 7})
    Right &= run(G, {.t = T});
  std::printf("%s, 4 calls of %zu nodes\n", Right ? "right" : "wrong",
              G.plan().nodes().size());
  for (const Function &F : Functions)
    if (*F.Count)
      std::printf("%s: %ld\n", F.Name, *F.Count);
}

static long residentKiB() {
  long Pages = 0, Resident = 0;
  if (FILE *F = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(F, "%ld %ld", &Pages, &Resident) != 2)
      std::abort();
    std::fclose(F);
  }
  return Resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/// With other values each time, and an input that is somewhere else.
static void replay(bool IsGraph, long Count, bool HasPointers) {
  Prepared<Net> G = prepared(IsGraph), Other = prepared(IsGraph);
  std::span Here(G.io().x.data(), G.io().x.size());
  std::span There(Other.io().x.data(), Other.io().x.size());
  bool Right = true;
  long Before = 0;
  for (long I = 0; I < Count; ++I) {
    if (I == Count / 5)
      Before = residentKiB();
    if (HasPointers)
      Right &= run(G, {.x = I % 2 ? Here : There, .t = I % 64 + 1});
    else
      Right &= run(G, {.t = I * 7 % 64 + 1});
  }
  long Grown = residentKiB() - Before;
  std::fprintf(stderr, "%ld KiB, then %ld more\n", Before, Grown);
  std::printf("%ld calls: %s, memory %s\n", Count, Right ? "right" : "wrong",
              Grown < 2048 ? "stays" : "grows");
}

/// Memory that the GPU does not see, and memory that it does.
static void pointers(bool IsGraph) {
  Prepared<Net> G = prepared(IsGraph);
  std::vector<float> Mine(G.io().x.size());
  run(G, {.x = Mine});
  std::printf("%s\n", run(G, {}) ? "right" : "wrong");
  replay(IsGraph, 50, true);
}

/// Each function that is needed is made to fail, one after another.
static void errors(bool IsGraph) {
  clearCounts();
  {
    Prepared<Net> G = prepared(IsGraph);
    run(G, {});
  }
  std::vector<const Function *> Used;
  for (const Function &F : Functions)
    if (*F.Count && !std::strstr(F.Name, "Error") &&
        !std::strstr(F.Name, "Free") && !std::strstr(F.Name, "Destroy") &&
        !std::strstr(F.Name, "Unload"))
      Used.push_back(&F);
  for (const Function *F : Used) {
    Instead Broken(*F, fails);
    clearCounts();
    Result<Prepared<Net>> G = prepareNet(IsGraph);
    if (!*F->Count) // kernels are loaded once
      continue;
    std::printf("%s: %s\n", F->Name,
                G.ok() ? "success" : G.status().message().c_str());
  }
  Prepared<Net> G = prepared(IsGraph);
  for (const char *Name : {"hipStreamSynchronize", "hipGraphLaunch",
                           "hipModuleLaunchKernel", "hipGetDevice"}) {
    Instead Broken(find(Name), fails);
    clearCounts();
    Status S = G.execute();
    if (*find(Name).Count || !S.ok())
      std::printf("execute, %s: %s\n", Name,
                  S.ok() ? "success" : S.message().c_str());
  }
  std::printf("%s\n", run(G, {}) ? "right" : "wrong");
}

/// A graph of the runtime that does nothing and says that all is well.
static void empty() {
  Instead Broken(find("hipGraphLaunch"), doesNothing);
  Prepared<Net> G = prepared(true);
  std::printf("%s\n%s\n", run(G, {.t = 5}) ? "right" : "wrong",
              G.plan().explain().c_str());
}

extern "C" int hipGetDevice(int *);
extern "C" int hipSetDevice(int);

/// Each on a GPU of its own, from threads that have another one.
static void devices(bool IsGraph) {
  Prepared<Net> Second = prepared(IsGraph, 1), First = prepared(IsGraph, 0);
  Prepared<Net> Third = std::move(*Second.clone());
  std::copy(First.io().x.begin(), First.io().x.end(), Third.io().x.begin());
  bool Right = true;
  for (int Current : {0, 1}) {
    if (hipSetDevice(Current) != 0)
      std::abort();
    // Without a number it is the thread's.
    Prepared<Net> Here = prepared(IsGraph);
    for (Prepared<Net> *G : {&First, &Second, &Third, &Here}) {
      Right &= run(*G, {.t = 9});
      for (size_t I = 0; I < 9 * Width; ++I)
        Right &= std::abs(G->io().y.data()[I] - First.io().y.data()[I]) < 1e-5F;
    }
    int Now = -1;
    Right &= hipGetDevice(&Now) == 0 && Now == Current;
  }
  std::printf("devices: %s\n", Right ? "right" : "wrong");
  std::printf("%s\n", prepareNet(IsGraph, 7).status().message().c_str());
}

/// A plan in a file is executed on the GPU that it was made for.
static void files(bool IsGraph) {
  Prepared<Net> G = prepared(IsGraph);
  Status S = AnyGraph::save(G.replay(), "plan");
  auto Load = [&] {
    Result<AnyGraph> Loaded = AnyGraph::load("plan");
    std::printf("load: %s\n",
                Loaded ? "success" : Loaded.status().message().c_str());
    return Loaded;
  };
  Result<AnyGraph> Loaded = Load();
  if (!S.ok() || !Loaded)
    std::exit(1);
  std::copy(G.io().x.begin(), G.io().x.end(),
            static_cast<float *>(Loaded->input("x")->Data));
  S = Loaded->set("t", 9);
  if (S.ok())
    S = Loaded->execute();
  bool Right = run(G, {.t = 9}) && S.ok();
  Right = Right && !std::memcmp(Loaded->output("y")->Data, G.io().y.data(),
                                9 * Width * sizeof(float));
  std::printf("files: %s\n", Right ? "right" : "wrong");
  Instead Broken(find("hipGraphLaunch"), doesNothing);
  Load().status();
}

extern "C" int hipStreamCreate(void **);
extern "C" int hipStreamDestroy(void *);
extern "C" int hipStreamSynchronize(void *);
extern "C" int hipStreamAddCallback(void *, void (*)(void *, int, void *),
                                    void *, unsigned);

/// A stream on which nothing goes on before open().
class ClosedStream {
public:
  ClosedStream() {
    auto WaitForIt = [](void *, int, void *Gate) {
      while (!static_cast<std::atomic<bool> *>(Gate)->load())
        usleep(100);
    };
    if (hipStreamCreate(&Handle) != 0 ||
        hipStreamAddCallback(Handle, WaitForIt, &IsOpen, 0) != 0)
      std::abort();
  }
  ~ClosedStream() {
    open();
    hipStreamSynchronize(Handle);
    hipStreamDestroy(Handle);
  }
  void open() { IsOpen = true; }
  bool isOpen() const { return IsOpen; }

  void *Handle = nullptr;

private:
  std::atomic<bool> IsOpen{false};
};

static void expect(bool Is, const char *What) {
  std::printf("%s: %s\n", What, Is ? "right" : "wrong");
}

static Event begun(Prepared<Net> &G, ClosedStream &On, int64_t T) {
  Result<Event> E = G.execute_async(Stream{On.Handle}, {.t = T});
  if (!E) {
    std::printf("%s\n", E.status().message().c_str());
    std::exit(1);
  }
  return *E;
}

/// The rows that a call has written into y, counted on the stream between this
/// call and the next one.
struct CountRows {
  float *Y;
  int Rows = -1;

  static void run(void *, int, void *Data) {
    auto &Of = *static_cast<CountRows *>(Data);
    for (Of.Rows = 0; Of.Rows < 64 && Of.Y[Of.Rows * Width] >= 0;)
      ++Of.Rows;
    Of.clear();
  }
  void clear() { std::fill_n(Y, 64 * Width, -1.0F); }
};

static void sizesInFlight(bool IsGraph) {
  Prepared<Net> G = prepared(IsGraph);
  constexpr int64_t Ts[] = {5, 64, 1, 33, 2, 60, 7, 8};
  std::vector<CountRows> Counted(
      std::size(Ts), CountRows{const_cast<float *>(G.io().y.data())});
  Counted[0].clear();
  std::vector<Event> Events;
  ClosedStream On;
  for (size_t I = 0; I < std::size(Ts); ++I) {
    Events.push_back(begun(G, On, Ts[I]));
    if (hipStreamAddCallback(On.Handle, CountRows::run, &Counted[I], 0) != 0)
      std::abort();
  }
  bool IsDone = false, AreRead = false;
  for (const Event &E : Events) {
    IsDone |= E.done();
    AreRead |= E.inputs_consumed();
  }
  expect(!IsDone && !AreRead, "nothing has run");
  expect(G.io().y.extents()[0] == 8, "extents of the last call");
  // No more than eight, and what is refused changes nothing.
  std::printf("%s\n", G.execute_async({}, {.t = 3}).status().message().c_str());
  expect(G.io().t.value() == 8, "the value of the last call");
  On.open();
  bool Waited = true;
  for (const Event &E : Events)
    Waited &= E.wait().ok() && E.done() && E.inputs_consumed();
  expect(Waited && hipStreamSynchronize(On.Handle) == 0, "waited");
  for (const CountRows &C : Counted)
    std::printf("%d ", C.Rows);
  std::printf("rows\n");
  expect(run(G, {.t = 9}), "a call that waits");
}

/// Calls on two streams, of which the first is closed.
static void twoStreams(bool IsGraph) {
  Prepared<Net> G = prepared(IsGraph);
  ClosedStream First, Second;
  Second.open();
  Event A = begun(G, First, 5), B = begun(G, Second, 64);
  usleep(50000);
  expect(!A.done() && !B.done(), "behind another stream");
  First.open();
  expect(B.wait().ok() && A.done() && isRight(G), "after it");
  // Inputs of another place.
  Prepared<Net> Other = prepared(IsGraph);
  std::span There(Other.io().x.data(), Other.io().x.size());
  Result<Event> C = G.execute_async({}, {.x = There});
  expect(C && C->wait_for_inputs().ok() && C->inputs_consumed() &&
             C->wait().ok() && isRight(G),
         "other inputs");
}

/// Its memory is not given back before.
static void ends(bool IsGraph) {
  std::optional<Prepared<Net>> G = prepared(IsGraph);
  ClosedStream On;
  Event E = begun(*G, On, 5);
  std::thread Opens([&] {
    usleep(50000);
    On.open();
  });
  // Not only because memory that is given back waits in some runtimes.
  clearCounts();
  G.reset();
  bool HasWaited = *find("hipEventSynchronize").Count > 0;
  expect(HasWaited && On.isOpen() && E.done() && E.wait().ok(),
         "the end waits");
  Opens.join();
}

static void async(bool IsGraph) {
  sizesInFlight(IsGraph);
  twoStreams(IsGraph);
  ends(IsGraph);
  // What HIP says of a call comes with its event, and of no other.
  Prepared<Net> G = prepared(IsGraph);
  int64_t T = 11;
  for (const char *Name : {"hipEventCreateWithFlags", "hipEventRecord",
                           "hipEventSynchronize", "hipMemcpyAsync"}) {
    Instead Broken(find(Name), fails);
    clearCounts();
    Result<Event> E = G.execute_async({}, {.t = T++});
    Status S = E ? E->wait() : E.status();
    if (*find(Name).Count)
      std::printf("%s: %s\n", Name, S.ok() ? "success" : S.message().c_str());
  }
  Result<Event> E = G.execute_async({}, {.t = T});
  expect(E && E->wait().ok() && isRight(G), "after errors");
}

/// What graphs of the runtime launch, by what was put into them.
struct Launched {
  static inline std::map<void *, long> OfGraph, OfExec;
  static inline long Blocks = 0;
  /// Launches of this one do nothing: the number of a graph that was made.
  static inline long Broken = -1;
  static inline std::vector<void *> Made;

  struct Node {
    uint32_t Block[3];
    void **Extra;
    void *Function;
    uint32_t Grid[3];
  };
  using Add = int(void **, void *, void *const *, size_t, const Node *);
  using Instantiate = int(void **, void *, void **, char *, size_t);
  using Launch = int(void *, void *);
  static inline Add *RealAdd;
  static inline Instantiate *RealInstantiate;
  static inline Launch *RealLaunch;

  static int add(void **To, void *Graph, void *const *Before, size_t Count,
                 const Node *N) {
    OfGraph[Graph] += long(N->Grid[0]) * N->Grid[1] * N->Grid[2];
    return RealAdd(To, Graph, Before, Count, N);
  }
  static int instantiate(void **Exec, void *Graph, void **Node, char *Log,
                         size_t Bytes) {
    int Code = RealInstantiate(Exec, Graph, Node, Log, Bytes);
    OfExec[*Exec] = OfGraph[Graph];
    Made.push_back(*Exec);
    return Code;
  }
  static int launch(void *Exec, void *Stream) {
    Blocks += OfExec[Exec];
    if (Broken >= 0 && size_t(Broken) < Made.size() && Exec == Made[Broken])
      return 0;
    return RealLaunch(Exec, Stream);
  }
  template <typename F> static void replace(F *&Real, F *Mine, const char *Of) {
    Real = reinterpret_cast<F *>(*find(Of).To);
    *find(Of).To = reinterpret_cast<void *>(Mine);
  }
};

/// Each call launches the blocks of the smallest graph that is enough for it.
static void buckets(bool IsGraph) {
  Launched::replace(Launched::RealAdd, Launched::add, "hipGraphAddKernelNode");
  Launched::replace(Launched::RealInstantiate, Launched::instantiate,
                    "hipGraphInstantiate");
  Launched::replace(Launched::RealLaunch, Launched::launch, "hipGraphLaunch");
  std::vector<SizeBucket> Some = bucketsOf<Net>({{.t = 40}, {.t = 4}});
  Result<Prepared<Net>> G = prepareNet(IsGraph, -1, Some);
  if (!G) {
    std::printf("%s\n", G.status().message().c_str());
    return;
  }
  for (float &X : G->io().x)
    X = 0.25F;
  std::printf("%zu graphs\n%s%s\n", Launched::Made.size(),
              G->plan().explain().c_str(), G->plan().json().c_str());
  clearCounts();
  for (int64_t T : {1, 4, 5, 40, 41, 64, 2}) {
    Launched::Blocks = 0;
    bool Right = run(*G, {.t = T});
    std::printf("t %d: %ld blocks, %s\n", int(T), Launched::Blocks,
                Right ? "right" : "wrong");
  }
  // Nothing is compiled or made for them.
  std::printf("loads: %ld\n", *find("hipModuleLoadData").Count +
                                  *find("hipGraphInstantiate").Count);
  std::printf("%s\n", prepareNet(IsGraph, -1, bucketsOf<Net>({{.t = 65}}))
                          .status()
                          .message()
                          .c_str());
  std::printf("%s\n",
              prepareNet(IsGraph, -1, {{{"u", 1}}}).status().message().c_str());
  // The second of three graphs is not believed: its kernels do not run.
  if (IsGraph) {
    Launched::Broken = static_cast<long>(Launched::Made.size()) + 1;
    Result<Prepared<Net>> Broken = prepareNet(IsGraph, -1, Some);
    std::printf("%s\n", Broken ? Broken->plan().explain().c_str()
                               : Broken.status().message().c_str());
  }
}

int main(int Count, char **Words) {
  if (Count < 3)
    return 2;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::string What = Words[1];
  bool IsGraph = !std::strcmp(Words[2], "graph");
  if (What == "count")
    count(IsGraph);
  else if (What == "files")
    files(IsGraph);
  else if (What == "async")
    async(IsGraph);
  else if (What == "buckets")
    buckets(IsGraph);
  else if (What == "devices")
    devices(IsGraph);
  else if (Count > 3)
    replay(IsGraph, std::atol(Words[3]), What == "rebound");
  else if (What == "pointers")
    pointers(IsGraph);
  else if (What == "errors")
    errors(IsGraph);
  else
    empty();
}

__attribute__((constructor)) static void resolve() {
  for (const Function &F : Functions)
    *F.To = dlsym(RTLD_NEXT, F.Name);
}
