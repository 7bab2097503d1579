//===- SoftGpu/SoftGpuBackend.h - backend for an emulated GPU ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements Backend.h with the emulated GPU, without ROCm: for tests and tools
// on machines without a GPU, or without the one in question. It finds errors
// that hardware does not report: accesses outside of a tensor, reads of
// uninitialised LDS, unaligned addresses.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_SOFTGPU_SOFTGPUBACKEND_H
#define KPACK_CONVBUILDER_SOFTGPU_SOFTGPUBACKEND_H

#include "kpack/ConvBuilder/Backend.h"

namespace kpack::conv {

/// Makes a backend. \p Processor is gfx90a, gfx942, gfx1030, gfx1100, gfx1201
/// or a relative of theirs. \p Threads is the number of host threads; 0 is one
/// for each core. Errors: InvalidArgument for an unknown processor.
Result<std::unique_ptr<Backend>> makeSoftGpuBackend(std::string_view Processor,
                                                    unsigned Threads = 0);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_SOFTGPU_SOFTGPUBACKEND_H
