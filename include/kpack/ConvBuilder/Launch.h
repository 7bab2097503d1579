//===- Launch.h - grid and arguments of a kernel launch ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch for a problem: work-groups and threads of its steps, and the bytes
// of the argument that all steps take. Used for kernels that are compiled on
// demand (Kernel.h) and for precompiled ones (Instance.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_LAUNCH_H
#define KPACK_CONVBUILDER_LAUNCH_H

#include "kpack/ConvBuilder/Args.h"
#include "kpack/ConvBuilder/Lower.h"
#include "kpack/ConvBuilder/Problem.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kpack::conv {

/// Bytes of a launch's argument, stored inline, so that a copy does not
/// allocate.
class ArgumentBytes {
public:
  /// Enough for a kernel whose operations have all possible operands.
  static constexpr std::size_t MaxBytes = 2048;

  ArgumentBytes() = default;
  ArgumentBytes(const ArgumentBytes &Other) : Count(Other.Count) {
    std::memcpy(Bytes, Other.Bytes, Count);
  }
  ArgumentBytes &operator=(const ArgumentBytes &Other) {
    Count = Other.Count;
    std::memmove(Bytes, Other.Bytes, Count);
    return *this;
  }

  std::byte *data() { return Bytes; }
  const std::byte *data() const { return Bytes; }
  std::size_t size() const { return Count; }
  /// Sets \p Size zero bytes; at most MaxBytes.
  void resize(std::size_t Size) {
    Count = Size;
    std::memset(Bytes, 0, Count);
  }

private:
  std::size_t Count = 0;
  alignas(16) std::byte Bytes[MaxBytes];
};

/// One kernel of a launch.
struct LaunchStep {
  KernelStep Which = KernelStep::Main;
  std::array<uint32_t, 3> Grid = {1, 1, 1}; ///< work-groups
  uint32_t Block = 1;                       ///< threads of each
  uint32_t Lds = 0; ///< bytes, in addition to the kernel's static LDS
};

/// A launch without the kernels.
struct KernelLaunch {
  /// Run in this order on one stream, each after the one before has finished.
  List<LaunchStep, MaxSteps> Steps;
  ArgumentBytes Arguments; ///< one argument by value, for each step
  /// A stream of the device's runtime; null: its default stream. Unused on a
  /// CPU.
  void *Stream = nullptr;
  /// Operands of the operations of input, weight and output.
  std::array<unsigned, 3> AuxiliaryCounts = {};
  long long Workspace = 0; ///< bytes that Args::workspace must have

  /// Sets other tensors, workspace and numbers for the same problem. Allocates
  /// nothing.
  void setArgs(const Args &With);
};

/// Returns the bytes of Args::workspace for a problem with valid sizes (P1, P2
/// of Requirements.h). workspaceOf() of Resources.h does the same for an
/// Algorithm. Compiles nothing.
long long workspaceBytes(const Signature &Sig, const Lowered &Kernel,
                         const Problem &Sizes);

/// Makes the launch for a problem. Errors: InvalidArgument, sizes, strides or
/// pieces of the sum that the kernel does not support.
Result<KernelLaunch> launchOf(const Signature &Sig, const Lowered &Kernel,
                              const Problem &Sizes, const Args &With);

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_LAUNCH_H
