//===- kpack/ConvBuilder/CallTensors.h - the memory of a call ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All tensors of a call in a row, for who does with each the same: allocate,
// read from a file, copy to a device. First input, weight and output, then the
// auxiliary operands of each, in that order.
//
//   Result<std::vector<CallTensor>> Tensors = callTensors(Sig, Problem);
//   for (const CallTensor &T : *Tensors)
//     At.push_back(memory(T.bytes()));
//   Kernel.launchOf(Problem, argsAt(Sig, argsFor(Sig), At));
//
// callOnce() is all of that with memory of the process on both sides. Sibling:
// TestData.h, what is in the memory when kernels are compared.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CALLTENSORS_H
#define KPACK_CONVBUILDER_CALLTENSORS_H

#include "kpack/ConvBuilder/Backend.h"
#include "kpack/ConvBuilder/TensorShape.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kpack::conv {

/// Memory of one tensor.
using TensorBytes = std::vector<std::byte>;

/// What tests have in memory where no element is.
inline constexpr std::byte Canary{0x5c};

/// What is known of a tensor before it has memory.
struct CallTensor {
  Role Of;            ///< the tensor, or the one whose operation takes it
  int Auxiliary = -1; ///< its number there; -1: the tensor itself
  DataType Type;
  TensorShape Shape;
  bool IsResult = false;

  /// From the first element to one past the last one.
  size_t bytes() const {
    return static_cast<size_t>(Shape.span()) *
           static_cast<size_t>(bytesOf(Type));
  }
  /// "input", "auxiliary operand 0 of the output"
  std::string name() const;
};

/// Of a signature that resolveSignature() has made. Errors: those of shapeOf().
Result<std::vector<CallTensor>> callTensors(const Signature &Sig,
                                            const Problem &Sizes);

/// \p Numbers with the tensors at \p At, one pointer for each of callTensors().
Args argsAt(const Signature &Sig, const Args &Numbers,
            std::span<void *const> At);

/// Copies \p Memory, one for each of callTensors(), to the device, lends it a
/// workspace, launches the kernel there, and copies the result back to its
/// place in \p Memory, also what is between its elements. \p Kernel is for the
/// processor of \p On.
/// Errors: those of the backend and of launchOf().
Status callOnce(Backend &On, const ConvKernel &Kernel, const Signature &Sig,
                const Problem &Sizes, const Args &Numbers,
                std::span<TensorBytes> Memory);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CALLTENSORS_H
