//===- Devices.h - where the verbs run kernels ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --on= may name, as backends: one line in Devices.cpp for each.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_DEVICES_H
#define KPACK_LIB_CONVBUILDER_TOOL_DEVICES_H

#include "ToolSupport/Session.h"
#include "kpack/ConvBuilder/Backend.h"
#include "kpack/ConvBuilder/Reference.h"
#include "llvm/Support/Error.h"

namespace kpack::conv {

/// "cpu"; "hip", the GPU of the process; or "softgpu:" and a processor.
llvm::Expected<std::unique_ptr<Backend>> backendOf(llvm::StringRef Device);

/// Reports what a kernel could not be made or run for: after the first line of
/// the message are those of a compiler.
void reportKernel(Session &S, llvm::Error E);

/// What FP8 and BF8 are there.
Fp8Form fp8FormOf(const Backend &On);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_DEVICES_H
