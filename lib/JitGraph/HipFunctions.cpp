//===- HipFunctions.cpp - the HIP runtime of this process -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HipFunctions.h"

#include "kpack/JitGraph/GraphError.h"
#include "kpack/Support/RuntimeLibrary.h"

#include <dlfcn.h>

using namespace kpack;
using namespace kpack::jit;

Result<HipFunctions> HipFunctions::find() {
  void *Library = findLibrary("hipModuleLaunchKernel", "libamdhip64.so",
                              {"libamdhip64.so.7", "libamdhip64.so.6",
                               "libamdhip64.so.5", "libamdhip64.so"});
  if (!Library)
    return graphFailure(GraphErrc::Device,
                        "HIP: libamdhip64.so is not in this process and cannot "
                        "be loaded; install ROCm or link with it",
                        StatusCode::FileNotFound);
  HipFunctions F;
  std::string Missing;
  auto Take = [&](auto &To, const char *Name) {
    To = reinterpret_cast<std::remove_reference_t<decltype(To)>>(
        ::dlsym(Library, Name));
    if (!To && Missing.empty())
      Missing = Name;
  };
  Take(F.GetDevice, "hipGetDevice");
  Take(F.SetDevice, "hipSetDevice");
  Take(F.Malloc, "hipMalloc");
  Take(F.Free, "hipFree");
  Take(F.HostMalloc, "hipHostMalloc");
  Take(F.HostFree, "hipHostFree");
  Take(F.Memset, "hipMemset");
  Take(F.Memcpy, "hipMemcpy");
  Take(F.MemcpyAsync, "hipMemcpyAsync");
  Take(F.PointerGetAttributes, "hipPointerGetAttributes");
  Take(F.GetLastError, "hipGetLastError");
  Take(F.StreamCreate, "hipStreamCreate");
  Take(F.StreamDestroy, "hipStreamDestroy");
  Take(F.StreamSynchronize, "hipStreamSynchronize");
  Take(F.StreamWaitEvent, "hipStreamWaitEvent");
  Take(F.EventCreate, "hipEventCreateWithFlags");
  Take(F.EventDestroy, "hipEventDestroy");
  Take(F.EventRecord, "hipEventRecord");
  Take(F.EventQuery, "hipEventQuery");
  Take(F.EventSynchronize, "hipEventSynchronize");
  Take(F.LaunchKernel, "hipModuleLaunchKernel");
  Take(F.GraphCreate, "hipGraphCreate");
  Take(F.GraphDestroy, "hipGraphDestroy");
  Take(F.GraphAddKernelNode, "hipGraphAddKernelNode");
  Take(F.GraphInstantiate, "hipGraphInstantiate");
  Take(F.GraphExecDestroy, "hipGraphExecDestroy");
  Take(F.GraphExecKernelNodeSetParams, "hipGraphExecKernelNodeSetParams");
  Take(F.GraphLaunch, "hipGraphLaunch");
  Take(F.GetErrorName, "hipGetErrorName");
  if (!Missing.empty())
    return graphFailure(GraphErrc::Device,
                        "HIP: it has no " + Missing +
                            "; ROCm 5.2 and later have it",
                        StatusCode::NotImplemented);
  return F;
}

Status HipFunctions::check(int Code, const char *What) const {
  if (Code == 0)
    return Status::success();
  const char *Name = GetErrorName(Code);
  return graphFailure(GraphErrc::Device,
                      std::string(What) + ": " +
                          (Name ? Name : std::to_string(Code)) +
                          "; AMD_LOG_LEVEL=3 shows what HIP has done",
                      StatusCode::IoError);
}
