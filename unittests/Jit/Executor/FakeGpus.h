//===- FakeGpus.h - fake HIP and CUDA runtimes that log calls ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP and CUDA's driver, as far as the library calls them, in the test program
// itself: the library finds them as it finds a runtime that a program is linked
// with. Nothing runs; what is called is written down.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_JIT_EXECUTOR_FAKEGPUS_H
#define KPACK_UNITTESTS_JIT_EXECUTOR_FAKEGPUS_H

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

struct FakeGpus {
  std::mutex Lock;
  std::vector<std::string> HipTargets, CudaTargets;
  /// "load 0", "launch 0 <symbol> 2x1x1 64x1x1 0", "synchronize 1", ...
  std::vector<std::string> Calls;
  std::string Image, Arguments; ///< of the last load and launch
  std::vector<int> Longs;       ///< CUDA: first four bytes of each argument
  int LoadError = 0, LaunchError = 0, LastError = 0, SetDeviceError = 0;
  /// Memory of the devices: all else is the host's.
  std::map<uintptr_t, size_t> Allocations;
  std::map<int, int> ContextReferences; ///< of CUDA's handles
  /// Called once, by the first function that may take long.
  std::function<void()> Callback;
  std::list<std::string> Functions; ///< as long as the program

  static FakeGpus &get();
  void reset();
  void callBack();
  /// Start and size of what \p Address lies in; no bytes: nothing.
  std::pair<uintptr_t, size_t> getAllocation(const void *Address);
  /// How many calls begin so.
  int count(const std::string &Start);
};

/// The calling thread's current device of HIP.
int &fakeCurrentDevice();

#endif // KPACK_UNITTESTS_JIT_EXECUTOR_FAKEGPUS_H
