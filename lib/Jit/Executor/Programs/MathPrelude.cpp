//===- MathPrelude.cpp - mathematical functions for kernels ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that includes no header has no device library: LLVM rejects "expf"
// for NVIDIA GPUs, and some functions for AMD GPUs. This file defines functions
// that take a few instructions, by the GPU's approximation of 2^x where there
// is nothing better, and by series where that is not accurate enough.
// docs/reference/jit-executor.md has the accuracy.
//
// The functions are templates, so that a text's function of the same name is
// preferred, and are in a separate namespace, so that they do not redefine it.
// A text gets only those that it calls.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/MathPrelude.h"

#include <algorithm>
#include <cctype>

using namespace kpack;
using namespace kpack::jit;

/// With x = n ln 2 + r, e^x is 2^n 2^(r / ln 2); the instruction is accurate
/// enough for small arguments. 2^n is a product of two factors, so that each is
/// a normal number. NaN and infinity propagate through r.
static constexpr char NvidiaCore[] = R"(
namespace kpack_jit_math {
__device__ inline float power(int n) {
  return __builtin_bit_cast(float, (n + 127) << 23);
}
__device__ inline float exp_of(float x) {
  float n = __builtin_rintf(x * 0x1.715476p+0f);
  n = __builtin_fmaxf(__builtin_fminf(n, 130.0f), -152.0f);
  float r = __builtin_fmaf(n, -0x1.62e43p-1f, x);
  r = __builtin_fmaf(n, 0x1.05c61p-29f, r);
  int whole = int(n), half = whole / 2;
  return __nvvm_ex2_approx_f(r * 0x1.715476p+0f) * power(half) *
         power(whole - half);
}
// log x = n log 2 + log m, sqrt(1/2) <= m < sqrt(2); s = (m - 1) / (m + 1).
__device__ inline float log_of(float x, float &n) {
  bool is_small = x < 0x1p-126f;
  int bits = __builtin_bit_cast(int, is_small ? x * 0x1p+23f : x);
  int whole = (bits - 0x3f3504f3) >> 23;
  float m = __builtin_bit_cast(float, bits - (whole << 23));
  n = float(is_small ? whole - 23 : whole);
  float s = (m - 1) / (m + 1), t = s * s;
  float p = t * (1 / 3.0f + t * (1 / 5.0f + t * (1 / 7.0f + t / 9.0f)));
  return __builtin_fmaf(2 * s, p, 2 * s);
}
__device__ inline bool has_log(float x) {
  return x > 0 && x < __builtin_inff();
}
__device__ inline float no_log(float x) {
  return x == 0 ? -__builtin_inff() : x > 0 ? x : __builtin_nanf("");
}
__device__ inline float log_of(float x) {
  if (!has_log(x))
    return no_log(x);
  float n, m = log_of(x, n);
  return __builtin_fmaf(n, 0x1.62e43p-1f,
                        __builtin_fmaf(n, -0x1.05c61p-29f, m));
}
__device__ inline float log2_of(float x) {
  if (!has_log(x))
    return no_log(x);
  float n, m = log_of(x, n);
  return __builtin_fmaf(m, 0x1.715476p+0f, n);
}
__device__ inline float fast_exp2(float x) { return __nvvm_ex2_approx_f(x); }
__device__ inline float exp2_of(float x) { return __nvvm_ex2_approx_f(x); }
__device__ inline float fast_log2(float x) { return __nvvm_lg2_approx_f(x); }
__device__ inline float fast_sin(float x) { return __nvvm_sin_approx_f(x); }
__device__ inline float fast_cos(float x) { return __nvvm_cos_approx_f(x); }
__device__ inline float fast_rsqrt(float x) {
  return __nvvm_rsqrt_approx_f(x);
}
}
)";

/// The AMDGPU backend has all of these except rsqrt.
static constexpr char AmdCore[] = R"(
namespace kpack_jit_math {
__device__ inline float exp_of(float x) { return __builtin_expf(x); }
__device__ inline float log_of(float x) { return __builtin_logf(x); }
__device__ inline float log2_of(float x) { return __builtin_log2f(x); }
__device__ inline float exp2_of(float x) { return __builtin_exp2f(x); }
__device__ inline float fast_exp2(float x) { return __builtin_exp2f(x); }
__device__ inline float fast_log2(float x) { return __builtin_log2f(x); }
__device__ inline float fast_sin(float x) { return __builtin_sinf(x); }
__device__ inline float fast_cos(float x) { return __builtin_cosf(x); }
__device__ inline float fast_rsqrt(float x) {
  return 1 / __builtin_sqrtf(x);
}
}
)";

/// With x = n pi / 2 + r, the sine of x is the sine or the cosine of r, with a
/// sign; pi / 2 is split into three numbers. Sine, cosine, and tanh near 0 are
/// series.
static constexpr char SharedCore[] = R"(
namespace kpack_jit_math {
__device__ inline float sine(float x, int quarter) {
  float n = __builtin_rintf(x * 0x1.45f306p-1f);
  float r = __builtin_fmaf(n, -0x1.921fb6p+0f, x);
  r = __builtin_fmaf(n, 0x1.777a5cp-25f, r);
  r = __builtin_fmaf(n, 0x1.ee59dap-50f, r);
  n = __builtin_fmaxf(__builtin_fminf(n, 0x1p+30f), -0x1p+30f);
  int turn = int(n) + quarter;
  float t = r * r, y;
  if (turn & 1)
    y = 1 + t * (-0.5f + t * (1 / 24.0f + t * (-1 / 720.0f + t * (1 / 40320.0f -
        t * (1 / 3628800.0f)))));
  else
    y = r + r * t * (-1 / 6.0f + t * (1 / 120.0f + t * (-1 / 5040.0f +
        t * (1 / 362880.0f))));
  return turn & 2 ? -y : y;
}
__device__ inline float sin_of(float x) { return x == 0 ? x : sine(x, 0); }
__device__ inline float cos_of(float x) { return sine(x, 1); }
__device__ inline float tanh_of(float x) {
  float size = __builtin_fabsf(x), t = x * x;
  if (size < 0.25f)
    return x + x * t * (-1 / 3.0f + t * (2 / 15.0f + t * (-17 / 315.0f +
           t * (62 / 2835.0f - t * (1382 / 155925.0f)))));
  size = size > 20 ? 20 : size; // no infinity, for -ffast-math
  return __builtin_copysignf(1 - 2 / (exp_of(2 * size) + 1), x);
}
}
)";

namespace {

/// A function of one float; Name lacks the suffix "f".
struct OfFloat {
  std::string_view Name;
  const char *Value;
};

} // namespace

/// Defined as "expf", and as "exp" of a float, with the same value.
static constexpr OfFloat Functions[] = {
    {"exp", "kpack_jit_math::exp_of(x)"},
    {"exp2", "kpack_jit_math::exp2_of(x)"},
    {"log", "kpack_jit_math::log_of(x)"},
    {"log2", "kpack_jit_math::log2_of(x)"},
    {"log10", "kpack_jit_math::log_of(x) * 0x1.bcb7b2p-2f"},
    {"sin", "kpack_jit_math::sin_of(x)"},
    {"cos", "kpack_jit_math::cos_of(x)"},
    {"tan", "kpack_jit_math::sin_of(x) / kpack_jit_math::cos_of(x)"},
    {"tanh", "kpack_jit_math::tanh_of(x)"},
    {"rsqrt", "kpack_jit_math::fast_rsqrt(x)"},
};

/// Functions that code generators also have for doubles.
static constexpr std::string_view Plain[] = {"sqrt",  "fabs", "floor", "ceil",
                                             "trunc", "rint", "round"};
static constexpr std::string_view PlainOfTwo[] = {"fmin", "fmax", "copysign"};

/// The fast functions of CUDA and HIP.
static constexpr std::pair<std::string_view, const char *> Fast[] = {
    {"__expf", "(float x) {"
               " return kpack_jit_math::fast_exp2(x * 0x1.715476p+0f); }"},
    {"__logf", "(float x) {"
               " return kpack_jit_math::fast_log2(x) * 0x1.62e43p-1f; }"},
    {"__log2f", "(float x) { return kpack_jit_math::fast_log2(x); }"},
    {"__log10f", "(float x) {"
                 " return kpack_jit_math::fast_log2(x) * 0x1.344136p-2f; }"},
    {"__sinf", "(float x) { return kpack_jit_math::fast_sin(x); }"},
    {"__cosf", "(float x) { return kpack_jit_math::fast_cos(x); }"},
    {"__powf", "(float x, float y) { return"
               " kpack_jit_math::fast_exp2(y * kpack_jit_math::fast_log2(x));"
               " }"},
    {"__fdividef", "(float x, float y) { return x / y; }"},
};

/// Functions without a good short form; the device library has them.
static constexpr std::string_view None[] = {
    "powf",    "pow",    "erff",  "erf",  "erfcf", "erfc", "tgammaf", "tgamma",
    "lgammaf", "lgamma", "asinf", "asin", "acosf", "acos", "atanf",   "atan",
    "atan2f",  "atan2",  "sinhf", "sinh", "coshf", "cosh", "expm1f",  "expm1",
    "log1pf",  "log1p",  "cbrtf", "cbrt", "fmodf", "fmod", "hypotf",  "hypot"};

/// Builtins that LLVM cannot lower for NVIDIA GPUs.
static constexpr std::string_view Builtins[] = {"exp", "log", "log2", "log10",
                                                "sin", "cos", "tan",  "tanh"};

static bool isOfWord(char C) {
  return std::isalnum((unsigned char)C) || C == '_';
}

/// Returns true if \p Text has "Name(" that is no member and has no namespace.
static bool calls(const std::string &Text, std::string_view Name) {
  for (size_t Offset = 0;
       (Offset = Text.find(Name, Offset)) != std::string::npos; ++Offset) {
    size_t End = Text.find_first_not_of(" \t\n", Offset + Name.size());
    char Before = Offset ? Text[Offset - 1] : ' ';
    if (End != std::string::npos && Text[End] == '(' && !isOfWord(Before) &&
        Before != '.' && Before != '>')
      return true;
  }
  return false;
}

static constexpr char Template[] = "template <class = void> __device__ inline ";

static std::string textOf(const OfFloat &F, const std::string &Name) {
  return Template + ("float " + Name) + "(float x) { return " + F.Value +
         "; }\n";
}

static std::string deleted(const std::string &Name, const char *Arguments,
                           const std::string &Why) {
  return Template + ("auto " + Name) + Arguments + " = delete(\"" + Why +
         "\");\n";
}

/// Defines "sqrtf" or "sqrt" by a builtin.
static std::string plain(std::string_view Name, const char *Parameters,
                         const char *Arguments, bool OfDoubles) {
  std::string Type = OfDoubles ? "double" : "float", Its(Name), All;
  for (const char *P = Parameters; *P; ++P)
    All += *P == '$' ? Type : std::string(1, *P);
  return All + "{ return __builtin_" + Its + (OfDoubles ? "" : "f") +
         Arguments + "; }\n";
}

/// Replaces "__builtin_expf" by a macro whose function has a name that the
/// text's macros do not use.
static std::string defineBuiltin(const OfFloat &F) {
  std::string Name(F.Name);
  return "namespace kpack_jit_math {\n__device__ inline float kpack_jit_" +
         Name + "(float x) { return " + F.Value + "; }\n}\n#define __builtin_" +
         Name + "f(...) kpack_jit_math::kpack_jit_" + Name + "(__VA_ARGS__)\n";
}

std::string jit::mathPrelude(PreludeFor Gpu, const ProgramSource &Source) {
  auto Calls = [&](const std::string &Name) {
    return calls(Source.Text, Name) ||
           std::any_of(
               Source.Headers.begin(), Source.Headers.end(),
               [&](const MemoryFile &H) { return calls(H.Text, Name); });
  };
  std::string Text, After;
  auto AddPlain = [&](std::string_view Name, const char *Parameters,
                      const char *Arguments) {
    std::string Both(Name);
    if (Calls(Both + "f"))
      Text += Template + ("float " + Both + "f") +
              plain(Name, Parameters, Arguments, false);
    if (Calls(Both))
      for (bool OfDoubles : {false, true})
        Text += Template + ((OfDoubles ? "double " : "float ") + Both) +
                plain(Name, Parameters, Arguments, OfDoubles);
  };
  for (const OfFloat &F : Functions) {
    std::string Name(F.Name);
    if (Calls(Name + "f"))
      Text += textOf(F, Name + "f");
    if (Calls(Name))
      Text += textOf(F, Name) +
              deleted(Name, "(double)",
                      "of a double it is in a device library, which a text "
                      "without HIP's header has not; take a float");
  }
  for (std::string_view Name : Plain)
    AddPlain(Name, "($ x) ", "(x)");
  for (std::string_view Name : PlainOfTwo)
    AddPlain(Name, "($ x, $ y) ", "(x, y)");
  AddPlain("fma", "($ x, $ y, $ z) ", "(x, y, z)");
  for (auto [Name, Rest] : Fast)
    if (Calls(std::string(Name)))
      Text += Template + ("float " + std::string(Name)) + Rest + "\n";
  for (std::string_view Name : None)
    if (Calls(std::string(Name)))
      Text += deleted(std::string(Name), "(double, double = 0)",
                      "it is in a device library, which a text without HIP's "
                      "header has not; define it in the text");
  if (Gpu == PreludeFor::Nvidia)
    for (std::string_view Name : Builtins)
      if (std::string Builtin = "__builtin_" + std::string(Name) + "f";
          Calls(Builtin))
        for (const OfFloat &F : Functions)
          if (F.Name == Name)
            After += defineBuiltin(F);
  if (Text.empty() && After.empty())
    return {};
  return "#line 1 \"kpack mathematics\"" +
         std::string(Gpu == PreludeFor::Nvidia ? NvidiaCore : AmdCore) +
         SharedCore + "#pragma clang diagnostic push\n" +
         "#pragma clang diagnostic ignored \"-Wc++26-extensions\"\n" +
         "namespace kpack_jit_functions {\n" + Text +
         "}\nusing namespace kpack_jit_functions;\n" +
         "#pragma clang diagnostic pop\n" + After;
}
