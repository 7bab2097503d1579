//===- Service/HostProcessor.h - the processor of this machine --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiler looks at for "-march=native", without a compiler: of use for
// one question only, whether a list that was made for "native" was made on such
// a processor. What goes into a key is the compiler's own answer
// (CompileInputs.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_HOSTPROCESSOR_H
#define KPACK_JIT_SERVICE_HOSTPROCESSOR_H

#include <string>
#include <string_view>

namespace kpack::jit {

/// Model and abilities, as bytes; the same on all cores of a processor.
std::string hostProcessor();

/// Whether a flag, or a file of flags, has a compiler ask which processor there
/// is: "-march=native" in any of its forms.
bool asksForProcessor(std::string_view Flags);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_HOSTPROCESSOR_H
