//===- Runtime/ReadableMemory.h - how far a pointer reads -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API hands over the marker as a bare pointer without a length. A damaged
// marker that stands at the end of a mapping must not make the decoder run off
// it, so the kernel is asked, page by page, whether memory may be read. That
// works alike for mapped files, heap and stack, needs no file descriptor, and
// notices pages of a file that was cut short, which /proc/self/maps does not.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_READABLEMEMORY_H
#define KPACK_RUNTIME_READABLEMEMORY_H

#include <cstddef>
#include <string_view>

namespace kpack::runtime {

/// The bytes from \p Start, at most \p Max, that can be read without a fault.
/// One system call for each page that is touched.
std::string_view readableBytes(const void *Start, size_t Max);

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_READABLEMEMORY_H
