//===- Jit/Service/CompileRoute.h - who does a compile ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both routes have the same outcome, so that a key does not say which it was.
// Serving pays for many small kernels; for the blobs of a library, which
// compile for seconds, it only takes memory.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_COMPILEROUTE_H
#define KPACK_JIT_SERVICE_COMPILEROUTE_H

#include "kpack/Support/Status.h"

#include <optional>
#include <string_view>

namespace kpack::jit {

enum class CompileRoute {
  Fork, ///< a helper, and the compiler's programs, for each compile
  Serve ///< `kpack-jit-compile --serve`, which stays; else as Fork
};

/// Of the words "fork" and "serve"; nothing for another.
std::optional<CompileRoute> compileRouteOf(std::string_view Word);

/// KPACK_JIT_ROUTE, \p Default where that is not set. Errors: InvalidArgument.
Result<CompileRoute> routeFromEnvironment(CompileRoute Default);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_COMPILEROUTE_H
