//===- Assembler.h - machine code from assembler text -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's assembler in the test's own process: kernels for tests of dispatching,
// where a compiler would hide what is tested.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SOFTGPU_MACHINE_ASSEMBLER_H
#define KPACK_UNITTESTS_SOFTGPU_MACHINE_ASSEMBLER_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace kpack::softgpu {

/// The bytes of \p Text's text section; empty, and a failure of the test, when
/// it does not assemble for \p Processor.
std::vector<uint8_t> assemble(llvm::StringRef Processor, llvm::StringRef Text);

/// The same as a whole relocatable ELF file.
std::vector<uint8_t> assembleObject(llvm::StringRef Processor,
                                    llvm::StringRef Text);

} // namespace kpack::softgpu

#endif // KPACK_UNITTESTS_SOFTGPU_MACHINE_ASSEMBLER_H
