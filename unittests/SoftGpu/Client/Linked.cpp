//===- Linked.cpp - driver linked in, in place of a loaded one ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the place of Preload/Emulator.cpp, which would load the driver's library
// from a folder: here it is linked, and instrumented as the tests are. All else
// of what is preloaded is the same, and stands in front of the C library's
// functions for the whole program: the driver's own calls come by it, too.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Preload/Emulator.h"

using namespace kpack::softgpu;

extern "C" const EmulatorTable *softgpuEmulator();

static std::atomic<const EmulatorTable *> Table{nullptr};

const EmulatorTable *kpack::softgpu::emulator() {
  const EmulatorTable *Linked = softgpuEmulator();
  if (!Table.exchange(Linked))
    Linked->UseSignals(nextSigaction());
  return Linked;
}

const EmulatorTable *kpack::softgpu::loadedEmulator() { return Table; }
