//===- own.h - what the tests of HIP have in common -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs are linked once and run on every ROCm from 5.2 on, so they use
// the headers of HIP 5.2 and no structure that has changed since. A test looks
// at values: that a call has succeeded is not enough. What a ROCm itself has
// not got is skipped, with its word for that, by SUPPORTED().
//
// The kernels are in kernels.hip, the process that a test can have besides its
// own is Helper.h's.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ACCEPTANCE_OWN_H
#define KPACK_ACCEPTANCE_OWN_H

#include "kernels.h"

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <vector>

/// Ends the test as failed unless the call succeeds.
#define HIP(Call) ASSERT_EQ(hipError_t(Call), hipSuccess)

/// Ends it as skipped, too, where the ROCm says that it lacks this.
#define SUPPORTED(Call)                                                        \
  do {                                                                         \
    hipError_t Error = (Call);                                                 \
    if (Error == hipErrorNotSupported)                                         \
      GTEST_SKIP() << "hipErrorNotSupported: " #Call;                          \
    ASSERT_EQ(Error, hipSuccess) << #Call;                                     \
  } while (0)

/// For GoogleTest's messages.
inline void PrintTo(hipError_t Error, std::ostream *Out) {
  *Out << hipGetErrorName(Error) << " (" << int(Error) << ")";
}

namespace own {

/// A kernel's arguments have to be of exactly its parameters' types.
template <typename... Types>
hipError_t launchOn(hipStream_t Stream, const void *Kernel, dim3 Grid,
                    dim3 Block, Types... Values) {
  void *Arguments[] = {&Values...};
  return hipLaunchKernel(Kernel, Grid, Block, Arguments, 0, Stream);
}
template <typename... Types>
hipError_t launch(const void *Kernel, dim3 Grid, dim3 Block, Types... Values) {
  return launchOn(nullptr, Kernel, Grid, Block, Values...);
}

/// Adds on a stream.
inline hipError_t add(int *Data, int Value, int N, hipStream_t Stream = {}) {
  return launchOn(Stream, addKernel(), dim3((N + 63) / 64), dim3(64), Data,
                  Value, N);
}

/// What is in memory of a GPU, by a copy; a failure is of the test.
inline std::vector<int> contents(const int *Data, int N) {
  std::vector<int> Host(size_t(N), -1);
  EXPECT_EQ(hipMemcpy(Host.data(), Data, size_t(N) * sizeof(int),
                      hipMemcpyDeviceToHost),
            hipSuccess);
  return Host;
}

inline std::vector<int> all(int N, int Value) {
  return std::vector<int>(size_t(N), Value);
}

/// 0, 1, 2...
inline std::vector<int> ascending(int N, int First = 0) {
  std::vector<int> Numbers;
  for (int I = 0; I < N; ++I)
    Numbers.push_back(First + I);
  return Numbers;
}

/// An array on the current GPU, filled with one value.
class Array {
public:
  explicit Array(int N, int Value = 0) : N(N) {
    std::vector<int> Host = all(N, Value);
    EXPECT_EQ(hipMalloc(reinterpret_cast<void **>(&Data), bytes()), hipSuccess);
    EXPECT_EQ(hipMemcpy(Data, Host.data(), bytes(), hipMemcpyHostToDevice),
              hipSuccess);
  }
  ~Array() { EXPECT_EQ(hipFree(Data), hipSuccess); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;

  operator int *() const { return Data; }
  size_t bytes() const { return size_t(N) * sizeof(int); }
  std::vector<int> read() const { return contents(Data, N); }

private:
  int *Data = nullptr;
  int N;
};

/// A stream for the time of a test.
class Stream {
public:
  explicit Stream(unsigned Flags = hipStreamNonBlocking) {
    EXPECT_EQ(hipStreamCreateWithFlags(&Handle, Flags), hipSuccess);
  }
  ~Stream() { EXPECT_EQ(hipStreamDestroy(Handle), hipSuccess); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  operator hipStream_t() const { return Handle; }

private:
  hipStream_t Handle = nullptr;
};

/// As 50221153 for HIP 5.2.
inline int version() {
  int Version = 0;
  EXPECT_EQ(hipRuntimeGetVersion(&Version), hipSuccess);
  return Version;
}

} // namespace own

#endif // KPACK_ACCEPTANCE_OWN_H
