//===- CApiKernels.cpp - C API: GPU kernels -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kpack_jit_kernel handle is a pointer to the kernel itself.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/Handles.h"
#include "Jit/Executor/Gpu/LaunchChecks.h"
#include "Jit/Executor/Gpu/ProgramKernels.h"

using namespace kpack;
using namespace kpack::capi;
using namespace kpack::jit;

/// Returns the kernels of the program if it has this index, else null.
static ProgramKernels *getKernels(const kpack_jit_program *P, size_t Index) {
  const auto *Loaded = reinterpret_cast<const Program *>(P);
  return Index < Loaded->info().Functions.size() ? Loaded->kernels() : nullptr;
}

static kpack_jit_status failNoKernel(const char *Function) {
  return guarded([&] {
    return fail(KPACK_JIT_ERROR_NOT_FOUND,
                std::string(Function) +
                    ": the entry is no kernel, or the program has not so many; "
                    "compile it with KPACK_JIT_KERNEL");
  });
}

static const LoadedKernel &kernelOf(const kpack_jit_kernel *Kernel) {
  return *reinterpret_cast<const LoadedKernel *>(Kernel);
}

kpack_jit_status kpack_jit_device_target(int Device, char *Id, size_t Size) {
  if (!Id || !Size)
    return failArgument("kpack_jit_device_target: a place for the target id is "
                        "needed");
  return guarded([&] {
    Result<std::string> Target = deviceTarget(Device);
    if (!Target)
      return fail(Target.status());
    size_t Bytes = std::min(Target->size(), Size - 1);
    std::memcpy(Id, Target->c_str(), Bytes);
    Id[Bytes] = '\0';
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_kernel_get_info(const kpack_jit_program *P,
                                           size_t Index,
                                           kpack_jit_kernel_info *Info) {
  if (!P)
    return failArgument("kpack_jit_kernel_get_info: a program is needed");
  ProgramKernels *Kernels = getKernels(P, Index);
  if (!Kernels)
    return failNoKernel("kpack_jit_kernel_get_info");
  const KernelMetadata &M = Kernels->metadata(Index);
  kpack_jit_kernel_info I{};
  I.symbol = M.Symbol.c_str();
  I.argument_count = M.Arguments.size();
  I.argument_bytes = M.ArgumentBytes;
  I.max_block = M.MaxBlock;
  std::copy(M.RequiredBlock.begin(), M.RequiredBlock.end(), I.required_block);
  I.shared_bytes = M.SharedBytes;
  return give(I, Info)
             ? KPACK_JIT_SUCCESS
             : failArgument("kpack_jit_kernel_get_info: a structure with its "
                            "size is needed");
}

kpack_jit_status
kpack_jit_kernel_get_argument(const kpack_jit_program *P, size_t Index,
                              size_t Argument,
                              kpack_jit_kernel_argument *Info) {
  if (!P)
    return failArgument("kpack_jit_kernel_get_argument: a program is needed");
  ProgramKernels *Kernels = getKernels(P, Index);
  if (!Kernels)
    return failNoKernel("kpack_jit_kernel_get_argument");
  const std::vector<KernelArgument> &All = Kernels->metadata(Index).Arguments;
  kpack_jit_kernel_argument I{};
  if (Argument < All.size()) {
    const KernelArgument &A = All[Argument];
    I.name = A.Name.c_str();
    I.offset = A.Offset;
    I.bytes = A.Size;
    I.is_pointer = A.IsPointer;
    if (give(I, Info))
      return KPACK_JIT_SUCCESS;
  }
  return failArgument("kpack_jit_kernel_get_argument: the number of an "
                      "argument, and a structure with its size are needed");
}

kpack_jit_status kpack_jit_kernel_load(kpack_jit_program *P, size_t Index,
                                       int Device,
                                       const kpack_jit_kernel **Kernel) {
  if (!P || !Kernel)
    return failArgument("kpack_jit_kernel_load: a program and a place for the "
                        "kernel are needed");
  ProgramKernels *Kernels = getKernels(P, Index);
  if (!Kernels)
    return failNoKernel("kpack_jit_kernel_load");
  return guarded([&] {
    Result<const LoadedKernel *> Loaded = Kernels->load(Index, Device);
    if (!Loaded)
      return fail(Loaded.status());
    *Kernel = reinterpret_cast<const kpack_jit_kernel *>(*Loaded);
    return KPACK_JIT_SUCCESS;
  });
}

kpack_jit_status kpack_jit_kernel_handle(const kpack_jit_kernel *Kernel,
                                         int *Device, void **Function) {
  if (!Kernel)
    return failArgument("kpack_jit_kernel_handle: a kernel is needed");
  if (Device)
    *Device = kernelOf(Kernel).Device;
  if (Function)
    *Function = kernelOf(Kernel).Function;
  return KPACK_JIT_SUCCESS;
}

static bool isLevel(int Checks) {
  return Checks == KPACK_JIT_CHECK_CHEAP || Checks == KPACK_JIT_CHECK_FULL ||
         Checks == KPACK_JIT_CHECK_NONE;
}

static CheckLevel levelOf(int Checks) {
  return Checks == KPACK_JIT_CHECK_NONE   ? CheckLevel::None
         : Checks == KPACK_JIT_CHECK_FULL ? CheckLevel::Full
                                          : CheckLevel::Cheap;
}

kpack_jit_status kpack_jit_kernel_launch(const kpack_jit_kernel *Kernel,
                                         const kpack_jit_launch *Launch,
                                         void *const *Arguments, size_t Count) {
  kpack_jit_launch L;
  bool AreThere = Kernel && take(Launch, L) && (Arguments || !Count) &&
                  (L.memory || !L.memory_count);
  for (size_t I = 0; AreThere && I < Count; ++I)
    AreThere = Arguments[I] != nullptr;
  if (!AreThere || !isLevel(L.checks))
    return failArgument("kpack_jit_kernel_launch: a kernel, a launch with its "
                        "size and addresses of all arguments are needed");
  return guarded([&] {
    LaunchShape Shape;
    std::copy(std::begin(L.grid), std::end(L.grid), Shape.Grid.begin());
    std::copy(std::begin(L.block), std::end(L.block), Shape.Block.begin());
    Shape.DynamicShared = L.dynamic_shared_bytes;
    Shape.Stream = L.stream;
    LaunchChecks Checks{levelOf(L.checks), L.refuse_null != 0, L.memory,
                        L.memory_count};
    Status Done = launch(kernelOf(Kernel), Shape, Arguments, Count, Checks);
    return Done.ok() ? KPACK_JIT_SUCCESS : fail(Done);
  });
}
