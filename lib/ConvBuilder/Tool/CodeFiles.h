//===- CodeFiles.h - kernels in files of a command line ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code objects, shared libraries for the CPU, entries of the compile cache
// (which are one of the two), and archives of them. Values, which are texts,
// are read by Values.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_CODEFILES_H
#define KPACK_LIB_CONVBUILDER_TOOL_CODEFILES_H

#include "kpack/ConvBuilder/CodeObject.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kpack::conv {

/// A kernel, and the file that it is in; of an archive with the entry.
struct FoundKernel {
  std::string Where;
  KernelTraits Kernel;
};

/// The kernels of the file that \p Word names, with or without '@'. Nothing: it
/// names no regular file that begins as one of code does. Of an archive,
/// entries without our kernels are passed over.
llvm::Expected<std::optional<std::vector<FoundKernel>>>
kernelsOf(llvm::StringRef Word);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_CODEFILES_H
