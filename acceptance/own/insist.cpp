//===- insist.cpp - a kernel whose assert() fails -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP 5 and 6 end the process then, so it is a program of its own: commands.cpp
// reads what is said. HIP 7 returns an error, and the exit status is 3. With
// the argument "right" nothing fails.
//
//===----------------------------------------------------------------------===//
#include "kernels.h"

#include <cstdio>
#include <cstring>

int main(int Count, char **Words) {
  int Value = Count == 2 && std::strcmp(Words[1], "right") == 0 ? 42 : 43;
  void *Arguments[] = {&Value};
  if (hipLaunchKernel(own::insistKernel(), dim3(1), dim3(1), Arguments, 0,
                      nullptr) != hipSuccess)
    return 1;
  if (hipDeviceSynchronize() != hipSuccess)
    return 3;
  std::puts("right");
  return 0;
}
