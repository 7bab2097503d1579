//===- KernelTexts.cpp - embedded texts of the kernel headers -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "KernelTexts.h"

using namespace kpack;
using namespace kpack::conv;

static constexpr KernelText Texts[] = {
// CMakeLists.txt generates this from the files.
#include "KernelTexts.inc"
};

std::span<const KernelText> conv::kernelTexts() { return Texts; }
