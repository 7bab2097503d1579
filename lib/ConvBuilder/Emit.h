//===- ConvBuilder/Emit.h - the text of a kernel ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is compiled for a signature and an algorithm: a few lines that include
// the headers of kernels/ from memory and say integers, with the whole texts of
// what they were made of in front. No header of the builder is read, and of
// those of kernels only what this one has, so a blob is compiled in two tenths
// of a second.
//
//   // kpack-conv 1
//   // signature {schema=1,spatial_dim=2,...}
//   // algorithm {schema=1,kind=DIRECT,...}
//   // processor gfx90a
//   #include "kpack/ConvBuilder/kernels/direct.h"
//   ... struct lowered { static constexpr int direction = 0; ... };
//   KPACK_CONV_KERNEL(conv_4105d51b2658a510, lowered, ...)
//
// The same three texts are in the section .note.kpack.conv of the compiled
// code, an ELF note "kpack" for each kernel: its description is the kernel's
// name and the texts, a line each, and ends with a zero.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_EMIT_H
#define KPACK_CONVBUILDER_EMIT_H

#include "kpack/ConvBuilder/Lower.h"

#include <utility>
#include <vector>

namespace kpack::conv {

/// The type of notes in .note.kpack.conv: "CONV".
inline constexpr unsigned ConvNoteType = 0x564e4f43;

/// A kernel before it is compiled.
struct KernelSource {
  std::string Symbol; ///< "conv_" and 16 digits
  std::string Text;
  /// Names and texts of headers that are in memory only.
  std::vector<std::pair<std::string, std::string>> Headers;
  Lowered Made;
};

/// "conv_" and the hash of what a kernel is made of, without hints.
std::string symbolOf(const Signature &Sig, const Algorithm &How);

/// 16 digits for what kernels are made of besides their values: the headers of
/// kernels/. Others for every change of those.
std::string kernelsDigest();

/// What an archive calls a kernel: "conv/@GFXARCH@/conv_4105d51b2658a510-" and
/// \p Digest, which is kernelsDigest(). Of an archive that was made of other
/// headers nothing is found.
std::string archiveKeyOf(const Signature &Sig, const Algorithm &How,
                         std::string_view Digest);

/// The lines that a compiled kernel has in its note, and an AotRecord as its
/// text. \p Processor as emit() has it.
std::string noteTextOf(const Signature &Sig, const Algorithm &How,
                       std::string_view Processor);

/// Of values in which nothing is left open; \p Processor is "gfx90a", or "cpu".
/// Errors: those of lower().
Result<KernelSource> emit(const Signature &Sig, const Algorithm &How,
                          std::string_view Processor);

/// The same, of integers that are there already: those of lower(), or such as
/// it would refuse.
KernelSource emit(const Signature &Sig, const Algorithm &How,
                  std::string_view Processor, const Lowered &Made);

/// The text of \p From with those of its headers that it names, each where it
/// is named first, without comments: what is compiled, since a text that
/// includes something is scanned before. \p IsGpu: without headers that are
/// only for the CPU.
std::string oneTextOf(const KernelSource &From, bool IsGpu);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_EMIT_H
