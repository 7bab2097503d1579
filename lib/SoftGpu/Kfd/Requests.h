//===- Requests.h - ioctl() on /dev/kfd -------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requests that ROCr's thunk sends to the kernel driver, in a table by
// number (Requests.cpp). What is not emulated is named on stderr, with the
// program that asked: such a request is an error, never a hang.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_REQUESTS_H
#define KPACK_LIB_SOFTGPU_KFD_REQUESTS_H

namespace kpack::softgpu {

class Driver;

/// \p Arguments is the caller's structure; it may point anywhere.
/// \returns 0 or a negated errno, as the kernel does.
int answerRequest(Driver &D, unsigned long Number, void *Arguments);
/// The same for a request to a render node.
int answerRenderRequest(unsigned long Number, void *Arguments);

/// A line to stderr, once for each request: some are asked for again and again.
void sayNotEmulated(const char *Device, unsigned Number);

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_REQUESTS_H
