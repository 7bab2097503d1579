//===- Instance.cpp - run-time support of compiled-in kernels -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches of instances need the device's processor, and messages for failures.
// HIP is the runtime that the process has loaded; the executor knows it
// (kpack/kpack_jit.h).
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/InstanceLaunch.h"

#include "kpack/kpack_jit.h"

using namespace kpack;
using namespace kpack::conv;

Result<std::string> conv::currentProcessor() {
  char Id[128] = {};
  if (kpack_jit_device_target(-1, Id, sizeof(Id)) != KPACK_JIT_SUCCESS)
    return Status(StatusCode::IoError,
                  std::string("device: ") + kpack_jit_last_error(),
                  Errc::NoDevice);
  std::string_view Name = Id;
  return std::string(Name.substr(0, Name.find(':')));
}

Status conv::detail::noKernelFor(std::string_view Processor) {
  return Status(StatusCode::ArchNotFound,
                std::string(Processor) +
                    ": the instance has no kernel for it; its values are "
                    "not valid there, or the processor is not known",
                Errc::WrongIsa);
}

Status conv::detail::launchFailed(int Code) {
  return Status(StatusCode::IoError,
                "launch: HIP's error " + std::to_string(Code) +
                    "; the program may not be compiled for this device",
                Errc::LaunchFailed);
}
