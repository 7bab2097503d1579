//===- hip_modules.h - HIP's functions for modules, for this example ------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ../hip_subset.h lacks for a library that loads its kernels itself.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_EXAMPLES_HIP_MODULES_H
#define KPACK_EXAMPLES_HIP_MODULES_H

#include "../hip_subset.h"

typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;

/// Only the name of the architecture, where HIP's ABI has it.
struct hipDeviceProp_t {
  char Before[396];
  char gcnArchName[256];
  char Behind[4096];
};

extern "C" {
hipError_t hipGetDeviceProperties(hipDeviceProp_t *Properties, int Device);
hipError_t hipDeviceSynchronize();
hipError_t hipFree(void *Pointer);
hipError_t hipModuleLoadData(hipModule_t *Module, const void *Image);
hipError_t hipModuleUnload(hipModule_t Module);
hipError_t hipModuleGetFunction(hipFunction_t *Function, hipModule_t Module,
                                const char *Name);
hipError_t hipModuleLaunchKernel(hipFunction_t Function, unsigned GridX,
                                 unsigned GridY, unsigned GridZ,
                                 unsigned BlockX, unsigned BlockY,
                                 unsigned BlockZ, unsigned SharedBytes,
                                 hipStream_t Stream, void **Args, void **Extra);
}

#endif // KPACK_EXAMPLES_HIP_MODULES_H
