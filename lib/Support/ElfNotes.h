//===- Support/ElfNotes.h - notes of an ELF file ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Notes of code objects and shared libraries, without LLVM: for what is loaded
// into HIP processes. They are found through the program headers, as a runtime
// finds them: sections may have been stripped. Tools, which have LLVM, read
// them by its reader (lib/Offload/KernelFacts.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_ELFNOTES_H
#define KPACK_SUPPORT_ELFNOTES_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace kpack {

/// The descriptions of the notes of \p Type that \p Owner has written, in the
/// order of the file; views into \p Image. Empty where \p Image is no ELF file
/// of 64 bits and little-endian. Nothing of it is trusted: what is cut off ends
/// the list, and no byte is read more often than a constant number of times.
std::vector<std::string_view> elfNotes(std::string_view Image,
                                       std::string_view Owner, uint32_t Type);

} // namespace kpack

#endif // KPACK_SUPPORT_ELFNOTES_H
