//===- SignalWait.h - how host threads wait for a GPU -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one function of ROCm's runtime that the preloaded library stands in front
// of, without a change of what it does: SignalWait.cpp says why.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_SIGNALWAIT_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_SIGNALWAIT_H

namespace kpack::softgpu {

/// Looks the runtime's function up. Called when the runtime opens a GPU: later,
/// another thread may hold the dynamic linker's lock and wait for this one.
void findSignalWait();

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_SIGNALWAIT_H
