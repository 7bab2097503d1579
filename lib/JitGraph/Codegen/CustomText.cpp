//===- CustomText.cpp - source of user kernels and their calls ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel cannot call a kernel, so __global__ declares a function that is
// inlined at its call. Launch variables (threadIdx, ...) exist as usual, with
// two exceptions: on a CPU they are loop counters; and if a GPU's grid has the
// size of the upper bounds, gridDim is that of the call.
//
// This file avoids words that stand for reading another file: a text without
// them need not be scanned for its includes.
//
//===----------------------------------------------------------------------===//
#include "CustomText.h"

#include "KernelWriter.h"

#include <algorithm>
#include <cctype>

using namespace kpack;
using namespace kpack::jit;

//===----------------------------------------------------------------------===//
// Text before the user's
//===----------------------------------------------------------------------===//

static constexpr char Cpu[] = R"(#define KPACK_JIT_CPU 1
#define KPACK_JIT_FN
#define __global__ inline __attribute__((__always_inline__))
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((__always_inline__))
#define __launch_bounds__(...)
#define kpack_jit_other "; write another body for #ifdef KPACK_JIT_CPU"
#define __shared__ __attribute__((unavailable("a CPU's threads share no memory" kpack_jit_other)))
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned kpack_x = 1, unsigned kpack_y = 1, unsigned kpack_z = 1)
      : x(kpack_x), y(kpack_y), z(kpack_z) {}
};
static thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;
__attribute__((diagnose_if(1, "a CPU's threads run one after another" kpack_jit_other, "error")))
inline void __syncthreads() {}
)";

/// The functions that a text for GPUs has without a header, as executors
/// provide them. They are templates, so that those of a header, or of the text,
/// are preferred.
static constexpr char CpuMathematics[] = R"(namespace kpack_jit_functions {
#define kpack_jit_function template <class = void> inline
#define kpack_jit_as(f, g) kpack_jit_function float f(float kpack_x) { return __builtin_##g(kpack_x); }
#define kpack_jit_float(a) kpack_jit_as(a##f, a##f) kpack_jit_as(a, a##f)
kpack_jit_float(exp) kpack_jit_float(exp2) kpack_jit_float(log)
kpack_jit_float(log2) kpack_jit_float(log10) kpack_jit_float(sin)
kpack_jit_float(cos) kpack_jit_float(tan) kpack_jit_float(tanh)
kpack_jit_as(__expf, expf) kpack_jit_as(__logf, logf)
kpack_jit_as(__log2f, log2f) kpack_jit_as(__log10f, log10f)
kpack_jit_as(__sinf, sinf) kpack_jit_as(__cosf, cosf)
kpack_jit_function float __powf(float kpack_x, float kpack_y) { return __builtin_powf(kpack_x, kpack_y); }
kpack_jit_function float __fdividef(float kpack_x, float kpack_y) { return kpack_x / kpack_y; }
kpack_jit_function float rsqrtf(float kpack_x) { return 1 / __builtin_sqrtf(kpack_x); }
kpack_jit_function float rsqrt(float kpack_x) { return 1 / __builtin_sqrtf(kpack_x); }
#define kpack_jit_one(a) kpack_jit_float(a) kpack_jit_function double a(double kpack_x) { return __builtin_##a(kpack_x); }
kpack_jit_one(sqrt) kpack_jit_one(fabs) kpack_jit_one(floor) kpack_jit_one(ceil)
kpack_jit_one(trunc) kpack_jit_one(rint) kpack_jit_one(round)
#define kpack_jit_pair(T, f, g) kpack_jit_function T f(T kpack_x, T kpack_y) { return __builtin_##g(kpack_x, kpack_y); }
#define kpack_jit_two(a) kpack_jit_pair(float, a##f, a##f) kpack_jit_pair(float, a, a##f) kpack_jit_pair(double, a, a)
kpack_jit_two(fmin) kpack_jit_two(fmax) kpack_jit_two(copysign)
kpack_jit_function float fmaf(float kpack_x, float kpack_y, float kpack_z) { return __builtin_fmaf(kpack_x, kpack_y, kpack_z); }
kpack_jit_function float fma(float kpack_x, float kpack_y, float kpack_z) { return __builtin_fmaf(kpack_x, kpack_y, kpack_z); }
kpack_jit_function double fma(double kpack_x, double kpack_y, double kpack_z) { return __builtin_fma(kpack_x, kpack_y, kpack_z); }
}
using namespace kpack_jit_functions;
)";

/// The part of HIP's header that kernels use, for CPUs.
static constexpr char CpuHipHeader[] = R"(#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
// What math.h declares and no library has.
inline float __expf(float kpack_x) { return expf(kpack_x); }
inline float __logf(float kpack_x) { return logf(kpack_x); }
inline float __log2f(float kpack_x) { return log2f(kpack_x); }
inline float __log10f(float kpack_x) { return log10f(kpack_x); }
inline float __sinf(float kpack_x) { return sinf(kpack_x); }
inline float __cosf(float kpack_x) { return cosf(kpack_x); }
inline float __powf(float kpack_x, float kpack_y) { return powf(kpack_x, kpack_y); }
template <class KpackType> inline KpackType min(KpackType kpack_a, KpackType kpack_b) { return kpack_b < kpack_a ? kpack_b : kpack_a; }
template <class KpackType> inline KpackType max(KpackType kpack_a, KpackType kpack_b) { return kpack_a < kpack_b ? kpack_b : kpack_a; }
// Threads run one after another.
template <class KpackType> inline KpackType kpack_jit_exchange(KpackType *kpack_at, KpackType kpack_now) {
  KpackType kpack_before = *kpack_at;
  *kpack_at = kpack_now;
  return kpack_before;
}
template <class KpackType> inline KpackType atomicAdd(KpackType *kpack_at, KpackType kpack_x) {
  return kpack_jit_exchange(kpack_at, (KpackType)(*kpack_at + kpack_x));
}
template <class KpackType> inline KpackType atomicMin(KpackType *kpack_at, KpackType kpack_x) {
  return kpack_jit_exchange(kpack_at, min(*kpack_at, kpack_x));
}
template <class KpackType> inline KpackType atomicMax(KpackType *kpack_at, KpackType kpack_x) {
  return kpack_jit_exchange(kpack_at, max(*kpack_at, kpack_x));
}
template <class KpackType> inline KpackType atomicExch(KpackType *kpack_at, KpackType kpack_x) {
  return kpack_jit_exchange(kpack_at, kpack_x);
}
template <class KpackType> inline KpackType atomicCAS(KpackType *kpack_at, KpackType kpack_expected, KpackType kpack_x) {
  return kpack_jit_exchange(kpack_at, *kpack_at == kpack_expected ? kpack_x : *kpack_at);
}
)";

static constexpr char CpuHalfHeader[] = R"(#pragma once
using __half = _Float16;
using half = _Float16;
inline float __half2float(__half kpack_x) { return (float)kpack_x; }
inline __half __float2half(float kpack_x) { return (__half)kpack_x; }
)";

static constexpr char Gpu[] = R"(#define KPACK_JIT_FN __device__
#undef __global__
#define __global__ inline __device__ __attribute__((__always_inline__))
#undef __launch_bounds__
#define __launch_bounds__(...)
template <int KpackN> struct kpack_jit_sizes {
  long long kpack_value[KpackN];
  KPACK_JIT_FN long long operator[](int kpack_i) const { return kpack_value[kpack_i]; }
};
)";

/// Each thread writes the same value before it reads.
static constexpr char GpuGrid[] = R"(struct kpack_jit_extents {
  unsigned x, y, z;
};
static __shared__ kpack_jit_extents kpack_jit_grid;
#define gridDim kpack_jit_grid
)";

/// Arguments that fit parameters of several types.
static constexpr char Arguments[] = R"(
#define kpack_jit_if(...) int = sizeof(char[(__VA_ARGS__) ? 1 : -1])
// A size with this many bits: any integer that has them.
template <int KpackBits> struct kpack_jit_size_of_bits {
  long long kpack_value;
  template <class KpackType, kpack_jit_if(__is_integral(KpackType) && !__is_same(KpackType, bool) &&
                                  (int)sizeof(KpackType) * 8 - (KpackType(-1) < KpackType(0)) >= KpackBits)>
  KPACK_JIT_FN operator KpackType() const { return (KpackType)kpack_value; }
};
// One that may be below 0; the sign is one of the bits.
template <int KpackBits> struct kpack_jit_signed_size_of_bits {
  long long kpack_value;
  template <class KpackType, kpack_jit_if(__is_integral(KpackType) && KpackType(-1) < KpackType(0) &&
                                  (int)sizeof(KpackType) * 8 >= KpackBits)>
  KPACK_JIT_FN operator KpackType() const { return (KpackType)kpack_value; }
};
template <bool KpackIsConst> struct kpack_jit_int64_pointer {
  void *kpack_value;
  template <class KpackType, kpack_jit_if(__is_integral(KpackType) && sizeof(KpackType) == 8 &&
                                  KpackType(-1) < KpackType(0) && (!KpackIsConst || __is_const(KpackType)))>
  KPACK_JIT_FN operator KpackType *() const { return (KpackType *)kpack_value; }
};
template <bool KpackIsConst> struct kpack_jit_float16_pointer {
  void *kpack_value;
  template <class KpackType, kpack_jit_if(
      sizeof(KpackType) == 2 && (!KpackIsConst || __is_const(KpackType)) &&
      (__is_class(KpackType) || __is_same(const KpackType, const _Float16) ||
       __is_same(const KpackType, const unsigned short)))>
  KPACK_JIT_FN operator KpackType *() const { return (KpackType *)kpack_value; }
};
template <bool KpackIsConst> struct kpack_jit_bfloat16_pointer {
  void *kpack_value;
  template <class KpackType, kpack_jit_if(
      sizeof(KpackType) == 2 && (!KpackIsConst || __is_const(KpackType)) &&
      !__is_same(const KpackType, const _Float16) &&
      (__is_class(KpackType) || __is_floating_point(KpackType) ||
       __is_same(const KpackType, const unsigned short)))>
  KPACK_JIT_FN operator KpackType *() const { return (KpackType *)kpack_value; }
};
#undef kpack_jit_if
#line 1
)";

static bool usesHipHeaders(const OpCustom &C) {
  auto Has = [](const std::string &Text) {
    return Text.find("hip/hip_") != std::string::npos;
  };
  return Has(C.Text) ||
         std::any_of(C.Headers.begin(), C.Headers.end(),
                     [&](const auto &Header) { return Has(Header.second); });
}

static void addHeader(GraphUnit &Unit, const char *Name, const char *Text) {
  bool IsThere =
      std::any_of(Unit.Headers.begin(), Unit.Headers.end(),
                  [&](const auto &Header) { return Header.first == Name; });
  if (!IsThere)
    Unit.Headers.emplace_back(Name, Text);
}

GraphUnit jit::customUnit(const OpCustom &C, const LowerOptions &Options) {
  GraphUnit Unit{C.Name, {}, C.Headers};
  if (Options.Target == GraphTarget::Cpu) {
    Unit.Text = std::string(Cpu) + CpuMathematics;
    if (usesHipHeaders(C)) {
      addHeader(Unit, "hip/hip_runtime.h", CpuHipHeader);
      addHeader(Unit, "hip/hip_fp16.h", CpuHalfHeader);
    }
  } else {
    // Include this before its names are redefined.
    if (usesHipHeaders(C))
      Unit.Text = "#include <hip/hip_runtime.h>\n";
    Unit.Text += Gpu;
    if (Options.SizesInMemory)
      Unit.Text += GpuGrid;
  }
  // Skip a byte order mark, which is invalid inside a text.
  size_t Start = C.Text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
  Unit.Text += Arguments + C.Text.substr(Start) + "\n";
  // The following kernels use the attribute of this name.
  if (Options.Target != GraphTarget::Cpu)
    Unit.Text += "#undef global\n";
  return Unit;
}

//===----------------------------------------------------------------------===//
// Calls of user kernels
//===----------------------------------------------------------------------===//

static bool isWord(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

std::string jit::wordOfEntry(const std::string &Entry) {
  size_t End = std::min(Entry.find('<'), Entry.size());
  while (End > 0 && !isWord(Entry[End - 1]))
    --End;
  size_t Begin = End;
  while (Begin > 0 && isWord(Entry[Begin - 1]))
    --Begin;
  return Entry.substr(Begin, End - Begin);
}

namespace {

/// Writes a call.
class CallWriter {
public:
  CallWriter(const OpGraph &Graph, const OpNode &Node,
             const LowerOptions &Options)
      : Graph(Graph), Node(Node), How(Options),
        C(Graph.customs()[static_cast<size_t>(Node.Numbers[0])]) {}
  KernelText write();

private:
  std::string size(Dim D) {
    std::string Text = sizeOperand(D, Sizes);
    return D.isConstant() ? Text : "kpack_" + Text;
  }
  std::string sizeArgument(Dim D);
  std::string pointer(size_t Buffer, ElementType Type, bool IsConst);
  std::string call();
  std::string cpuBody(const std::string &Call);
  std::string gpuBody(const std::string &Call);
  std::string gpuArguments() const;
  ElementType typeOf(uint32_t Id) const { return Graph.node(Id).Type; }

  const OpGraph &Graph;
  const OpNode &Node;
  const LowerOptions &How;
  const OpCustom &C;
  std::vector<Dim> Sizes;
};

} // namespace

/// Returns a size as the user's kernel gets it: its parameter must have room
/// for all values of the size. There are only a few kinds, so that other bounds
/// rarely make another text.
std::string CallWriter::sizeArgument(Dim D) {
  if (D.isConstant())
    return "{" + std::to_string(D.lo()) + "ll}";
  bool IsSigned = D.lo() < 0;
  bool IsShort = D.lo() >= INT32_MIN && D.hi() <= INT32_MAX;
  return std::string("kpack_jit_") + (IsSigned ? "signed_" : "") +
         "size_of_bits<" + std::to_string((IsShort ? 31 : 63) + IsSigned) +
         ">{" + size(D) + "}";
}

std::string CallWriter::pointer(size_t Buffer, ElementType Type, bool IsConst) {
  std::string Plain = "kpack_b" + std::to_string(Buffer);
  constexpr const char *Wrapped[] = {nullptr, "float16", "bfloat16", nullptr,
                                     "int64", nullptr,   nullptr};
  if (const char *Name = Wrapped[static_cast<size_t>(Type)])
    return std::string("kpack_jit_") + Name + "_pointer<" +
           (IsConst ? "true" : "false") + ">{(void *)" + Plain + "}";
  return std::string("(") + (IsConst ? "const " : "") +
         KernelWriter::computeType(Type) + " *)" + Plain;
}

std::string CallWriter::call() {
  using Kind = OpCustom::Argument::Kind;
  std::string Text;
  for (const OpCustom::Argument &A : C.Arguments) {
    Text += Text.empty() ? "" : ", ";
    if (A.What == Kind::Result)
      Text += pointer(A.Which, C.Results[A.Which].Type, false);
    else if (A.What == Kind::Operand)
      Text += pointer(C.Results.size() + A.Which,
                      typeOf(Node.Operands[A.Which]), true);
    else if (A.What == Kind::Size)
      Text += sizeArgument(Node.Dims[3 + A.Which]);
    else
      Text += "{" + A.Literal + "}";
  }
  return C.Entry + "(" + Text + ");\n";
}

/// Returns "gridDim.x = (unsigned)(4);".
static std::string setOne(const char *Index, size_t Way,
                          const std::string &Value) {
  return std::string(Index) + "." + "xyz"[Way] + " = (unsigned)(" + Value +
         ");\n";
}

/// Reads loop invariants before the loops, and sets indices one by one when
/// they change, so that the compiler vectorises over threads.
std::string CallWriter::cpuBody(const std::string &Call) {
  std::string Grid[3], Text;
  for (size_t I = 0; I < 3; ++I)
    Grid[I] = size(Node.Dims[I]);
  for (size_t I = 0; I < C.Results.size() + Node.Operands.size(); ++I) {
    std::string Ordinal = std::to_string(I);
    Text += "void *kpack_b" + Ordinal + " = kpack_b[" + Ordinal + "];\n";
  }
  for (size_t I = 0; I < Sizes.size(); ++I)
    Text += (I ? ", kpack_sizes[" : "long long kpack_n[] = {kpack_sizes[") +
            std::to_string(I) + "]";
  Text += Sizes.empty() ? "" : "};\n";
  for (size_t I = 0; I < 3; ++I)
    Text += setOne("gridDim", I, Grid[I]) +
            setOne("blockDim", I, std::to_string(C.Block[I]));
  bool IsLine = Grid[1] == "1" && Grid[2] == "1";
  std::string Row = "kpack_block / " + Grid[0];
  std::string Blocks[] = {IsLine ? "kpack_block" : "kpack_block % " + Grid[0],
                          IsLine ? "0" : Row + " % " + Grid[1],
                          IsLine ? "0" : Row + " / " + Grid[1]};
  Text += "for (long long kpack_block = kpack_first; kpack_block < "
          "kpack_last; ++kpack_block) {\n";
  for (size_t I = 0; I < 3; ++I)
    Text += setOne("blockIdx", I, Blocks[I]);
  std::string Ends = "}\n";
  for (size_t I = 3; I-- > 0;) {
    std::string Way = std::string("kpack_") + "xyz"[I];
    bool IsOne = C.Block[I] == 1;
    if (!IsOne)
      Text += "for (unsigned " + Way + " = 0; " + Way + " < " +
              std::to_string(C.Block[I]) + "; ++" + Way + ") {\n";
    Text += setOne("threadIdx", I, IsOne ? "0" : Way);
    Ends += IsOne ? "" : "}\n";
  }
  return Text + Call + Ends;
}

/// Blocks outside of the call's grid end at once.
std::string CallWriter::gpuBody(const std::string &Call) {
  if (!How.SizesInMemory)
    return Call;
  std::string Text, Extents;
  for (size_t I = 0; I < 3; ++I) {
    std::string Way(1, "xyz"[I]);
    if (!Node.Dims[I].isConstant() || Node.Dims[I].lo() == 0)
      Text +=
          "if (blockIdx." + Way + " >= " + size(Node.Dims[I]) + ")\nreturn;\n";
    Extents +=
        "kpack_jit_grid." + Way + " = (unsigned)" + size(Node.Dims[I]) + ";\n";
  }
  return Text + Extents + Call;
}

std::string CallWriter::gpuArguments() const {
  std::string Text;
  for (size_t I = 0; I < C.Results.size() + Node.Operands.size(); ++I)
    Text += std::string(I ? ", " : "") +
            (I < C.Results.size() ? "" : "const ") + "void *" +
            (I < C.Results.size() ? "__restrict__ kpack_b" : "kpack_b") +
            std::to_string(I);
  if (How.SizesInMemory)
    return Text + ", const long long *kpack_n";
  if (!Sizes.empty())
    Text += ", kpack_jit_sizes<" + std::to_string(Sizes.size()) + "> kpack_n";
  return Text;
}

KernelText CallWriter::write() {
  KernelText Kernel;
  bool IsCpu = How.Target == GraphTarget::Cpu;
  Kernel.Block = C.Block[0] * C.Block[1] * C.Block[2];
  std::string Threads = std::to_string(Kernel.Block);
  std::string Call = call();
  std::string Body = IsCpu ? cpuBody(Call) : gpuBody(Call);
  Kernel.Head = IsCpu ? "extern \"C\" void "
                      : "extern \"C\" __attribute__((global, "
                        "amdgpu_flat_work_group_size(" +
                            Threads + ", " + Threads + "))) void ";
  Kernel.Tail = "(" +
                (IsCpu ? "void *const *kpack_b, const long long *kpack_sizes, "
                         "long long kpack_first, long long kpack_last"
                       : gpuArguments()) +
                ") {\n" + Body + "}\n";
  Kernel.Sizes = Sizes;
  Kernel.Rows = Node.Dims[0] * Node.Dims[1] * Node.Dims[2];
  Kernel.Blocks = Node.Dims[0];
  Kernel.Operations = "kernel '" + C.Entry + "'";
  Kernel.Where = Node.Where;
  return Kernel;
}

KernelText jit::writeCustomKernel(const OpGraph &Graph, const OpNode &Node,
                                  const LowerOptions &Options) {
  return CallWriter(Graph, Node, Options).write();
}
