//===- GpuRuntime.cpp - the process's HIP or CUDA runtime -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuRuntime/GpuRuntime.h"

#include <algorithm>

using namespace kpack;

/// hipErrorNotReady, CUDA_ERROR_NOT_READY.
static constexpr int NotReady = 600;
/// hipEventDisableTiming, CU_EVENT_DISABLE_TIMING.
static constexpr unsigned NoTiming = 2;

int GpuRuntime::createEvent(void *&Event) const {
  return EventCreate(&Event, NoTiming);
}

int GpuRuntime::isDone(void *Event, bool &Done) const {
  int Code = EventQuery(Event);
  Done = Code != NotReady;
  // Pending is no error of the program; CUDA does not record it.
  if (!Done && GetLastError)
    GetLastError();
  return Done ? Code : 0;
}

void GpuRuntime::fill(void *(&Extra)[5], void *Packed, size_t &Bytes,
                      void *End) {
  void *All[] = {reinterpret_cast<void *>(1), Packed,
                 reinterpret_cast<void *>(2), &Bytes, End};
  std::copy(std::begin(All), std::end(All), Extra);
}

int GpuRuntime::launchPacked(const GpuLaunch &L, void *End) const {
  size_t Bytes = L.PackedBytes;
  void *Extra[5];
  fill(Extra, L.Packed, Bytes, End);
  return LaunchKernel(L.Function, L.Grid[0], L.Grid[1], L.Grid[2], L.Block[0],
                      L.Block[1], L.Block[2], L.DynamicShared, L.Stream,
                      nullptr, Extra);
}

int GpuRuntime::addRange(const void *Address, AddressFacts &Known) const {
  void *Start = nullptr;
  size_t Bytes = 0;
  int Code = MemGetAddressRange(&Start, &Bytes, Address);
  if (Code == 0 && Start)
    Known.Start = reinterpret_cast<uintptr_t>(Start), Known.Bytes = Bytes;
  return Code;
}

int GpuRuntime::addNode(void *Graph, const GpuNode *Before,
                        GpuNode &Node) const {
  GpuNodeParameters Parameters = getParameters(Node);
  return GraphAddKernelNode(&Node.Handle, Graph,
                            Before ? &Before->Handle : nullptr, Before ? 1 : 0,
                            &Parameters);
}

int GpuRuntime::setNode(void *Exec, GpuNode &Node) const {
  GpuNodeParameters Parameters = getParameters(Node);
  return GraphExecKernelNodeSetParams(Exec, Node.Handle, &Parameters);
}
