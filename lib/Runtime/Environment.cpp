//===- Environment.cpp - ROCM_KPACK_ variables ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Environment.h explains why this uses secure_getenv() and not getenv().
//
//===----------------------------------------------------------------------===//
#include "Runtime/Environment.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::runtime;

static std::string_view variable(const char *Name) {
  const char *Value = secure_getenv(Name);
  return Value ? Value : "";
}

/// True if the variable is not empty and does not start with a zero.
static bool flag(const char *Name) {
  std::string_view Value = variable(Name);
  return !Value.empty() && Value.front() != '0';
}

std::vector<std::string> runtime::splitPathList(std::string_view List,
                                                char Separator) {
  std::vector<std::string> Items;
  while (!List.empty()) {
    size_t End = List.find(Separator);
    if (std::string_view Item = List.substr(0, End); !Item.empty())
      Items.emplace_back(Item);
    List.remove_prefix(End == List.npos ? List.size() : End + 1);
  }
  return Items;
}

Environment Environment::read() {
  Environment Env;
  Env.Paths = splitPathList(variable("ROCM_KPACK_PATH"), ':');
  Env.PathPrefix = splitPathList(variable("ROCM_KPACK_PATH_PREFIX"), ':');
  Env.Disabled = flag("ROCM_KPACK_DISABLE");
  Env.Debug = flag("ROCM_KPACK_DEBUG");
  return Env;
}
