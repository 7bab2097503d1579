//===- PchInstantiations.h - template instances put into a PCH --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most instantiations of a blob's kernel are common to its siblings' kernels. A
// precompiled header with these instantiations must not contain the kernel,
// which would be emitted into every object. So the header's kernel template is
// copied under another name as an inline device function, and the copy is
// instantiated with a sibling's arguments: all functions that it calls are then
// there, and none is emitted without a caller. The header contains no part of
// the sibling's source except the arguments, which are fully qualified.
//
// Pch.h uses it for that header.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_HELPER_PCHINSTANTIATIONS_H
#define KPACK_LIB_JIT_HELPER_PCHINSTANTIATIONS_H

#include "Jit/Helper/CompileHelper.h"

#include <string>
#include <string_view>
#include <vector>

namespace kpack::jit {

/// Returns the mangled name of the kernel that this line of LLVM IR defines;
/// empty for every other line.
std::string kernelOfIrLine(std::string_view Line);

/// Returns source text that instantiates copies of the kernel templates in
/// \p Preprocessed with the arguments of \p Kernels (mangled names). Empty if
/// there are none that it can parse. The text may fail to compile.
std::string kernelInstantiations(std::string_view Preprocessed,
                                 const std::vector<std::string> &Kernels,
                                 Demangler Demangle);

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_HELPER_PCHINSTANTIATIONS_H
