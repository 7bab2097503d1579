//===- InstanceLaunch.h - launches of compiled-in instances -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Run-time values of launches of instances (Instance.h): the grid, the
// argument, the launch function, and the device's processor.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_INSTANCELAUNCH_H
#define KPACK_CONVBUILDER_INSTANCELAUNCH_H

#include "kpack/ConvBuilder/AotRecords.h"
#include "kpack/ConvBuilder/Launch.h"

namespace kpack::conv {

/// A launch that is ready, with its launch function.
struct InstanceLaunch {
  KernelLaunch Shape;
  AotLaunch *Function = nullptr;

  /// Sets other tensors and numbers for the same problem. Allocates nothing.
  void setArgs(const Args &With) { Shape.setArgs(With); }
};

/// Returns the processor of the calling thread's current device, without
/// features. Errors: detail() NoDevice.
Result<std::string> currentProcessor();

namespace detail {

/// Return the errors of a device without a kernel, and of a launch that HIP
/// refused.
Status noKernelFor(std::string_view Processor);
Status launchFailed(int Code);

inline Status runLaunch(const InstanceLaunch &Launch, void *Stream) {
  // HIP takes a non-const pointer, but only reads from it.
  void *Bytes = const_cast<std::byte *>(Launch.Shape.Arguments.data());
  for (const LaunchStep &Step : Launch.Shape.Steps)
    if (int Code =
            Launch.Function(static_cast<int>(Step.Which), Step.Grid.data(),
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
