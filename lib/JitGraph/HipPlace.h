//===- HipPlace.h - a device of the HIP runtime -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JITGRAPH_HIPPLACE_H
#define KPACK_LIB_JITGRAPH_HIPPLACE_H

#include "HipFunctions.h"

namespace kpack::jit {

/// Where everything happens.
struct HipPlace {
  HipFunctions F;
  int Device = 0;
};

/// The calling thread's device while this lives.
class OnDevice {
public:
  explicit OnDevice(const HipPlace &Place) : F(Place.F) {
    Failure = F.check(F.GetDevice(&Before), "device");
    if (!Failure.ok() || Before == Place.Device)
      return;
    Failure = F.check(F.SetDevice(Place.Device), "device");
    IsOther = Failure.ok();
  }
  ~OnDevice() {
    if (IsOther)
      F.SetDevice(Before);
  }
  OnDevice(const OnDevice &) = delete;

  /// Not success: it is the one that it was.
  const Status &status() const { return Failure; }

private:
  const HipFunctions &F;
  int Before = 0;
  bool IsOther = false;
  Status Failure;
};

} // namespace kpack::jit

#endif // KPACK_LIB_JITGRAPH_HIPPLACE_H
