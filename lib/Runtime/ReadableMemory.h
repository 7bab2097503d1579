//===- Runtime/ReadableMemory.h - readable bytes at a pointer ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API passes the marker as a pointer without a length. A damaged marker
// at the end of a mapping must not make the decoder read past it, so we ask the
// kernel, page by page, whether memory may be read. That works for mapped
// files, heap and stack, needs no file descriptor, and notices pages of a
// truncated file, which /proc/self/maps does not.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_READABLEMEMORY_H
#define KPACK_RUNTIME_READABLEMEMORY_H

#include <cstddef>
#include <string_view>

namespace kpack::runtime {

/// Returns the bytes from \p Start, at most \p Max, that can be read without a
/// fault. Makes one system call for each page.
std::string_view readableBytes(const void *Start, size_t Max);

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_READABLEMEMORY_H
