//===- CodeObject.h - texts and numbers read from kernels -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recovers the values of compiled kernels: the texts in their notes (Emit.h),
// read by the parser of all texts, and the compiler's numbers for each kernel.
//
//   Result<std::vector<KernelTraits>> All = traits(Image);
//   (*All)[0].Sig, .How, .Processor, .Made, .Code->Vgprs
//
// An entry of the compile cache is a code object followed by a description, and
// can be read as a code object. The bytes are untrusted.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CODEOBJECT_H
#define KPACK_CONVBUILDER_CODEOBJECT_H

#include "kpack/ConvBuilder/CodeFacts.h"
#include "kpack/ConvBuilder/Lower.h"

#include <optional>
#include <vector>

namespace kpack::conv {

/// A compiled kernel.
struct KernelTraits {
  std::string Symbol;
  Signature Sig;         ///< without open parts
  Algorithm How;         ///< likewise, and without hints
  std::string Processor; ///< the target of the compile: "gfx90a", "cpu"
  Lowered Made;
  std::optional<CodeFacts> Code; ///< nullopt for a shared library for the CPU
};

/// Lists the kernels that the convolution builder made, of a code object or of
/// a shared library for the CPU, in the order of their notes. Skips other
/// kernels. Errors: InvalidFormat with the reason: there is no such kernel, a
/// note is damaged, its texts have another schema, its kernel is not in the
/// code. Thread-safe.
Result<std::vector<KernelTraits>> traits(std::string_view Image);

/// Reads the facts of the kernel \p Symbol. Errors: InvalidFormat.
Result<CodeFacts> codeFacts(std::string_view Image, std::string_view Symbol);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CODEOBJECT_H
