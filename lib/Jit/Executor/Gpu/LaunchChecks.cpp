//===- LaunchChecks.cpp - checks of a kernel launch -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cheap checks come first.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Gpu/LaunchChecks.h"

#include "Jit/Executor/Gpu/ProgramKernels.h"

#include <algorithm>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;

static Status refused(const LoadedKernel &Kernel, const std::string &Why) {
  return Status(StatusCode::InvalidArgument, Kernel.Name + ": " + Why,
                Errc::LaunchFailed);
}

static std::string inWords(const std::array<uint32_t, 3> &Sizes) {
  return std::to_string(Sizes[0]) + " x " + std::to_string(Sizes[1]) + " x " +
         std::to_string(Sizes[2]);
}

static bool hasZero(const std::array<uint32_t, 3> &Sizes) {
  return std::find(Sizes.begin(), Sizes.end(), 0u) != Sizes.end();
}

static Status checkShape(const LoadedKernel &Kernel, const LaunchShape &Shape) {
  const KernelMetadata &M = *Kernel.Metadata;
  if (hasZero(Shape.Grid) || hasZero(Shape.Block))
    return refused(Kernel, "a grid of " + inWords(Shape.Grid) +
                               " workgroups of " + inWords(Shape.Block) +
                               " has none; all sizes are 1 at least");
  for (size_t I = 0; I < Shape.Grid.size(); ++I)
    if (uint64_t(Shape.Grid[I]) * Shape.Block[I] > UINT32_MAX)
      return refused(Kernel, "a grid of " + inWords(Shape.Grid) +
                                 " workgroups of " + inWords(Shape.Block) +
                                 " has more than 2^32 - 1 work items one way; "
                                 "launch it in parts");
  // Compare after each 32-bit factor, so that the product cannot overflow.
  uint64_t Items = uint64_t(Shape.Block[0]) * Shape.Block[1];
  if (M.MaxBlock && (Items > M.MaxBlock || Items * Shape.Block[2] > M.MaxBlock))
    return refused(Kernel, "a workgroup of " + inWords(Shape.Block) +
                               " has more work items than the " +
                               std::to_string(M.MaxBlock) +
                               " that the kernel is compiled for; see "
                               "__launch_bounds__");
  if (M.RequiredBlock[0] && Shape.Block != M.RequiredBlock)
    return refused(Kernel, "a workgroup of " + inWords(Shape.Block) +
                               " is not the one that the kernel is compiled "
                               "for, " +
                               inWords(M.RequiredBlock));
  uint64_t Shared = uint64_t(M.SharedBytes) + Shape.DynamicShared;
  if (Kernel.MaxShared && Shared > Kernel.MaxShared)
    return refused(Kernel, "its " + std::to_string(M.SharedBytes) +
                               " bytes of shared memory and " +
                               std::to_string(Shape.DynamicShared) +
                               " of the launch are more than the " +
                               std::to_string(Kernel.MaxShared) +
                               " that a workgroup may have");
  return Status::success();
}

static Status refusedArgument(const LoadedKernel &Kernel, size_t Argument,
                              const std::string &Why) {
  return refused(Kernel, "argument " + std::to_string(Argument) + " " + Why);
}

/// Returns null for an argument that is no pointer or is a null pointer.
static const void *getPointer(const KernelArgument &Argument,
                              const void *Value) {
  const void *Pointer = nullptr;
  if (Argument.IsPointer && Argument.Size == sizeof(Pointer))
    std::memcpy(&Pointer, Value, sizeof(Pointer));
  return Pointer;
}

static Status checkNulls(const LoadedKernel &Kernel, void *const *Arguments) {
  const std::vector<KernelArgument> &All = Kernel.Metadata->Arguments;
  for (size_t I = 0; I < All.size(); ++I)
    if (All[I].IsPointer && All[I].Size == sizeof(void *) &&
        !getPointer(All[I], Arguments[I]))
      return refusedArgument(Kernel, I, "is a null pointer");
  return Status::success();
}

/// Checks the null and alignment rules of the caller's types.
static Status checkMemory(const LoadedKernel &Kernel,
                          const kpack_jit_memory &M) {
  if (M.bytes && !M.data)
    return refusedArgument(Kernel, M.argument,
                           "is a null pointer, and not empty");
  if (M.alignment && reinterpret_cast<uintptr_t>(M.data) % M.alignment)
    return refusedArgument(Kernel, M.argument,
                           "is not at a multiple of " +
                               std::to_string(M.alignment) +
                               " bytes, as its type is; give it an address "
                               "that is");
  return Status::success();
}

/// Compares the range of \p Bytes at \p Address with the runtime's data; for a
/// pointer alone the end is unknown.
static Status checkReach(const LoadedKernel &Kernel, size_t Argument,
                         const void *Address, uint64_t Bytes) {
  if (!Address)
    return Status::success();
  AddressFacts Known = Kernel.Runtime->factsOf(Kernel.Device, Address);
  if (Known.Reach == AddressFacts::Foreign)
    return refusedArgument(Kernel, Argument,
                           "is memory that device " +
                               std::to_string(Kernel.Device) +
                               " cannot reach; allocate it with the GPU's "
                               "runtime, or register it there");
  auto Start = reinterpret_cast<uintptr_t>(Address);
  if (Known.Bytes == 0 || Start < Known.Start ||
      Start - Known.Start > Known.Bytes)
    return Status::success(); // the data is not reliable
  uint64_t Left = Known.Bytes - (Start - Known.Start);
  if (Bytes > Left)
    return refusedArgument(Kernel, Argument,
                           "has " + std::to_string(Bytes) +
                               " bytes, and its allocation ends after " +
                               std::to_string(Left) +
                               "; give it no more than there is");
  return Status::success();
}

static bool overlap(const kpack_jit_memory &A, const kpack_jit_memory &B) {
  auto First = reinterpret_cast<uintptr_t>(A.data),
       Second = reinterpret_cast<uintptr_t>(B.data);
  return First <= Second ? Second - First < A.bytes && B.bytes
                         : First - Second < B.bytes && A.bytes;
}

static Status checkOverlaps(const LoadedKernel &Kernel,
                            const LaunchChecks &Checks) {
  for (size_t I = 0; I < Checks.MemoryCount; ++I)
    for (size_t J = 0; J < I; ++J) {
      const kpack_jit_memory &A = Checks.Memory[J], &B = Checks.Memory[I];
      unsigned Either = A.flags | B.flags;
      if ((Either & KPACK_JIT_MEMORY_RESTRICT) &&
          (Either & KPACK_JIT_MEMORY_WRITTEN) && overlap(A, B))
        return refusedArgument(
            Kernel, B.argument,
            "overlaps with argument " + std::to_string(A.argument) +
                ", one of them is written to, and one is a RestrictSpan, "
                "which shares nothing; give them memory of their own");
    }
  return Status::success();
}

static Status checkFully(const LoadedKernel &Kernel, void *const *Arguments,
                         const LaunchChecks &Checks) {
  const std::vector<KernelArgument> &All = Kernel.Metadata->Arguments;
  for (size_t I = 0; I < All.size(); ++I)
    if (Status Checked =
            checkReach(Kernel, I, getPointer(All[I], Arguments[I]), 0);
        !Checked.ok())
      return Checked;
  for (size_t I = 0; I < Checks.MemoryCount; ++I) {
    const kpack_jit_memory &M = Checks.Memory[I];
    if (Status Checked =
            checkReach(Kernel, M.argument, M.bytes ? M.data : nullptr, M.bytes);
        !Checked.ok())
      return Checked;
  }
  return checkOverlaps(Kernel, Checks);
}

Status jit::checkLaunch(const LoadedKernel &Kernel, const LaunchShape &Shape,
                        void *const *Arguments, size_t Count,
                        const LaunchChecks &Checks) {
  size_t Takes = Kernel.Metadata->Arguments.size();
  if (Count != Takes)
    return refused(Kernel, "takes " + std::to_string(Takes) +
                               " arguments, not " + std::to_string(Count));
  if (Checks.Level == CheckLevel::None)
    return Status::success();
  Status Checked = checkShape(Kernel, Shape);
  if (Checked.ok() && Checks.NoNulls)
    Checked = checkNulls(Kernel, Arguments);
  for (size_t I = 0; I < Checks.MemoryCount && Checked.ok(); ++I)
    Checked = checkMemory(Kernel, Checks.Memory[I]);
  if (Checked.ok() && Checks.Level == CheckLevel::Full)
    Checked = checkFully(Kernel, Arguments, Checks);
  return Checked;
}
