//===- kernel-nowhere.cpp - kernels where no GPU is -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked with no runtime of a GPU. ../kernel.test runs it.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Kernel.h"

using namespace kpack;

static void say(const char *What, const Status &Why) {
  std::printf("%s: %d %s\n", What, int(Why.detail()), Why.message().c_str());
}

int main() {
  jit::Source Nothing{.text = "__global__ void nothing() {}",
                      .entry = "nothing"};
  say("default", jit::compile_kernel<void()>(Nothing).status());
  auto Made = jit::compile_kernel<void()>(Nothing, {.target = "gfx90a"});
  say("launch", Made ? (*Made)({}) : Made.status());
}
