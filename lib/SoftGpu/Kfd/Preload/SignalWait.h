//===- SignalWait.h - sleeping waits for a GPU ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps the one function of ROCm's runtime that the preloaded library replaces,
// with the same results; SignalWait.cpp has the reasons.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_SIGNALWAIT_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_SIGNALWAIT_H

namespace kpack::softgpu {

/// Looks up the runtime's function. Call this when the runtime opens a GPU:
/// later, another thread may hold the dynamic linker's lock and wait for this
/// one.
void findSignalWait();

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_SIGNALWAIT_H
