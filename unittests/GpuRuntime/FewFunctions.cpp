//===- FewFunctions.cpp - shared library: an incomplete GPU runtime -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP and CUDA's driver in a shared library whose file name is neither's. It
// knows no properties of devices.
//
//===----------------------------------------------------------------------===//
#define FAKE extern "C" [[gnu::visibility("default")]]

FAKE int hipModuleLaunchKernel() { return 1; }
FAKE int hipGetDevice(int *Device) {
  *Device = 5;
  return 0;
}
FAKE int __hipPopCallConfiguration() { return 1; }

FAKE int cuLaunchKernel() { return 1; }
FAKE int cuInit(unsigned) { return 42; }
