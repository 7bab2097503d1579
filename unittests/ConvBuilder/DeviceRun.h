//===- DeviceRun.h - convolutions on CPU or emulated GPUs -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tests and the acceptance program share: a backend by the name of its
// processor, and a case from its tensors to its result. Sibling: DeviceCase.h,
// the same as assertions of a test.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_DEVICERUN_H
#define KPACK_UNITTESTS_CONVBUILDER_DEVICERUN_H

#include "ConvCase.h"
#include "TestCache.h"

#include "ConvBuilder/SoftGpu/SoftGpuBackend.h"

namespace kpack::conv {

inline Result<std::unique_ptr<Backend>>
makeBackend(const std::string &Processor) {
  if (Processor == CpuProcessor)
    return makeCpuBackend();
  return makeSoftGpuBackend(Processor);
}

/// The result of \p Kernel for \p Case. Errors: of loading and launching.
inline Result<TensorBytes> runOn(Backend &On, const ConvKernel &Kernel,
                                 const ConvCase &Case) {
  std::vector<TensorBytes> Memory = Case.Memory;
  if (Status Done =
          callOnce(On, Kernel, Case.Sig, Case.P, Case.Numbers, Memory);
      !Done.ok())
    return Done;
  return std::move(Memory[Case.result()]);
}

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_DEVICERUN_H
