//===- Cache/PchSafety.h - sources that only name variants ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Templates that a sibling's kernel has instantiated (PchInstantiations.h) are
// as the headers alone make them. A source with a partial specialisation, or an
// overload that they would have found, makes others of them, and no compiler
// complains. So such instantiations are only for sources that cannot do that,
// as a look at their declarations tells; generated blobs are like this.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CACHE_PCHSAFETY_H
#define KPACK_JIT_EXECUTOR_CACHE_PCHSAFETY_H

#include <string_view>

namespace kpack::jit {

/// Whether \p Source, the part after the includes, has nothing but aliases,
/// assertions, namespaces without a name, full specialisations of functions and
/// variables, and headers of the C++ library. A full specialisation that comes
/// too late is an error, which the compiler tells. False also for what is not
/// understood.
bool isSafeForSharedInstantiations(std::string_view Source);

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_CACHE_PCHSAFETY_H
