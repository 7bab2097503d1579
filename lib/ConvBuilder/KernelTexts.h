//===- KernelTexts.h - embedded texts of the kernel headers -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of include/kpack/ConvBuilder/kernels/ at build time. Tests and
// programs with compiled-in kernels include the same files as C++; kernels that
// are compiled at run time use these texts.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_KERNELTEXTS_H
#define KPACK_LIB_CONVBUILDER_KERNELTEXTS_H

#include <span>

namespace kpack::conv {

struct KernelText {
  const char *Name; ///< as in #include
  const char *Text;
};

std::span<const KernelText> kernelTexts();

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_KERNELTEXTS_H
