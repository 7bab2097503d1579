//===- KernelText.cpp - C++ functions of kernels --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions around loops, and the functions that loops call. exp is ours: it is
// the same on CPUs and GPUs, needs no library, and vectorises.
//
//===----------------------------------------------------------------------===//
#include "KernelText.h"
#include "JitGraph/Graph/StridedView.h"

using namespace kpack;
using namespace kpack::jit;

Dim jit::countOf(DimContext &Dims, std::span<const Dim> Shape,
                 std::span<const size_t> Axes) {
  Dim Count = Dims.constant(1);
  for (size_t Axis : Axes)
    Count = Count * Shape[Axis];
  return Count;
}

void jit::splitRow(KernelWriter &Writer, std::span<const Dim> Shape,
                   std::span<const size_t> Axes, const std::string &Counter,
                   KernelWriter::Indices &Position) {
  std::string Rest = Counter;
  for (size_t I = Axes.size(); I-- > 0;) {
    std::string Name = "i" + std::to_string(Axes[I]);
    std::string Extent = Writer.size(Shape[Axes[I]]);
    std::string Left = "(" + Rest + ") / " + Extent;
    Writer.line("long long " + Name + " = " +
                (I == 0 ? Rest : "(" + Rest + ") % " + Extent) + ";");
    Position[Axes[I]] = LinearIndex::counter(Name, KernelWriter::InRow,
                                             Shape[Axes[I]].hi() - 1);
    Rest = Left;
  }
}

static std::string readType(const KernelText &Kernel, const KernelRequest &R,
                            size_t I) {
  return "const " +
         KernelWriter::storedType(R.Graph.node(Kernel.Reads[I]).Type) + " *";
}

/// An overwritten operand is read through the pointer that nothing else
/// aliases.
static std::string cpuArguments(const KernelText &Kernel,
                                const KernelRequest &R) {
  std::string Written =
      KernelWriter::storedType(R.Graph.node(R.Root).Type) + " *__restrict__";
  std::string Text =
      "(void *const *b, const long long *n, long long first, long long last) "
      "{\n" +
      Written + " b0 = (" + Written + ")b[0];\n";
  for (size_t I = 0; I < Kernel.Reads.size(); ++I) {
    std::string Type = readType(Kernel, R, I);
    std::string Ordinal = std::to_string(I + 1);
    Text += Type + "b" + Ordinal + " = ";
    Text += Kernel.Reads[I] == R.InPlace
                ? std::string("b0;\n")
                : "(" + Type + ")b[" + Ordinal + "];\n";
  }
  return Text;
}

static std::string gpuArguments(const KernelText &Kernel,
                                const KernelRequest &R) {
  std::string Text = "(" + KernelWriter::storedType(R.Graph.node(R.Root).Type) +
                     " *__restrict__ b0";
  std::string Same;
  for (size_t I = 0; I < Kernel.Reads.size(); ++I) {
    std::string Type = readType(Kernel, R, I),
                Name = "b" + std::to_string(I + 1);
    bool IsInPlace = Kernel.Reads[I] == R.InPlace;
    Text += ", " + Type + (IsInPlace ? "" : Name);
    if (IsInPlace)
      Same = Type + Name + " = b0;\n";
  }
  if (R.How.SizesInMemory)
    Text += ", const long long *n";
  else if (!Kernel.Sizes.empty())
    Text += ", kpack_sizes<" + std::to_string(Kernel.Sizes.size()) + "> n";
  return Text + ") {\n" + Same;
}

std::string jit::gpuRow(KernelWriter &Writer, const KernelRequest &R,
                        Dim Blocks) {
  std::string Text = "long long row = blockIdx.x;\n";
  if (!R.How.SizesInMemory)
    return Text;
  return Text + "if (row >= " + Writer.size(Blocks) + ")\nreturn;\n";
}

void jit::wrapKernel(KernelText &Kernel, const KernelRequest &R,
                     const KernelWriter &Writer, const std::string &Body) {
  Kernel.Reads = Writer.readNodes();
  Kernel.Sizes = Writer.sizes();
  Kernel.Operations = Writer.operations();
  Kernel.Where = Writer.location();
  bool IsCpu = R.How.Target == GraphTarget::Cpu;
  Kernel.Head = IsCpu ? "extern \"C\" void "
                      : "extern \"C\" __global__ void "
                        "__launch_bounds__(" +
                            std::to_string(Kernel.Block) + ") ";
  Kernel.Tail = (IsCpu ? cpuArguments(Kernel, R) : gpuArguments(Kernel, R)) +
                Body + "}\n";
}

static constexpr const char *Common = R"(
struct kpack_bf16 {
  unsigned short bits;
  KPACK_FN kpack_bf16(float value) {
    unsigned all = __builtin_bit_cast(unsigned, value);
    unsigned rounded = all + 0x7fff + (all >> 16 & 1);
    bits = (unsigned short)((value != value ? all | 0x400000 : rounded) >> 16);
  }
  KPACK_FN operator float() const {
    return __builtin_bit_cast(float, (unsigned)bits << 16);
  }
};

// 2^n times the series of e^r for the rest; two factors, since one alone would
// not reach the smallest numbers.
KPACK_FN float kpack_exp(float x) {
#pragma clang fp reassociate(off)
  x = x < -104.0f ? -104.0f : x;
  x = x > 89.0f ? 89.0f : x;
  float shifted = x * 1.44269504f + 12582912.0f;
  float n = shifted - 12582912.0f;
  float r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  int power = __builtin_bit_cast(int, shifted) - 0x4b400000;
  int half = power >> 1;
  return p * __builtin_bit_cast(float, (half + 127) << 23) *
         __builtin_bit_cast(float, (power - half + 127) << 23);
}

template <class T> KPACK_FN T kpack_abs(T x) { return x < 0 ? -x : x; }
KPACK_FN float kpack_abs(float x) { return __builtin_fabsf(x); }
template <class T> KPACK_FN T kpack_min(T a, T b) { return b < a ? b : a; }
template <class T> KPACK_FN T kpack_max(T a, T b) { return a < b ? b : a; }

// A maximum begins below all numbers. With -ffast-math there are no infinities,
// and it begins at the least number. With -fno-honor-infinities alone, which no
// macro tells, an infinity may be no argument, no result and no operand: it is
// in memory, and compared without the flag where a target lets us.
template <class T> KPACK_FN void kpack_lowest(T &most) {
  if constexpr (__is_same(T, float))
    most = __FINITE_MATH_ONLY__ ? -__FLT_MAX__
                                : __builtin_bit_cast(float, 0xff800000u);
  else if constexpr ((T)-1 > 0)
    most = 0;
  else
    most = (T)((T)1 << (sizeof(T) * 8 - 2)) * -2;
}
template <class T> KPACK_FN void kpack_raise(T &most, const T &x) {
#if !__FINITE_MATH_ONLY__ && !defined(__HIP__) && !defined(__CUDA__)
#pragma float_control(precise, on)
#endif
  most = most < x ? x : most;
}

// Rounded to T, as a number to compute with. Integers are modulo 2^n; what is
// none, and what 64 bits do not hold, is 0.
template <class T, class U> KPACK_FN auto kpack_cast(U x) {
  if constexpr (__is_same(T, _Float16) || __is_same(T, kpack_bf16))
    return (float)T((float)x);
  else if constexpr (__is_same(T, float))
    return (float)x;
  else if constexpr (__is_same(T, bool))
    return x != 0;
  else if constexpr (__is_same(U, float))
    return x >= -0x1p63f && x < 0x1p63f ? (T)(long long)x : (T)0;
  else
    return (T)x;
}
)";

static constexpr const char *Cpu = R"(
#if defined(__AVX512F__)
#define KPACK_LANES 16
#define KPACK_WIDE 4
#elif defined(__AVX__)
#define KPACK_LANES 8
#define KPACK_WIDE 2
#else
#define KPACK_LANES 4
#define KPACK_WIDE 2
#endif

template <class T> struct kpack_vector {
  typedef T type __attribute__((vector_size(KPACK_LANES * sizeof(T))));
};

// Kernels share what sums: it is compiled once for all products of the same
// types, however many there are.
#define KPACK_SHARED static __attribute__((noinline))

// Rows by V vectors of columns, all in registers.
template <class C, int Rows, int V, class TA, class TB>
KPACK_SHARED void kpack_panel(C *to, long long width, const TA *a, long long am,
                              long long ak, const TB *b, long long bk,
                              long long depth) {
  typedef typename kpack_vector<C>::type vector;
  vector sum[Rows][V] = {};
#pragma clang loop unroll(disable)
  for (long long k = 0; k < depth; ++k) {
    vector right[V];
    for (int v = 0; v < V; ++v) {
      if constexpr (__is_same(TB, C)) {
        __builtin_memcpy(&right[v], b + k * bk + v * KPACK_LANES, sizeof(vector));
      } else {
        for (int l = 0; l < KPACK_LANES; ++l)
          right[v][l] = (C)b[k * bk + v * KPACK_LANES + l];
      }
    }
    for (int r = 0; r < Rows; ++r) {
      C left = (C)a[r * am + k * ak];
      for (int v = 0; v < V; ++v)
        sum[r][v] += left * right[v];
    }
  }
  for (int r = 0; r < Rows; ++r)
    __builtin_memcpy(to + r * width, sum[r], sizeof(sum[r]));
}

// Some columns of Rows rows. What is no vector is the end of one that begins
// further in front, if the matrix has so many columns.
template <class C, int Rows, int V, class TA, class TB>
KPACK_SHARED void kpack_columns(C *to, long long width, const TA *a,
                                long long am, long long ak, const TB *b,
                                long long bk, long long depth, long long count,
                                bool front) {
  if (count == V * KPACK_LANES) {
    kpack_panel<C, Rows, V>(to, width, a, am, ak, b, bk, depth);
    return;
  }
  while (count > 0 && (count >= KPACK_LANES || front)) {
    C part[Rows * KPACK_LANES];
    long long skip = count < KPACK_LANES ? KPACK_LANES - count : 0;
    kpack_panel<C, Rows, 1>(part, KPACK_LANES, a, am, ak, b - skip, bk, depth);
    for (int r = 0; r < Rows; ++r)
      for (long long l = skip; l < KPACK_LANES; ++l)
        to[r * width + l - skip] = part[r * KPACK_LANES + l];
    b += KPACK_LANES;
    to += KPACK_LANES;
    count -= KPACK_LANES;
  }
  for (int r = 0; r < Rows; ++r)
    for (long long c = 0; c < count; ++c) {
      C sum = 0;
      for (long long k = 0; k < depth; ++k)
        sum += (C)a[r * am + k * ak] * (C)b[k * bk + c];
      to[r * width + c] = sum;
    }
}

// A tile of rows; fewer than that one by one.
template <class C, class TA, class TB, class Epilogue>
KPACK_FN void kpack_contract(const TA *a, long long am, long long ak,
                             const TB *b, long long bk, long long depth,
                             long long row, long long rows, long long columns,
                             Epilogue finish) {
  constexpr int Most = KPACK_ROWS, Wide = KPACK_WIDE, Long = 8;
  constexpr int Size = Most * Wide > Long ? Most * Wide : Long;
  C sums[Size * KPACK_LANES];
  bool whole = row + Most <= rows, front = columns >= KPACK_LANES;
  long long width = (whole ? Wide : Long) * KPACK_LANES, end = rows;
  if (whole)
    end = row + Most;
  for (; row < end; row += whole ? Most : 1)
    for (long long done = 0; done < columns; done += width) {
      long long left = columns - done < width ? columns - done : width;
      const TA *from = a + row * am;
      if (whole)
        kpack_columns<C, Most, Wide>(sums, width, from, am, ak, b + done, bk,
                                     depth, left, front);
      else
        kpack_columns<C, 1, Long>(sums, width, from, am, ak, b + done, bk,
                                  depth, left, front);
#pragma clang loop unroll(disable)
      for (int r = 0; r < (whole ? Most : 1); ++r) {
        const C *sum = sums + r * width;
        long long c = 0;
#pragma clang loop unroll(disable)
        for (; c + KPACK_LANES <= left; c += KPACK_LANES)
#pragma clang loop unroll(disable)
          for (int l = 0; l < KPACK_LANES; ++l)
            finish(row + r, done + c + l, sum[c + l]);
#pragma clang loop vectorize(disable) unroll(disable)
        for (; c < left; ++c)
          finish(row + r, done + c, sum[c]);
      }
    }
}
)";

static constexpr const char *Gpu = R"(
template <int N> struct kpack_sizes {
  long long value[N];
  KPACK_FN long long operator[](int i) const { return value[i]; }
};

// All threads of a block, which are a power of 2.
template <class T, class Combine>
KPACK_FN void kpack_block(T &part, Combine combine) {
  __shared__ T parts[256];
  __syncthreads();
  parts[threadIdx.x] = part;
  for (unsigned half = blockDim.x / 2; half; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      combine(parts[threadIdx.x], parts[threadIdx.x + half]);
  }
  __syncthreads();
  part = parts[0];
}
template <class T> KPACK_FN void kpack_block_sum(T &part) {
  kpack_block(part, [](T &to, const T &x) { to += x; });
}
template <class T> KPACK_FN void kpack_block_max(T &part) {
  kpack_block(part, [](T &to, const T &x) { kpack_raise(to, x); });
}
)";

std::string jit::kernelPrelude(const LowerOptions &Options) {
  bool IsCpu = Options.Target == GraphTarget::Cpu;
  return std::string("#define KPACK_FN inline ") +
         (IsCpu ? "" : "__device__ ") +
         "__attribute__((always_inline))\n#define KPACK_ROWS " +
         std::to_string(ContractRows) + "\n" + Common + (IsCpu ? Cpu : Gpu);
}
