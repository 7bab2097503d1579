//===- Unsupported.cpp - what the emulated GPUs do not have ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of the thunk is there, so that no client fails to load. Those
// here say that they are not supported, which ROCr takes for an old driver or
// simple hardware, or have nothing to do.
//
//===----------------------------------------------------------------------===//
#include "Driver.h"

//===- Settings without a meaning here ------------------------------------===//

HSAKMT_STATUS hsaKmtSetMemoryPolicy(HSAuint32 Node, HSAuint32 DefaultPolicy,
                                    HSAuint32 AlternatePolicy,
                                    void *MemoryAddressAlternate,
                                    HSAuint64 MemorySizeInBytes) {
  return HSAKMT_STATUS_SUCCESS; // there are no caches
}

HSAKMT_STATUS hsaKmtSetTrapHandler(HSAuint32 NodeId,
                                   void *TrapHandlerBaseAddress,
                                   HSAuint64 TrapHandlerSizeInBytes,
                                   void *TrapBufferBaseAddress,
                                   HSAuint64 TrapBufferSizeInBytes) {
  return HSAKMT_STATUS_SUCCESS; // the interpreter reports traps itself
}

HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID QueueId, HSAuint32 CUMaskCount,
                                   HSAuint32 *QueueCUMask) {
  return HSAKMT_STATUS_SUCCESS; // workgroups run on threads, not on units
}

HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32 *enable) {
  if (!enable)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  *enable = 0; // page faults are errors
  return HSAKMT_STATUS_SUCCESS;
}

//===- Sharing with other processes and with graphics ---------------------===//

HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID QueueId, HSAuint32 nGWS,
                                  HSAuint32 *firstGWS) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(
    HSAuint64 GraphicsResourceHandle,
    HsaGraphicsResourceInfo *GraphicsResourceInfo, HSAuint64 NumberOfNodes,
    HSAuint32 *NodeArray) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtShareMemory(void *MemoryAddress, HSAuint64 SizeInBytes,
                                HsaSharedMemoryHandle *SharedMemoryHandle) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS
hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle *SharedMemoryHandle,
                           void **MemoryAddress, HSAuint64 *SizeInBytes) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodes(
    const HsaSharedMemoryHandle *SharedMemoryHandle, void **MemoryAddress,
    HSAuint64 *SizeInBytes, HSAuint64 NumberOfNodes, HSAuint32 *NodeArray) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtProcessVMRead(HSAuint32 Pid,
                                  HsaMemoryRange *LocalMemoryArray,
                                  HSAuint64 LocalMemoryArrayCount,
                                  HsaMemoryRange *RemoteMemoryArray,
                                  HSAuint64 RemoteMemoryArrayCount,
                                  HSAuint64 *SizeCopied) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtProcessVMWrite(HSAuint32 Pid,
                                   HsaMemoryRange *LocalMemoryArray,
                                   HSAuint64 LocalMemoryArrayCount,
                                   HsaMemoryRange *RemoteMemoryArray,
                                   HSAuint64 RemoteMemoryArrayCount,
                                   HSAuint64 *SizeCopied) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtMapGraphicHandle(HSAuint32 NodeId,
                                     HSAuint64 GraphicDeviceHandle,
                                     HSAuint64 GraphicResourceHandle,
                                     HSAuint64 GraphicResourceOffset,
                                     HSAuint64 GraphicResourceSize,
                                     HSAuint64 *FlatMemoryAddress) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtUnmapGraphicHandle(HSAuint32 NodeId,
                                       HSAuint64 FlatMemoryAddress,
                                       HSAuint64 SizeInBytes) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(void *MemoryAddress,
                                          HSAuint64 MemorySizeInBytes,
                                          HSAuint64 NumberOfNodes,
                                          HSAuint32 *NodeArray) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtGetQueueInfo(HSA_QUEUEID QueueId, HsaQueueInfo *QueueInfo) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

//===- Debugger -----------------------------------------------------------===//

HSAKMT_STATUS hsaKmtDbgRegister(HSAuint32 NodeId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgUnregister(HSAuint32 NodeId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgWavefrontControl(HSAuint32 NodeId,
                                        HSA_DBG_WAVEOP Operand,
                                        HSA_DBG_WAVEMODE Mode, HSAuint32 TrapId,
                                        HsaDbgWaveMessage *DbgWaveMsgRing) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgAddressWatch(HSAuint32 NodeId, HSAuint32 NumWatchPoints,
                                    HSA_DBG_WATCH_MODE WatchMode[],
                                    void *WatchAddress[], HSAuint64 WatchMask[],
                                    HsaEvent *WatchEvent[]) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32 *Major,
                                                  HSAuint32 *Minor) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeEnable(void *rDebug, bool setupTtmp) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeDisable(void) { return HSAKMT_STATUS_NOT_SUPPORTED; }

//===- Performance counters -----------------------------------------------===//

HSAKMT_STATUS
hsaKmtPmcGetCounterProperties(HSAuint32 NodeId,
                              HsaCounterProperties **CounterProperties) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcRegisterTrace(HSAuint32 NodeId,
                                     HSAuint32 NumberOfCounters,
                                     HsaCounter *Counters,
                                     HsaPmcTraceRoot *TraceRoot) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcUnregisterTrace(HSAuint32 NodeId, HSATraceId TraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcAcquireTraceAccess(HSAuint32 NodeId,
                                          HSATraceId TraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcReleaseTraceAccess(HSAuint32 NodeId,
                                          HSATraceId TraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcStartTrace(HSATraceId TraceId, void *TraceBuffer,
                                  HSAuint64 TraceBufferSizeBytes) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcQueryTrace(HSATraceId TraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcStopTrace(HSATraceId TraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMAcquire(HSAuint32 PreferredNode) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMRelease(HSAuint32 PreferredNode) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMSetDestBuffer(HSAuint32 PreferredNode,
                                     HSAuint32 SizeInBytes, HSAuint32 *timeout,
                                     HSAuint32 *SizeCopied,
                                     void *DestMemoryAddress,
                                     bool *isSPMDataLoss) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

//===- Memory that is shared without registration -------------------------===//

HSAKMT_STATUS hsaKmtSVMSetAttr(void *start_addr, HSAuint64 size,
                               unsigned int nattr, HSA_SVM_ATTRIBUTE *attrs) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSVMGetAttr(void *start_addr, HSAuint64 size,
                               unsigned int nattr, HSA_SVM_ATTRIBUTE *attrs) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 enable) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}
