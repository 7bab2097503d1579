//===- Service/HostProcessor.h - features of this processor -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the facts that a compiler uses for "-march=native", without a compiler.
// They serve one check only: whether a list made for "native" is from such a
// processor. Keys hold the compiler's answer (CompileInputs.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_HOSTPROCESSOR_H
#define KPACK_JIT_SERVICE_HOSTPROCESSOR_H

#include <string>
#include <string_view>

namespace kpack::jit {

/// Returns model and features as bytes, the same on all cores of a processor.
std::string hostProcessor();

/// Returns true if a flag, or the text of a response file, makes a compiler
/// detect the processor: "-march=native" in any of its forms.
bool asksForProcessor(std::string_view Flags);

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_HOSTPROCESSOR_H
