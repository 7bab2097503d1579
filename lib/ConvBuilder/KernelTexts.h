//===- KernelTexts.h - the headers of kernels, as texts ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of include/kpack/ConvBuilder/kernels/, as the build found them.
// They are C++ for tests and for programs that have kernels compiled with them,
// and texts here, for those that are compiled late: one file for both.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_KERNELTEXTS_H
#define KPACK_LIB_CONVBUILDER_KERNELTEXTS_H

#include <span>

namespace kpack::conv {

struct KernelText {
  const char *Name; ///< as #include has it
  const char *Text;
};

std::span<const KernelText> kernelTexts();

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_KERNELTEXTS_H
