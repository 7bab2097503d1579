//===- CompileRoute.cpp - compile by server or by programs ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of the routes.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/CompileRoute.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::jit;

std::optional<CompileRoute> jit::parseCompileRoute(std::string_view Word) {
  if (Word == "fork")
    return CompileRoute::Fork;
  if (Word == "serve")
    return CompileRoute::Serve;
  return std::nullopt;
}

Result<CompileRoute> jit::routeFromEnvironment(CompileRoute Default) {
  const char *Word = ::secure_getenv("KPACK_JIT_ROUTE");
  if (!Word || !*Word)
    return Default;
  if (std::optional<CompileRoute> Route = parseCompileRoute(Word))
    return *Route;
  return Status(StatusCode::InvalidArgument, std::string("KPACK_JIT_ROUTE=") +
                                                 Word +
                                                 ": neither serve nor fork");
}
