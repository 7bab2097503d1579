//===- PchInstantiations.h - what siblings instantiate ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most of what a blob's kernel instantiates, its siblings' kernels do too. A
// precompiled header that has those instantiations must not have the kernel: it
// would be emitted into every object. So the header's kernel template is copied
// under another name as an inline device function, and the copy is
// instantiated with a sibling's arguments: all that it calls is there, and
// nothing of it is emitted where nobody calls it. Nothing of the sibling's
// source is in the header but the arguments, which are written in full.
//
// Which header that is: Pch.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_PCHINSTANTIATIONS_H
#define KPACK_LIB_JIT_HELPER_PCHINSTANTIATIONS_H

#include "Jit/Helper/CompileHelper.h"

#include <string>
#include <string_view>
#include <vector>

namespace kpack::jit {

/// The mangled name of the kernel that this line of LLVM IR defines; empty for
/// every other line.
std::string kernelOfIrLine(std::string_view Line);

/// Source text that instantiates copies of the kernel templates that
/// \p Preprocessed defines, with the arguments of \p Kernels (mangled names).
/// Empty when there are none, or none is understood. It need not compile.
std::string kernelInstantiations(std::string_view Preprocessed,
                                 const std::vector<std::string> &Kernels,
                                 Demangler Demangle);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_PCHINSTANTIATIONS_H
