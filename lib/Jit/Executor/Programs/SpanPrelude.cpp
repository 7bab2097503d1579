//===- SpanPrelude.cpp - Span type for kernels without headers ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structure that programs pass: a pointer and a count, in this order. With
// KPACK_JIT_CHECK_SPANS, which Checks::Full sets, indices are checked. Every
// text with Spans names their namespace, and no other text gets this code.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/SpanPrelude.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

static constexpr char Spans[] = R"(#line 1 "kpack spans"
#if defined(__HIP__) || defined(__CUDA__)
#define kpack_jit_both __attribute__((host, device))
#else
#define kpack_jit_both
#endif
namespace kpack::jit {
template <class T> struct Span {
  using element_type = T;
  kpack_jit_both constexpr T *data() const { return first; }
  kpack_jit_both constexpr unsigned long size() const { return count; }
  kpack_jit_both constexpr bool empty() const { return count == 0; }
  kpack_jit_both constexpr T *begin() const { return first; }
  kpack_jit_both constexpr T *end() const { return first + count; }
  kpack_jit_both constexpr T &operator[](unsigned long at) const {
#ifdef KPACK_JIT_CHECK_SPANS
    if (at >= count)
      __builtin_verbose_trap("kpack", "an index is outside of its span");
#endif
    return first[at];
  }
  T *first;
  unsigned long count;
};
template <class T> struct RestrictSpan : Span<T> {};
} // namespace kpack::jit
#undef kpack_jit_both
)";

static bool names(const std::string &Text) {
  return Text.find("kpack::jit") != std::string::npos;
}

std::string jit::spanPrelude(const ProgramSource &Source) {
  bool IsNamed =
      names(Source.Text) ||
      std::any_of(Source.Headers.begin(), Source.Headers.end(),
                  [](const MemoryFile &H) { return names(H.Text); }) ||
      std::any_of(Source.Entries.begin(), Source.Entries.end(),
                  [](const UnitEntry &E) {
                    return names(E.Type) || names(E.Expression);
                  });
  return IsNamed ? Spans : std::string();
}
