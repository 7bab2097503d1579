//===- Backends.h - devices that --on= selects ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The backends for --on=, one line in Backends.cpp for each.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_BACKENDS_H
#define KPACK_LIB_CONVBUILDER_TOOL_BACKENDS_H

#include "ToolSupport/Session.h"
#include "kpack/ConvBuilder/Backend.h"
#include "kpack/ConvBuilder/Reference.h"
#include "llvm/Support/Error.h"

namespace kpack::conv {

/// Makes the backend "cpu"; "hip", the GPU of the process; or "softgpu:" and a
/// processor.
llvm::Expected<std::unique_ptr<Backend>> chooseBackend(llvm::StringRef Device);

/// Reports why a kernel could not be made or run. The lines after the first one
/// of the message are the compiler's.
void reportKernel(Session &S, llvm::Error E);

/// Returns the form of FP8 and BF8 on the device.
Fp8Form readFp8Form(const Backend &On);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_BACKENDS_H
