// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends the program at the first HIP error, naming the call.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

inline void checkHip(hipError_t Error, const char *Call) {
  if (Error == hipSuccess)
    return;
  std::fprintf(stderr, "%s: error %d (%s)\n", Call, int(Error),
               hipGetErrorString(Error));
  std::exit(1);
}
#define CHECK_HIP(CALL) checkHip(CALL, #CALL)
