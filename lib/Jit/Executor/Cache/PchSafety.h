//===- Cache/PchSafety.h - sources safe to compile with a PCH ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Templates that a sibling's kernel has instantiated (PchInstantiations.h) are
// as the headers alone define them. A source with a partial specialization, or
// an overload that they would have found, defines them differently, and no
// compiler reports that. So such instantiations are only for sources whose
// declarations cannot do that; generated blobs are like this.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_PCHSAFETY_H
#define KPACK_JIT_EXECUTOR_CACHE_PCHSAFETY_H

#include <string_view>

namespace kpack::jit {

/// Returns true if \p Source, the part after the includes, has only aliases,
/// assertions, unnamed namespaces, full specializations of functions and
/// variables, and headers of the C++ library. The compiler reports a full
/// specialization that comes too late. Returns false for unknown constructs.
bool isSafeForSharedInstantiations(std::string_view Source);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_PCHSAFETY_H
