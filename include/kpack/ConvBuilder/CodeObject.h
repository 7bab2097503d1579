//===- kpack/ConvBuilder/CodeObject.h - code to values ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From compiled code back to what it was made of: the texts in its notes
// (Emit.h), read by the parser that reads all texts, and the numbers that the
// compiler has written beside each kernel.
//
//   Result<std::vector<KernelTraits>> All = traits(Image);
//   (*All)[0].Sig, .How, .Processor, .Made, .Code->Vgprs
//
// An entry of the compile cache is a code object with a description after it,
// and is read as one. Nothing of the bytes is trusted.
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
  Signature Sig;         ///< in which nothing is left open
  Algorithm How;         ///< the same, without hints
  std::string Processor; ///< that it was asked for: "gfx90a", "cpu"
  Lowered Made;
  std::optional<CodeFacts> Code; ///< nothing: of a shared library for the CPU
};

/// The kernels of a code object, or of a shared library for the CPU, that the
/// convolution builder has made, in the order of their notes; other kernels are
/// passed over. Errors: InvalidFormat with the reason: there is none, a note is
/// damaged, its texts are of another schema, its kernel is not in the code.
/// Safe from any thread.
Result<std::vector<KernelTraits>> traits(std::string_view Image);

/// What a code object says of the kernel \p Symbol. Errors: InvalidFormat.
Result<CodeFacts> codeFacts(std::string_view Image, std::string_view Symbol);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CODEOBJECT_H
