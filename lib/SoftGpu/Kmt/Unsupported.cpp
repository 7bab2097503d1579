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
#include "Thunk.h"

//===- Settings without a meaning here ------------------------------------===//

HSAKMT_STATUS hsaKmtSetMemoryPolicy(HSAuint32, HSAuint32, HSAuint32, void *,
                                    HSAuint64) {
  return HSAKMT_STATUS_SUCCESS; // there are no caches
}

HSAKMT_STATUS hsaKmtSetTrapHandler(HSAuint32, void *, HSAuint64, void *,
                                   HSAuint64) {
  return HSAKMT_STATUS_SUCCESS; // the interpreter reports traps itself
}

HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID, HSAuint32, HSAuint32 *) {
  return HSAKMT_STATUS_SUCCESS; // workgroups run on threads, not on units
}

HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32 *enable) {
  if (!enable)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  *enable = 0; // page faults are errors
  return HSAKMT_STATUS_SUCCESS;
}

//===- Sharing with other processes and with graphics ---------------------===//

HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID, HSAuint32, HSAuint32 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(HSAuint64,
                                                  HsaGraphicsResourceInfo *,
                                                  HSAuint64, HSAuint32 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtShareMemory(void *, HSAuint64, HsaSharedMemoryHandle *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS
hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle *, void **,
                           HSAuint64 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle *,
                                                void **, HSAuint64 *, HSAuint64,
                                                HSAuint32 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtProcessVMRead(HSAuint32, HsaMemoryRange *, HSAuint64,
                                  HsaMemoryRange *, HSAuint64, HSAuint64 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtProcessVMWrite(HSAuint32, HsaMemoryRange *, HSAuint64,
                                   HsaMemoryRange *, HSAuint64, HSAuint64 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtMapGraphicHandle(HSAuint32, HSAuint64, HSAuint64, HSAuint64,
                                     HSAuint64, HSAuint64 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtUnmapGraphicHandle(HSAuint32, HSAuint64, HSAuint64) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(void *, HSAuint64, HSAuint64,
                                          HSAuint32 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtGetQueueInfo(HSA_QUEUEID, HsaQueueInfo *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

//===- Debugger -----------------------------------------------------------===//

HSAKMT_STATUS hsaKmtDbgRegister(HSAuint32) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgUnregister(HSAuint32) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgWavefrontControl(HSAuint32, HSA_DBG_WAVEOP,
                                        HSA_DBG_WAVEMODE, HSAuint32,
                                        HsaDbgWaveMessage *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtDbgAddressWatch(HSAuint32, HSAuint32, HSA_DBG_WATCH_MODE[],
                                    void *[], HSAuint64[], HsaEvent *[]) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32 *, HSAuint32 *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeEnable(void *, bool) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeDisable(void) { return HSAKMT_STATUS_NOT_SUPPORTED; }

//===- Performance counters -----------------------------------------------===//

HSAKMT_STATUS
hsaKmtPmcGetCounterProperties(HSAuint32, HsaCounterProperties **) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcRegisterTrace(HSAuint32, HSAuint32, HsaCounter *,
                                     HsaPmcTraceRoot *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcUnregisterTrace(HSAuint32, HSATraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcAcquireTraceAccess(HSAuint32, HSATraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcReleaseTraceAccess(HSAuint32, HSATraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcStartTrace(HSATraceId, void *, HSAuint64) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcQueryTrace(HSATraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtPmcStopTrace(HSATraceId) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMAcquire(HSAuint32) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMRelease(HSAuint32) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSPMSetDestBuffer(HSAuint32, HSAuint32, HSAuint32 *,
                                     HSAuint32 *, void *, bool *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

//===- Memory that is shared without registration -------------------------===//

HSAKMT_STATUS hsaKmtSVMSetAttr(void *, HSAuint64, unsigned int,
                               HSA_SVM_ATTRIBUTE *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSVMGetAttr(void *, HSAuint64, unsigned int,
                               HSA_SVM_ATTRIBUTE *) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32) {
  return HSAKMT_STATUS_NOT_SUPPORTED;
}
