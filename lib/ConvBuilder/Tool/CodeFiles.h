//===- CodeFiles.h - kernels in files of a command line ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads code objects, shared libraries for the CPU, entries of the compile
// cache (which are one of the two), and archives of them. Values.h reads
// values, which are texts.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_CODEFILES_H
#define KPACK_LIB_CONVBUILDER_TOOL_CODEFILES_H

#include "kpack/ConvBuilder/CodeObject.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kpack::conv {

/// A kernel and its file; for an archive also the entry.
struct FoundKernel {
  std::string Where;
  KernelTraits Kernel;
};

/// Returns the kernels of the file that \p Word names, with or without '@';
/// nullopt if it names no regular file that begins like code. Entries of an
/// archive without our kernels are skipped.
llvm::Expected<std::optional<std::vector<FoundKernel>>>
getKernels(llvm::StringRef Word);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_CODEFILES_H
