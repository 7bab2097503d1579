//===- ConvBuilder/Emit.h - C++ source of a kernel --------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source of the kernel for a signature and an algorithm: a few lines that
// include the headers of kernels/ from memory and define integers, after a
// comment with the complete texts of both values, without hints. It includes no
// header of the builder, and only those of kernels/ that this kernel needs, so
// it compiles in 0.2 seconds.
//
//   // kpack-conv 1
//   // kernel conv_4105d51b2658a510
//   // signature {schema=1,spatial_dim=2,...}
//   // algorithm {schema=1,kind=DIRECT,...}
//   // processor gfx90a
//   #include "kpack/ConvBuilder/kernels/direct.h"
//   ... struct lowered { static constexpr int direction = 0; ... };
//   KPACK_CONV_KERNEL(conv_4105d51b2658a510, lowered, ...)
//
// The compiled code holds the same lines in the section .note.kpack.conv, which
// has an ELF note "kpack" for each kernel. Its description is the five lines
// and a zero.
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
  /// Names and texts of headers that exist in memory only.
  std::vector<std::pair<std::string, std::string>> Headers;
  Lowered Made;
};

/// Returns "conv_" and the hash of the kernel's values without hints.
std::string getSymbol(const Signature &Sig, const Algorithm &Algo);

/// Returns 16 digits that change with every change of the headers of kernels/.
std::string kernelsDigest();

/// Returns the key of a kernel in an archive:
/// "conv/@GFXARCH@/conv_4105d51b2658a510-" and \p Digest, which is
/// kernelsDigest(). Archives that were made from other headers do not have the
/// key.
std::string getArchiveKey(const Signature &Sig, const Algorithm &Algo,
                          std::string_view Digest);

/// Returns the lines of a compiled kernel's note, which are also the text of an
/// AotRecord. \p Processor is as for emit().
std::string makeNoteText(const Signature &Sig, const Algorithm &Algo,
                         std::string_view Processor);

/// Returns the source for values without open fields; \p Processor is "gfx90a",
/// or "cpu". Errors: those of lower().
Result<KernelSource> emit(const Signature &Sig, const Algorithm &Algo,
                          std::string_view Processor);

/// The same, for integers that lower() has returned, or integers of that form
/// that it would refuse.
KernelSource emit(const Signature &Sig, const Algorithm &Algo,
                  std::string_view Processor, const Lowered &L);

/// Returns the text of \p Source with the headers that it includes in place of
/// their first #include, without comments. The executor compiles this text,
/// since it first scans a text with includes. \p IsGpu leaves out the headers
/// for the CPU.
std::string makeOneText(const KernelSource &Source, bool IsGpu);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_EMIT_H
