//===- Support/ElfNotes.h - reader of ELF notes -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads notes of code objects and shared libraries without LLVM, for libraries
// in HIP processes. Notes are found through the program headers, as runtimes
// do: sections may have been stripped. Tools use LLVM's reader
// (lib/Offload/KernelFacts.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_ELFNOTES_H
#define KPACK_SUPPORT_ELFNOTES_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace kpack {

/// Returns the descriptions of the notes of \p Type by \p Owner in file order,
/// as views into \p Image. Empty if \p Image is no little-endian 64-bit ELF
/// file. \p Image may be hostile: truncation ends the list, and each byte is
/// read a constant number of times.
std::vector<std::string_view> elfNotes(std::string_view Image,
                                       std::string_view Owner, uint32_t Type);

} // namespace kpack

#endif // KPACK_SUPPORT_ELFNOTES_H
