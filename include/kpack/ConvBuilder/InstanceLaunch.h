//===- kpack/ConvBuilder/InstanceLaunch.h - one that is ready ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What launches of instances (Instance.h) are beside constants: the grid and
// the argument together with the function that launches, and the device's
// processor.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_INSTANCELAUNCH_H
#define KPACK_CONVBUILDER_INSTANCELAUNCH_H

#include "kpack/ConvBuilder/AotRecords.h"
#include "kpack/ConvBuilder/Launch.h"

namespace kpack::conv {

/// A launch that is ready, and the function that does it.
struct InstanceLaunch {
  KernelLaunch Shape;
  AotLaunch *Function = nullptr;

  /// Other tensors and numbers for the same problem. Allocates nothing.
  void setArgs(const Args &With) { Shape.setArgs(With); }
};

/// The processor of the calling thread's current device, without features.
/// Errors: detail() NoDevice.
Result<std::string> currentProcessor();

namespace detail {

/// What is wrong with a device for which an instance has no kernel, and with a
/// launch that HIP has refused.
Status noKernelFor(std::string_view Processor);
Status launchFailed(int Code);

inline Status runLaunch(const InstanceLaunch &What, void *Stream) {
  // HIP takes what it only reads without const.
  void *Bytes = const_cast<std::byte *>(What.Shape.Arguments.data());
  for (const LaunchStep &Step : What.Shape.Steps)
    if (int Code = What.Function(static_cast<int>(Step.Which), Step.Grid.data(),
                                 Step.Block, Step.Lds, Bytes, Stream);
        Code != 0)
      return launchFailed(Code);
  return Status::success();
}

/// A kernel for one processor.
struct DeviceKernel {
  const Signature *Sig = nullptr;
  const Lowered *Made = nullptr;
  AotLaunch *Launch = nullptr;
};

} // namespace detail

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_INSTANCELAUNCH_H
