//===- ConvBuilder/CallTensors.h - list of a call's tensors -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors of a call as a list, for code that treats them alike: allocates
// them, reads them from files, copies them to a device. Input, weight and
// output come first, then the auxiliary operands of each, in that order.
//
//   Result<std::vector<CallTensor>> Tensors = callTensors(Sig, Problem);
//   for (const CallTensor &T : *Tensors)
//     At.push_back(memory(T.bytes()));
//   Kernel.launchOf(Problem, argsAt(Sig, argsFor(Sig), At));
//
// callOnce() does all of that with host memory on both sides. Sibling:
// TestData.h, contents of tensors for comparing kernels.
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

/// Host memory of one tensor.
using TensorBytes = std::vector<std::byte>;

/// The filler byte of tests between elements.
inline constexpr std::byte Canary{0x5c};

/// A tensor of a call, before it has memory.
struct CallTensor {
  Role Of;            ///< the tensor, or the owner of the auxiliary operand
  int Auxiliary = -1; ///< index of the auxiliary operand; -1: the tensor itself
  DataType Type;
  TensorShape Shape;
  bool IsResult = false;

  /// Bytes from the first element to the end of the last one.
  size_t bytes() const {
    return static_cast<size_t>(Shape.span()) *
           static_cast<size_t>(bytesOf(Type));
  }
  /// "input", "auxiliary operand 0 of the output"
  std::string name() const;
};

/// Lists the tensors of \p Sig, which comes from resolveSignature(). Errors:
/// those of shapeOf().
Result<std::vector<CallTensor>> callTensors(const Signature &Sig,
                                            const Problem &Sizes);

/// Returns \p Numbers with the tensors \p Pointers, one pointer for each of
/// callTensors().
Args argsAt(const Signature &Sig, const Args &Numbers,
            std::span<void *const> Pointers);

/// Copies \p Memory, one block for each of callTensors(), to the device,
/// provides a workspace, launches the kernel, and copies the result back into
/// its block of \p Memory, including the bytes between its elements. \p Kernel
/// must be for the processor of \p On. Errors: those of the backend and of
/// launchOf().
Status callOnce(Backend &On, const ConvKernel &Kernel, const Signature &Sig,
                const Problem &Sizes, const Args &Numbers,
                std::span<TensorBytes> Memory);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CALLTENSORS_H
