//===- Requests.h - ioctl() on /dev/kfd -------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests of ROCr's thunk to the kernel driver, in a table by number
// (Requests.cpp). A request that is not emulated fails with a message on stderr
// that names the program; it never hangs.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_REQUESTS_H
#define KPACK_LIB_SOFTGPU_KFD_REQUESTS_H

namespace kpack::softgpu {

class Driver;

/// Serves a request. \p Arguments is the caller's structure and may be an
/// invalid pointer. Returns 0 or a negated errno.
int answerRequest(Driver &D, unsigned long Code, void *Arguments);
/// Serves a request to a render node in the same way.
int answerRenderRequest(unsigned long Code, void *Arguments);

/// Prints a line to stderr, once for each request: programs may repeat one.
void sayNotEmulated(const char *Device, unsigned Code);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_REQUESTS_H
