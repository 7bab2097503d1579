//===- CompileRoute.h - compile by server or by programs --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both routes give the same product, so the key does not hold the route. A
// server pays for many small kernels. The blobs of a library compile for
// seconds; for them a server only takes memory.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_COMPILEROUTE_H
#define KPACK_JIT_SERVICE_COMPILEROUTE_H

#include "kpack/Support/Status.h"

#include <optional>
#include <string_view>

namespace kpack::jit {

enum class CompileRoute {
  Fork, ///< a helper and the compiler's programs for each compile
  Serve ///< a resident `kpack-jit-compile --serve`, else as Fork
};

/// Parses "fork" or "serve"; nullopt for another word.
std::optional<CompileRoute> parseCompileRoute(std::string_view Word);

/// Reads KPACK_JIT_ROUTE; \p Default if it is not set. Errors: InvalidArgument.
Result<CompileRoute> routeFromEnvironment(CompileRoute Default);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_COMPILEROUTE_H
