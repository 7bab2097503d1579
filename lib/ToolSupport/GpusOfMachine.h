//===- ToolSupport/GpusOfMachine.h - GPUs of this machine -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the kernel driver's files, so no HIP runtime is needed:
// "gfx_target_version 90010" is gfx90a. They lack features (xnack, sramecc);
// callers that need these use the HSA runtime (Runtime/DeviceList.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_GPUSOFMACHINE_H
#define KPACK_TOOLSUPPORT_GPUSOFMACHINE_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack {

/// Returns the processors of this machine's GPUs, each once, sorted; empty if
/// there are none, or no driver. \p Topology is for tests.
std::vector<std::string>
gpusOfMachine(llvm::StringRef Topology = "/sys/class/kfd/kfd/topology/nodes");

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_GPUSOFMACHINE_H
