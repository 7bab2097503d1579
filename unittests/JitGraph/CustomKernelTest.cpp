//===- CustomKernelTest.cpp - tests of users' kernels in graphs -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs with texts of users: results beside a reference, on a CPU or on what
// KPACK_JIT_GRAPH_RUN says (test/JitGraph/gpu-custom.test); what is one and
// what is two; and what each mistake says.
//
//===----------------------------------------------------------------------===//
#include "ReplayCompare.h"
#include "TestPlan.h"
#include "TracedTest.h"

#include "JitGraph/Graph/PlanFile.h"
#include "kpack/JitGraph/AnyGraph.h"
#include "kpack/JitGraph/CustomKernel.h"
#include "kpack/JitGraph/GraphError.h"
#include "kpack/JitGraph/Ops.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Rows of y are x's, times a number; a block goes through a row.
Source scaleSource() {
  return {.text = R"(
__global__ void scale(float *y, const float *x, long long columns, int stride,
                      float by) {
  long long row = blockIdx.x;
  for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
    y[row * stride + i] = x[row * stride + i] * by;
}
)",
          .entry = "scale"};
}

void scaleReference(std::span<const ReferenceTensor> Operands,
                    std::span<const int64_t>,
                    std::span<ReferenceTensor> Results) {
  for (size_t I = 0; I < Operands[0].Elements.size(); ++I)
    Results[0].Elements[I] = Operands[0].Elements[I] * 0.5;
}

class CustomKernelTest : public TracedTest {
protected:
  /// x [rows, columns], halved.
  Tensor<float> halved(const Tensor<float> &X) {
    return kernel(scaleSource(),
                  Grid({extent(X, 0)}, {64}).reference(scaleReference),
                  result<float>(shape(X)), X, extent(X, 1), stride(X, 0), 0.5F);
  }

  Result<std::unique_ptr<Replay>> prepare(std::vector<std::string> Flags = {}) {
    PrepareConfig Config = compareConfig(true);
    Config.flags.insert(Config.flags.end(), Flags.begin(), Flags.end());
    LowerOptions Kernels;
    Kernels.Target = Config.where;
    Kernels.SizesInMemory = Config.one_launch;
    Result<GraphPlan> Plan = lower(std::move(G), Kernels);
    if (!Plan)
      return Plan.status();
    Result<std::shared_ptr<const CompiledPlan>> Compiled =
        compilePlan(std::move(*Plan), Config, {});
    if (!Compiled)
      return Compiled.status();
    return Replay::create(std::move(*Compiled));
  }
  void check(std::vector<std::vector<int64_t>> Calls,
             std::vector<std::string> Flags = {}) {
    Result<std::unique_ptr<Replay>> Prepared = prepare(std::move(Flags));
    ASSERT_TRUE(Prepared.ok()) << Prepared.status().message();
    for (const std::vector<int64_t> &Values : Calls)
      compareWithReference(**Prepared, Values,
                           randomInputs((*Prepared)->plan().Ops, Values, 3));
  }
  /// What preparing says.
  std::string said() {
    Result<std::unique_ptr<Replay>> Prepared = prepare();
    EXPECT_FALSE(Prepared.ok());
    return Prepared.ok() ? "" : Prepared.status().message();
  }
};

void expectPart(const std::string &Text, const std::string &Part) {
  EXPECT_NE(Text.find(Part), std::string::npos) << Text;
}

TEST_F(CustomKernelTest, KernelsMakeAGraph) {
  Tensor<float> X = input("x", {variable("b", 1, 5), variable("t", 1, 200)});
  output(halved(halved(X)));
  check({{5, 200}, {2, 37}, {1, 1}, {5, 200}});
}

TEST_F(CustomKernelTest, MixesWithOtherOperations) {
  Dim B = variable("b", 1, 5), T = variable("t", 1, 70);
  Tensor<float> X = input("x", {T, B});
  // Views, numbers and weights are stored for it; nothing fuses with it.
  Tensor<float> Y = halved(transpose(X, 0, 1) + 1);
  output(sum(Y * Y, 1, true) + halved(Y));
  output(halved(full<float>(X, {B, T}, 3)));
  output(halved(constant(X, std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3})));
  check({{5, 70}, {2, 1}, {1, 33}});
}

/// Its text begins with a byte order mark and defines what it likes.
Source definingSource() {
  Source Scale = scaleSource();
  Scale.text = "\xef\xbb\xbf" + Scale.text;
  for (char C = 'A'; C != 'X'; ++C)
    Scale.text += std::string("#define ") + C + " nothing\n#define " +
                  char(C + 'a' - 'A') + " nothing\n";
  for (const char *Name : {"block", "first", "last", "sizes", "value", "global",
                           "device", "shared", "host", "b0", "b1", "used"})
    Scale.text += std::string("#define ") + Name + " nothing\n";
  return Scale;
}

// What is written around a text, and the graph's own kernels, have names that
// no macro of a text or a flag has.
TEST_F(CustomKernelTest, MacrosDoNotReachOtherCode) {
  Tensor<float> X = input("x", {variable("b", 1, 5), variable("t", 1, 70)});
  Tensor<float> Y = kernel(
      definingSource(), Grid({extent(X, 0)}, {64}).reference(scaleReference),
      result<float>(shape(X)), X, extent(X, 1), stride(X, 0), 0.5F);
  output(exp(Y + 1));
  output(matmul(Y, transpose(Y, 0, 1)));
  check({{5, 70}, {2, 3}},
        {"-DT=nothing", "-DN=nothing", "-DC=nothing", "-Dn=nothing",
         "-Dfirst=nothing", "-Dtile=nothing", "-Dvalue=nothing",
         "-Drow_of(x)=nothing", "-Da=nothing", "-Ub"});
}

/// The greatest element of each row and where it is.
Source greatestSource() {
  return {.text = R"(
#ifdef KPACK_JIT_CPU
template <class T>
__global__ void greatest(T *most, int *at, const T *x, int n, long stride) {
  if (threadIdx.x)
    return;
  x += blockIdx.x * stride;
  int best = 0;
  for (int i = 1; i < n; ++i)
    best = x[i] > x[best] ? i : best;
  most[blockIdx.x] = x[best];
  at[blockIdx.x] = best;
}
#else
template <class T>
__global__ void __launch_bounds__(32)
greatest(T *most, int *at, const T *x, int n, long stride) {
  __shared__ int places[32];
  x += blockIdx.x * stride;
  int i = threadIdx.x, best = i < n ? i : 0;
  for (int j = i; j < n; j += blockDim.x)
    best = x[j] > x[best] ? j : best;
  places[i] = best;
  __syncthreads();
  if (i)
    return;
  for (int j = 1; j < 32; ++j) {
    int other = places[j];
    if (x[other] > x[best] || (x[other] == x[best] && other < best))
      best = other;
  }
  most[blockIdx.x] = x[best];
  at[blockIdx.x] = best;
}
#endif
)",
          .entry = "greatest<float>"};
}

void greatestReference(std::span<const ReferenceTensor> Operands,
                       std::span<const int64_t>,
                       std::span<ReferenceTensor> Results) {
  const ReferenceTensor &X = Operands[0];
  auto Columns = static_cast<size_t>(X.Shape[1]);
  for (size_t Row = 0; Row < Results[0].Elements.size(); ++Row) {
    auto Begin = X.Elements.begin() + static_cast<ptrdiff_t>(Row * Columns);
    auto Most = std::max_element(Begin, Begin + X.Shape[1]);
    Results[0].Elements[Row] = *Most;
    Results[1].Elements[Row] = static_cast<double>(Most - Begin);
  }
}

std::tuple<Tensor<float>, Tensor<int32_t>> greatest(const Tensor<float> &X) {
  return kernel(greatestSource(),
                Grid({extent(X, 0)}, {32}).reference(greatestReference),
                result<float>({extent(X, 0)}), result<int32_t>({extent(X, 0)}),
                X, extent(X, 1), stride(X, 0));
}

TEST_F(CustomKernelTest, KernelHasSeveralResults) {
  auto [Most, Index] =
      greatest(input("x", {variable("b", 1, 5), variable("t", 1, 90)}));
  output(Most);
  output(Index);
  check({{5, 90}, {2, 37}, {1, 1}});
}

// It is written all the same, and nothing else has its bytes.
TEST_F(CustomKernelTest, UnreadResultsAreWritten) {
  Dim B = variable("b", 1, 5);
  Tensor<float> X = input("x", {B, variable("t", 1, 90)});
  Tensor<float> Y = halved(X);
  auto [Most, Index] = greatest(Y);
  output(Most + sum(Y, 1));
  output(std::get<1>(greatest(X))); // the first is not there otherwise
  auto [Fixed, Place] =
      greatest(constant(X, std::vector<float>{1, 5, 3, 7, 2, 6}, {2, 3}));
  output(cast<int32_t>(Fixed) + Place);
  output(Place); // so both are of each call
  check({{5, 90}, {2, 37}, {1, 1}});
}

/// Each thread of each block writes which one it is.
void placesReference(std::span<const ReferenceTensor>,
                     std::span<const int64_t> Sizes,
                     std::span<ReferenceTensor> Results) {
  // z, y, x of the grid, then of the block.
  for (size_t I = 0; I < Results[0].Elements.size(); ++I)
    Results[0].Elements[I] =
        static_cast<double>(I) + 1000.0 * static_cast<double>(Sizes[0]);
}

TEST_F(CustomKernelTest, GridsAndBlocksOfThreeDimensions) {
  Dim A = variable("a", 1, 4), B = variable("b", 1, 3), C = variable("c", 1, 3);
  Tensor<float> X = input("x", {number(1)});
  // Rows are as far apart as at the upper bounds: it asks nobody.
  ResultOf<int32_t> Y = result<int32_t>({C, B, A, 2, 3, 4});
  output(kernel({.text = R"(
template <int BlockZ, int BlockY, int BlockX>
__global__ void places(int *y, const float *, unsigned long a, const long long z,
                       int row, int plane) {
  int in_block = threadIdx.z * (blockDim.y * blockDim.x) +
                 threadIdx.y * blockDim.x + threadIdx.x;
  int block = blockIdx.z * gridDim.y * gridDim.x + blockIdx.y * gridDim.x +
              blockIdx.x;
  bool is_right = gridDim.x == a && blockDim.x == BlockX &&
                  blockDim.y == BlockY && blockDim.z == BlockZ;
  y[blockIdx.z * plane + blockIdx.y * row + blockIdx.x * 24 + in_block] =
      is_right ? block * 24 + in_block + 1000 * (int)a : -1;
})",
                 .entry = "places<2, 3, 4>"},
                Grid({A, B, C}, {4, 3, 2}).reference(placesReference), Y, X, A,
                C, Y.stride(1), Y.stride(0)));
  check({{4, 3, 3}, {1, 1, 1}, {2, 3, 1}, {3, 1, 2}, {4, 3, 3}});
}

void castsReference(std::span<const ReferenceTensor> Operands,
                    std::span<const int64_t>,
                    std::span<ReferenceTensor> Results) {
  for (size_t R = 0; R < Results.size(); ++R)
    for (size_t I = 0; I < Results[R].Elements.size(); ++I)
      Results[R].Elements[I] = 2 * Operands[R].Elements[I];
  for (double &Element : Results.back().Elements)
    Element = Element == 0;
}

TEST_F(CustomKernelTest, AllElementTypes) {
  Dim N = variable("n", 1, 300);
  auto [A, B, C, D, E, F] =
      kernel({.text = R"(
#include <stdint.h>
__global__ void twice(_Float16 *a, __bf16 *b, int *c, int64_t *d, uint8_t *e,
                      bool *f, const _Float16 *x, const __bf16 *y, const int *z,
                      const int64_t *u, const unsigned char *v, const bool *w,
                      unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] = (_Float16)((float)x[i] * 2);
  b[i] = (__bf16)((float)y[i] * 2);
  c[i] = z[i] * 2;
  d[i] = u[i] * 2;
  e[i] = v[i] * 2;
  f[i] = !w[i];
})",
              .entry = "twice"},
             Grid({ceilDiv(N, 64)}, 64).reference(castsReference),
             result<float16>({N}), result<bfloat16>({N}), result<int32_t>({N}),
             result<int64_t>({N}), result<uint8_t>({N}), result<bool>({N}),
             input<float16>("a", {N}), input<bfloat16>("b", {N}),
             input<int32_t>("c", {N}), input<int64_t>("d", {N}),
             input<uint8_t>("e", {N}), input<bool>("f", {N}), N);
  for (const TensorRef &Each : {TensorRef(A), TensorRef(B), TensorRef(C),
                                TensorRef(D), TensorRef(E), TensorRef(F)})
    output(Each);
  check({{300}, {1}, {64}, {65}});
}

void onesReference(std::span<const ReferenceTensor>, std::span<const int64_t>,
                   std::span<ReferenceTensor> Results) {
  std::fill(Results[0].Elements.begin(), Results[0].Elements.end(), 1);
}

TEST_F(CustomKernelTest, NumbersAreExact) {
  Tensor<float> X = input("x", {number(2)});
  output(kernel({.text = R"(
__global__ void same(int *y, const float *, bool t, int i, long long least,
                     unsigned long most, float f, double d, float inf,
                     double nan, float narrow, int fixed, long negative) {
  y[0] = t && i == -7 && least == -__LONG_LONG_MAX__ - 1 && most == ~0ul &&
         f == 0x1.fffffep-3f && d == 0x1.fffffffffffffp100 &&
         inf == -__builtin_inff() && nan != nan && narrow == 0.5f &&
         fixed == 2 && negative == -1;
})",
                 .entry = "same"},
                Grid({1}, 1).reference(onesReference), result<int32_t>({1}), X,
                true, -7, INT64_MIN, UINT64_MAX, 0x1.fffffep-3F,
                0x1.fffffffffffffp100, -INFINITY, double{NAN}, 0.5,
                extent(X, 0), variable("v", 1, 5) - 2));
  check({{1}});
}

// What is read is up to the text: of memory, of the system.
TEST_F(CustomKernelTest, TextsIncludeHeaders) {
  Dim N = variable("n", 1, 40);
  Tensor<float> X = input("x", {N});
  Source Text = {.text =
                     "#include \"half.h\"\n"
                     "#include <stdint.h>\n"
                     "__global__ void h(float *y, const float *x, int n) {\n"
                     "  uint32_t i = blockIdx.x;\n"
                     "  if (i < n) y[i] = half_of(x[i]);\n"
                     "}\n",
                 .entry = "h",
                 .headers = {{"half.h", "__device__ inline float half_of("
                                        "float x) { return x * HALF; }\n"}}};
  Grid Launch = Grid({N}, 1).reference(scaleReference);
  TensorRef First = kernel(Text, Launch, result<float>({N}), X, N);
  output(First);
  Text.headers[0].second += "// another text\n";
  EXPECT_NE(kernel(Text, Launch, result<float>({N}), X, N).id(), First.id());
  check({{33}, {1}}, {"-DHALF=0.5f"});
}

// A text with HIP's header needs no HIP on a CPU; on a GPU it needs what a HIP
// compiler is told about the installed one.
TEST_F(CustomKernelTest, TextsIncludeHipsHeader) {
  Dim N = variable("n", 1, 300);
  output(kernel({.text = R"(
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
__global__ void __launch_bounds__(64)
halve(float *y, const __half *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || gridDim.x != (n + 63) / 64)
    return;
  float half = 0.5f * __half2float(x[i]);
  y[i] = min(half, 0.0f);
  atomicAdd(&y[i], fmaxf(half, 0.0f));
})",
                 .entry = "halve"},
                Grid({ceilDiv(N, 64)}, 64).reference(scaleReference),
                result<float>({N}), input<float16>("x", {N}), N));
  const char *Given = std::getenv("KPACK_TEST_HIP_FLAGS");
  std::istringstream Flags(Given ? Given : "");
  check({{300}, {1}, {64}}, {std::istream_iterator<std::string>(Flags), {}});
}

// The same names on all processors; a text's own are preferred.
TEST_F(CustomKernelTest, MathFunctionsAreAvailable) {
  Dim N = variable("n", 1, 300);
  output(kernel({.text = R"(
__device__ float log2f(float) { return 7; }
__global__ void math(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a = expf(x[i]) + tanhf(x[i]) + rsqrtf(fabsf(x[i]) + 1) + sinf(x[i]);
  a += fmaxf(x[i], 0.25f) + sqrtf(fma(x[i], x[i], 1.0f)) + floor(x[i]);
  y[i] = a + exp(-fabs(x[i])) + __expf(x[i]) + (float)sqrt(2.0) + log2f(1);
})",
                 .entry = "math"},
                Grid({ceilDiv(N, 64)}, 64)
                    .reference([](std::span<const ReferenceTensor> Operands,
                                  std::span<const int64_t>,
                                  std::span<ReferenceTensor> Results) {
                      for (size_t I = 0; I < Operands[0].Elements.size(); ++I) {
                        double X = Operands[0].Elements[I];
                        Results[0].Elements[I] =
                            2 * std::exp(X) + std::tanh(X) +
                            1 / std::sqrt(std::abs(X) + 1) + std::sin(X) +
                            std::max(X, 0.25) + std::sqrt(X * X + 1) +
                            std::floor(X) + std::exp(-std::abs(X)) +
                            std::sqrt(2.0) + 7;
                      }
                    }),
                result<float>({N}), input("x", {N}), N));
  check({{300}, {1}, {64}});
}

TEST_F(CustomKernelTest, EmptyGridsAreAllowed) {
  Dim N = variable("n", 0, 40);
  Tensor<float> X = input("x", {N});
  output(kernel({.text = "__global__ void half(float *y, const float *x) {"
                         "  y[blockIdx.x] = x[blockIdx.x] * 0.5f; }",
                 .entry = "half"},
                Grid({N}, 1).reference(scaleReference), result<float>({N}), X));
  check({{40}, {0}, {1}, {40}});
}

// Each text is in a unit of its own.
TEST_F(CustomKernelTest, TextsMayShareANameInSeparateUnits) {
  Tensor<float> X = input("x", {variable("n", 1, 9)});
  Grid Launch({extent(X, 0)}, 1);
  auto Reference = [](std::span<const ReferenceTensor> Operands,
                      std::span<const int64_t>,
                      std::span<ReferenceTensor> Results) {
    Results[0].Elements = Operands[0].Elements;
  };
  auto Text = [](const char *Expression) {
    return Source{.text = "#define ANY " + std::string(Expression) +
                          "\nint helper;\n"
                          "__global__ void f(float *y, const float *x) {"
                          "  y[blockIdx.x] = ANY; }",
                  .entry = "f"};
  };
  Tensor<float> Y =
      kernel(Text("x[blockIdx.x]"), Grid(Launch).reference(Reference),
             result<float>(shape(X)), X);
  Tensor<float> Z = kernel(Text("x[blockIdx.x] * 0.5f"),
                           Grid(Launch).reference(scaleReference),
                           result<float>(shape(X)), X);
  EXPECT_NE(Y.id(), Z.id());
  output(Y);
  output(Z);
  check({{9}, {2}});
}

TEST_F(CustomKernelTest, EqualCallsAreMerged) {
  Dim B = variable("b", 1, 5), T = variable("t", 1, 9);
  Tensor<float> X = input("x", {B, T});
  auto Called = [&](const Source &Text, float By, Threads Block) {
    return kernel(Text, Grid({B}, Block), result<float>({B, T}), X, T, 9, By)
        .id();
  };
  uint32_t First = Called(scaleSource(), 2, 64);
  size_t Nodes = G.size();
  EXPECT_EQ(Called(scaleSource(), 2, 64), First);
  Source Named = scaleSource();
  EXPECT_EQ(G.size(), Nodes);
  EXPECT_NE(Called(scaleSource(), 3, 64), First);
  EXPECT_NE(Called(scaleSource(), 2, 32), First);
  Named.text += "\n";
  EXPECT_NE(Called(Named, 2, 64), First);
  // Of one text only one is compiled.
  for (uint32_t Id = First; Id < G.size(); ++Id)
    G.addOutput("y" + std::to_string(Id), Id);
  Result<GraphPlan> Plan = lower(std::move(G));
  ASSERT_TRUE(Plan.ok());
  EXPECT_EQ(Plan->Units.size(), 2U);
  EXPECT_EQ(Plan->Kernels.size(), 4U);
  EXPECT_EQ(Plan->Source, "") << "none is ours";
}

template <class P> struct Halves {
  In<P, float> x{};
  Out<P, float> y{}, fixed{};
  Var<P, 1, 5> b{};
  Var<P, 1, 40> t{};
};

void buildHalves(const int &, Halves<Trace> &Io) {
  auto Half = [](const Tensor<float> &X) {
    return kernel(scaleSource(), Grid({extent(X, 0)}, 64),
                  result<float>(shape(X)), X, extent(X, 1), stride(X, 0), 0.5F);
  };
  Io.y = Half(Io.x);
  Io.fixed =
      Half(constant(Io.x, std::vector<float>{2, 4}, {1, 2}, "weights")) + 1.0F;
}

Result<Prepared<Halves>> prepareHalves(const PrepareConfig &Config) {
  constexpr Halves<Names> D = InterfaceOf<Halves>::positions();
  return graph<Halves>(0, buildHalves).prepare({.x = {D.b, D.t}}, Config);
}

TEST_F(CustomKernelTest, PlansDescribeKernels) {
  Result<Prepared<Halves>> G = prepareHalves(compareConfig(true));
  ASSERT_TRUE(G.ok()) << G.status().message();
  PlanInfo Plan = G->plan();
  expectPart(Plan.text(), "y = custom_scale_0(x), rows b: kernel 'scale' at ");
  expectPart(Plan.text(), "CustomKernelTest.cpp:");
  expectPart(Plan.json(), "\"operations\":\"kernel 'scale'\"");
  expectPart(Plan.dot(), "custom_scale_0");
  expectPart(Plan.source(), "__global__ void scale(float *y, const float *x,");
  expectPart(Plan.source(), "// kernel 'scale'; ");
  // Ours and the text's: the same for both shapes.
  std::set<std::string> Keys;
  for (const GraphKernel &Kernel : Plan.kernels()) {
    Keys.insert(Kernel.Key);
    expectPart(Plan.explain(), "key: " + Kernel.Key);
    EXPECT_EQ(Kernel.Key == Plan.key(), Kernel.Unit == 0);
  }
  EXPECT_EQ(Keys.size(), 2U);
  // What depends on weights only is computed once.
  EXPECT_EQ(Plan.kernels().size(), 3U);
  EXPECT_EQ(Plan.nodes().size(), 2U);
  Result<std::vector<KernelProfile>> Profile = G->execute_profiled();
  ASSERT_TRUE(Profile.ok());
  expectPart((*Profile)[0].name + (*Profile)[1].name, "custom_scale_0");
  EXPECT_EQ(G->io().fixed(0, 1), 3.0F);
  EXPECT_TRUE(G->rebind_constant("weights", std::vector<float>{8, 16}).ok());
  EXPECT_TRUE(G->execute().ok());
  EXPECT_EQ(G->io().fixed(0, 1), 9.0F);
}

TEST_F(CustomKernelTest, PlansInFiles) {
  PrepareConfig Config = compareConfig(true);
  Result<Prepared<Halves>> G = prepareHalves(Config);
  ASSERT_TRUE(G.ok()) << G.status().message();
  std::string Bytes = writePlan(G->replay().plan());
  Result<GraphPlan> Read = readPlan(Bytes, "plan");
  ASSERT_TRUE(Read.ok()) << Read.status().message();
  EXPECT_EQ(writePlan(*Read), Bytes);
  ASSERT_EQ(Read->Units.size(), 1U);
  EXPECT_EQ(Read->Units[0].Text, G->replay().plan().Units[0].Text);
  std::string Path =
      testing::TempDir() + "kpack-custom-plan-" + std::to_string(::getpid());
  ASSERT_TRUE(AnyGraph::save(G->replay(), Path).ok());
  Result<AnyGraph> Any = AnyGraph::load(Path, Config);
  std::filesystem::remove(Path);
  ASSERT_TRUE(Any.ok()) << Any.status().message();
  EXPECT_TRUE(Any->set("b", 2).ok());
  EXPECT_TRUE(Any->execute().ok());
  EXPECT_EQ(static_cast<float *>(Any->output("fixed")->Data)[1], 3.0F);
  for (size_t I = 0; I < Any->plan()->kernels().size(); ++I)
    EXPECT_EQ(Any->plan()->kernels()[I].Key, G->plan().kernels()[I].Key);
  // Damaged ones are refused, or are other plans.
  Bytes = withoutChecksum(Bytes);
  for (size_t I = Bytes.rfind("units"); I < Bytes.size(); ++I) {
    std::string Damaged = Bytes;
    Damaged[I] = static_cast<char>(Damaged[I] ^ 0x41);
    (void)readPlan(Damaged, "plan");
    EXPECT_FALSE(readPlan(Bytes.substr(0, I), "plan").ok()) << I;
  }
}

TEST_F(CustomKernelTest, BlocksInFiles) {
  Tensor<float> X = input("x", {number(1)});
  output(kernel(
      {.text = "__global__ void f(float *y, const float *) {}", .entry = "f"},
      Grid({2, 3}, {4, 5, 6}), result<float>({1}), X));
  Result<GraphPlan> Plan = lower(std::move(G));
  ASSERT_TRUE(Plan.ok());
  Result<GraphPlan> Read = readPlan(writePlan(*Plan), "plan");
  ASSERT_TRUE(Read.ok()) << Read.status().message();
  const GraphNode &N = Read->Nodes[0];
  EXPECT_EQ(N.Block, 4U);
  EXPECT_EQ(N.BlockY, 5U);
  EXPECT_EQ(N.BlockZ, 6U);
}

TEST_F(CustomKernelTest, ChangedTextIsADivergingTrace) {
  constexpr Halves<Names> D = InterfaceOf<Halves>::positions();
  int Run = 0;
  auto Build = [&Run](const int &, Halves<Trace> &Io) {
    Source Text = scaleSource();
    Text.text += "// " + std::to_string(Run++);
    Io.y = Io.fixed =
        kernel(Text, Grid({Io.b}, 64), result<float>({Io.b, Io.t}), Io.x, Io.t,
               stride(Io.x, 0), 2);
  };
  PrepareConfig Config = testConfig();
  Config.verify_trace = true;
  Status S =
      graph<Halves>(0, Build).prepare({.x = {D.b, D.t}}, Config).status();
  EXPECT_EQ(graphErrorOf(S), GraphErrc::TraceDiverged);
  expectPart(S.message(), "another text of kernel 'scale'");
}

TEST_F(CustomKernelTest, KernelWithoutReferenceIsNotEvaluated) {
  Tensor<float> X = input("x", {number(1)});
  output(
      kernel({.text = "", .entry = "f"}, Grid({1}, 1), result<float>({1}), X));
  ReferenceTensor Input{ElementType::Float32, {1}, {1}};
  EXPECT_EQ(evaluate(G, {}, {&Input, 1}).status().message(),
            "kernel 'f': nothing but a compiler knows what it computes; give "
            "its Grid a reference()");
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

class CustomKernelErrorTest : public CustomKernelTest {
protected:
  /// What preparing says of a text that is called as f(y, x, n).
  std::string getDiagnostics(const std::string &Text,
                             const std::string &Entry = "f",
                             int64_t Most = 300) {
    G = OpGraph();
    Dim N = variable("n", 1, Most);
    Line = __LINE__ + 2;
    output(kernel({.text = Text, .entry = Entry, .display_name = "mine.hip"},
                  Grid({1}, 64), result<float>({N}), input("x", {N}), N, 2.5));
    std::string Said = this->said();
    if (!Said.empty())
      expectPart(Said, "kernel '" + Entry + "' (");
    expectPart(Said, "CustomKernelTest.cpp:" + std::to_string(Line) + ")");
    return Said;
  }
  int Line = 0;
};

TEST_F(CustomKernelErrorTest, CompileErrorNamesTheTextsLine) {
  std::string Said =
      getDiagnostics("__global__ void f(float *y, const float *x, int n,"
                     "                  float by) {\n"
                     "  y[0] = x[0] * bye;\n"
                     "}\n");
  expectPart(Said, "mine.hip:2:17: error: use of undeclared identifier 'bye'");
}

TEST_F(CustomKernelErrorTest, MissingEntryIsReported) {
  expectPart(
      getDiagnostics("__global__ void scale(float *y, const float *x) {}\n",
                     "scael"),
      "error: use of undeclared identifier 'scael'");
  expectPart(getDiagnostics("int f;\n"), "'f'");
}

TEST_F(CustomKernelErrorTest, WrongArgumentsAreReported) {
  std::string Few =
      getDiagnostics("\n__global__ void f(float *y, const float *x) {}\n");
  expectPart(Few, "error: no matching function for call to 'f'");
  expectPart(Few, "mine.hip:2:17: note: candidate function not viable: "
                  "requires 2 arguments, but 4 were provided");
  expectPart(
      getDiagnostics("__global__ void f(float *, float *, int, double) {}"),
      "mine.hip:1:17: note: candidate function not viable: 2nd argument "
      "('const float *') would lose const qualifier");
  expectPart(getDiagnostics(
                 "__global__ void f(double *, const float *, int, float){}"),
             "no known conversion from 'float *' to 'double *' for 1st "
             "argument");
  // A size must have room, a number must not be rounded to another kind.
  expectPart(
      getDiagnostics("__global__ void f(float *, const float *, int, float) {}",
                     "f", int64_t{1} << 33),
      "no known conversion from 'kpack_jit_size_of_bits<63>' to 'int' "
      "for 3rd argument");
  expectPart(getDiagnostics(
                 "__global__ void f(float *, const float *, float, float){}"),
             "no known conversion from 'kpack_jit_size_of_bits<31>' to 'float' "
             "for 3rd argument");
  expectPart(
      getDiagnostics("__global__ void f(float *, const float *, int, int) {}"),
      "cannot be narrowed");
}

TEST_F(CustomKernelErrorTest, GpuOnlyFeaturesAreReportedOnACpu) {
  expectPart(
      getDiagnostics("__global__ void f(float *y, const float *x, int n,\n"
                     "                  float by) {\n"
                     "  __syncthreads();\n"
                     "}\n"),
      "mine.hip:3:3: error: a CPU's threads run one after another; "
      "write another body for #ifdef KPACK_JIT_CPU");
  expectPart(
      getDiagnostics("__global__ void f(float *y, const float *x, int n,\n"
                     "                  float by) {\n"
                     "  __shared__ float tile[64];\n"
                     "  tile[0] = 1;\n"
                     "}\n"),
      "mine.hip:4:3: error: 'tile' is unavailable: a CPU's threads "
      "share no memory; write another body for #ifdef KPACK_JIT_CPU");
}

TEST_F(CustomKernelErrorTest, InvalidGridsAreRefusedWhileBuilding) {
  auto Said = [&](const Source &Text, const Grid &Launch, const Sizes &Shape) {
    G = OpGraph();
    Tensor<float> X = input("x", {variable("n", 1, 300)});
    EXPECT_EQ(kernel(Text, Launch, result<float>(Shape), X).id(),
              TensorRef::None);
    return G.status().message();
  };
  constexpr OpLocation Nowhere = OpLocation();
  Source F{.text = "", .entry = "f"};
  EXPECT_EQ(Said(F, Grid({1}, {32, 33}, Nowhere), {1}),
            "kernel 'f': a block has none or more than 1024 threads; give it "
            "from 1 to 1024");
  EXPECT_EQ(Said(F, Grid({1}, {64, 0}, Nowhere), {1}),
            "kernel 'f': a block has none or more than 1024 threads; give it "
            "from 1 to 1024");
  EXPECT_EQ(Said(F, Grid({}, 1, Nowhere), {1}),
            "kernel 'f': its grid has 0 extents; give it one to three");
  EXPECT_EQ(Said(F, Grid({1, 1, 1, 1}, 1, Nowhere), {1}),
            "kernel 'f': its grid has 4 extents; give it one to three");
  EXPECT_EQ(Said(F, Grid({int64_t{1} << 31}, 1, Nowhere), {1}),
            "kernel 'f': a grid of '2147483648' may have 2147483648 blocks; "
            "narrow the variables' bounds");
  EXPECT_EQ(Said(F, Grid({-1}, 1, Nowhere), {1}),
            "kernel 'f': extent '-1' may be below 0; raise the lower bounds "
            "of variables");
  EXPECT_EQ(Said(F, Grid({1}, 1, Nowhere), {-1}),
            "kernel 'f': extent '-1' may be below 0; raise the lower bounds "
            "of variables");
  EXPECT_EQ(Said({.text = "", .entry = "f\n"}, Grid({1}, 1, Nowhere), {1}),
            "kernel 'f\n': its entry is no expression of one line; name a "
            "__global__ function of the text");
  OpGraph Other;
  Dim N = *Other.dims().variable("m", {1, 5});
  EXPECT_EQ(Said(F, Grid({N}, 1, Nowhere), {1}),
            "kernel 'f': a size is of another graph; use variables of the "
            "graph that is being built");
}

} // namespace
