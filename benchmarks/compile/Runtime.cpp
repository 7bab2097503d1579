//===- Runtime.cpp - empty HIP runtime to link programs with --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the programs of the compile benchmark are linked with, so that linking
// needs no ROCm. They are never run.
//
//===----------------------------------------------------------------------===//
extern "C" {
void **__hipRegisterFatBinary(const void *) { return nullptr; }
void __hipUnregisterFatBinary(void **) {}
void __hipRegisterFunction(void **, const void *, char *, const char *,
                           unsigned, void *, void *, void *, void *, int *) {}
int __hipPushCallConfiguration() { return 0; }
int __hipPopCallConfiguration() { return 0; }
int hipLaunchKernel() { return 0; }
}
