//===- ConvBuilder/SoftGpu/SoftGpuBackend.h - an emulated GPU ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend.h over the GPU that is a program, without a ROCm: for tests and
// tools, on machines that have no GPU, or not the one that is asked for. It
// finds what hardware would not tell: accesses outside of a tensor, reads of
// LDS that nobody has written, addresses that are not aligned.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_SOFTGPU_SOFTGPUBACKEND_H
#define KPACK_CONVBUILDER_SOFTGPU_SOFTGPUBACKEND_H

#include "kpack/ConvBuilder/Backend.h"

namespace kpack::conv {

/// \p Processor: gfx90a, gfx942, gfx1030, gfx1100, gfx1201 or a relative of
/// theirs. \p Threads: of this machine; 0: one a core. Errors: InvalidArgument,
/// there is no such GPU.
Result<std::unique_ptr<Backend>> makeSoftGpuBackend(std::string_view Processor,
                                                    unsigned Threads = 0);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_SOFTGPU_SOFTGPUBACKEND_H
