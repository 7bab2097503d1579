//===- InstanceKernel.h - HIP kernels of compiled-in instances --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Instance.h for HIP compilers: the kernel, a template over
// integers, and its record (AotRecords.h).
//
// Each pass of the compiler decides on its kernels. The pass of a processor
// makes the kernel that the values lower to, or none. The host pass makes a
// launch function for each processor, including processors that the program is
// not compiled for; those launches fail.
//
// HIP's launch functions must be declared before, by <hip/hip_runtime.h> or by
// hand.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_INSTANCEKERNEL_H
#define KPACK_CONVBUILDER_INSTANCEKERNEL_H

#ifdef __HIP__

#include "kpack/ConvBuilder/InstanceLaunch.h"
#include "kpack/ConvBuilder/InstanceValues.h"
#include "kpack/ConvBuilder/KernelConfig.h"
#include "kpack/ConvBuilder/kernels/view.h"

#include <utility>

#ifdef __HIP_DEVICE_COMPILE__
#include "kpack/ConvBuilder/kernels/backward_data.h"
#include "kpack/ConvBuilder/kernels/backward_weight.h"
#include "kpack/ConvBuilder/kernels/depthwise.h"
#include "kpack/ConvBuilder/kernels/direct.h"
#include "kpack/ConvBuilder/kernels/forward.h"
#include "kpack/ConvBuilder/kernels/igemm.h"
#include "kpack/ConvBuilder/kernels/matrix_tile.h"
#include "kpack/ConvBuilder/kernels/ops.h"
#include "kpack/ConvBuilder/kernels/reference.h"
#include "kpack/ConvBuilder/kernels/stream.h"
#include "kpack/ConvBuilder/kernels/thread_tile.h"
#endif
#include "kpack/ConvBuilder/kernels/split.h"

namespace kpack::conv {
namespace detail {

#ifdef __HIP_DEVICE_COMPILE__
template <int Step, Lowered L>
KPACK_CONV_FUNCTION void runStep(const device::Arguments &A,
                                 const device::AuxiliaryArgument *Operands,
                                 const device::Place &Here) {
  KernelConfig<L> Config;
  if constexpr (Step == static_cast<int>(KernelStep::Zero))
    device::zeroResults(Config, A, Operands, Here);
  else if constexpr (Step == static_cast<int>(KernelStep::Reduce) &&
                     L.split == device::split::SHARED)
    device::reduceShared(Config, A, Operands, Here);
  else if constexpr (Step == static_cast<int>(KernelStep::Reduce))
    device::reducePieces(Config, A, Operands, Here);
  else if constexpr (L.kind == static_cast<int>(Kind::REFERENCE))
    device::reference(Config, A, Operands, Here);
  else if constexpr (L.kind == static_cast<int>(Kind::IMPLICIT_GEMM))
    device::igemm(Config, A, Operands, Here);
  else if constexpr (L.kind == static_cast<int>(Kind::DEPTHWISE))
    device::depthwise(Config, A, Operands, Here);
  else
    device::direct(Config, A, Operands, Here);
}
#endif

/// A step. Its body is that of a blob (kernels/entry.h).
template <int Step, int Auxiliary, int Threads, int... Numbers>
__attribute__((global))
__attribute__((amdgpu_flat_work_group_size(1, Threads))) void
convKernel([[maybe_unused]] device::AllArguments<Auxiliary> A) {
#ifdef __HIP_DEVICE_COMPILE__
  runStep<Step, loweredOfNumbers<Numbers...>()>(
      A.All, A.Auxiliary,
      {{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
        __builtin_amdgcn_workgroup_id_z()},
       __builtin_amdgcn_workitem_id_x()});
#endif
}

template <Lowered L> inline constexpr NumberList NumbersOf{L};

template <KernelStep Step, Lowered L, std::size_t... I>
constexpr auto kernelOf(std::index_sequence<I...>) {
  return &convKernel < static_cast<int>(Step), auxiliaryCount(L),
         Step == KernelStep::Main ? L.block_size : device::split::Threads,
         NumbersOf<L>.Of[I]... > ;
}
/// Returns the kernel of a step of \p L.
template <KernelStep Step, Lowered L> constexpr auto kernelOf() {
  return kernelOf<Step, L>(std::make_index_sequence<NumbersOf<L>.Count>());
}

/// Calls \p Each with each step of \p L as a constant.
template <Lowered L, typename Function>
constexpr void forEachStep(Function &&Each) {
  constexpr List<KernelStep, MaxSteps> Steps = stepsOf(L);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (Each.template operator()<Steps[I]>(), ...);
  }(std::make_index_sequence<Steps.size()>());
}

#ifdef __HIP_DEVICE_COMPILE__

template <Lowered L> constexpr void nameKernels() {
  forEachStep<L>([]<KernelStep Step>() { (void)kernelOf<Step, L>(); });
}

/// Instantiates the kernels for the processor of this pass, if any.
template <Signature Sig, Algorithm Algo, TargetName For>
constexpr void makeKernels() {
  constexpr TargetName Here = __amdgcn_processor__;
  if constexpr (For.view().empty() || For.view() == Here.view())
    if constexpr (hasKernel<Sig, Algo, Here>())
      nameKernels<LoweringOf<Sig, Algo, Here>.Value>();
}

// Device passes parse functions of the host, but do not compile them.
template <Signature Sig, Algorithm Algo, TargetName For>
Result<DeviceKernel> kernelForDevice();

#else

template <Lowered L>
int launchKernel(int Step, const std::uint32_t *Grid, std::uint32_t Block,
                 std::uint32_t Lds, void *Arguments, void *Stream) {
  const void *Kernel = nullptr;
  forEachStep<L>([&]<KernelStep Each>() {
    if (Step == static_cast<int>(Each))
      Kernel = reinterpret_cast<const void *>(kernelOf<Each, L>());
  });
  void *All[] = {Arguments};
  return static_cast<int>(hipLaunchKernel(
      Kernel, dim3(Grid[0], Grid[1], Grid[2]), dim3(Block),
      static_cast<void **>(All), Lds, static_cast<hipStream_t>(Stream)));
}

template <Signature Sig, Algorithm Algo, TargetName For> struct RecordOf {
  static constexpr AotRecord Value = {
      AotRecord::RecordVersion,
      KernelText<Sig, Algo, For>.size(),
      KernelHash<Sig, Algo, For>,
      KernelText<Sig, Algo, For>.data(),
      static_cast<const char *>(For.Chars),
      &launchKernel<LoweringOf<Sig, Algo, For>.Value>};
  [[gnu::section("kpack_conv_aot"), gnu::used,
    gnu::retain]] static constexpr AotRecords::Entry Entry = &Value;
};

template <Signature Sig, Algorithm Algo, TargetName For>
constexpr void makeRecord() {
  if constexpr (hasKernel<Sig, Algo, For>())
    (void)&RecordOf<Sig, Algo, For>::Entry;
}

/// Calls \p Each with each processor name for which the values are valid, as a
/// constant.
template <TargetName For, typename Function>
constexpr void forEachProcessor(Function &&Each) {
  if constexpr (For.view().empty())
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (Each.template operator()<TargetName(ProcessorNames[I])>(), ...);
    }(std::make_index_sequence<std::size(ProcessorNames)>());
  else
    Each.template operator()<For>();
}

/// Instantiates the records and launch functions of all processors.
template <Signature Sig, Algorithm Algo, TargetName For>
constexpr void makeKernels() {
  forEachProcessor<For>([]<TargetName Its>() { makeRecord<Sig, Algo, Its>(); });
}

template <Signature Sig, Algorithm Algo, TargetName For>
void takeKernel(DeviceKernel &To) {
  if constexpr (hasKernel<Sig, Algo, For>())
    To = {&ChoiceOf<Sig, Algo, For>.Sig, &LoweringOf<Sig, Algo, For>.Value,
          &launchKernel<LoweringOf<Sig, Algo, For>.Value>};
}

/// Finds the kernel for the calling thread's current device. Does not look up
/// kernels of other processors: the program's code object does not contain
/// them, and ROCm 5 then ends the process.
template <Signature Sig, Algorithm Algo, TargetName For>
Result<DeviceKernel> kernelForDevice() {
  DeviceKernel Found;
  Result<std::string> Device = currentProcessor();
  if (!Device)
    return Device.status();
  forEachProcessor<For>([&]<TargetName Its>() {
    if (Its.view() == *Device)
      takeKernel<Sig, Algo, Its>(Found);
  });
  return Found.Launch ? Result<DeviceKernel>(Found) : noKernelFor(*Device);
}

#endif

} // namespace detail
} // namespace kpack::conv

#endif // __HIP__

#endif // KPACK_CONVBUILDER_INSTANCEKERNEL_H
