//===- CallTensors.cpp - list of a call's tensors -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CallTensors.h. Only argsAt() and callTensors() define the order of
// tensors.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/CallTensors.h"

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr Role TensorsInOrder[] = {Role::Input, Role::Weight, Role::Output};

/// Owns memory of a device.
class DeviceMemory {
public:
  explicit DeviceMemory(Backend &On) : On(On) {}
  ~DeviceMemory() {
    for (void *Each : At)
      On.release(Each);
  }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  Status add(const TensorBytes &Content) {
    Result<void *> Allocated = On.allocate(Content.size());
    if (!Allocated)
      return Allocated.status();
    At.push_back(*Allocated);
    return On.upload(*Allocated, Content.data(), Content.size());
  }
  std::span<void *const> places() const { return At; }

private:
  Backend &On;
  std::vector<void *> At;
};

} // namespace

std::string CallTensor::name() const {
  std::string Tensor(nameOf(Of));
  if (Auxiliary < 0)
    return Tensor;
  return "auxiliary operand " + std::to_string(Auxiliary) + " of the " + Tensor;
}

Result<std::vector<CallTensor>> conv::callTensors(const Signature &Sig,
                                                  const Problem &Sizes) {
  std::vector<CallTensor> All;
  for (Role TensorRole : TensorsInOrder) {
    Result<TensorShape> Shape = shapeOf(Sig, Sizes, TensorRole);
    if (!Shape)
      return Shape.status();
    All.push_back({TensorRole, -1, tensorOf(Sig, TensorRole).config.data_type,
                   *Shape, TensorRole == roleOfResult(Sig.direction)});
  }
  for (Role TensorRole : TensorsInOrder) {
    const auto &Operands =
        tensorOf(Sig, TensorRole).operation->auxiliary_operand_configs;
    for (unsigned I = 0; I < Operands.size(); ++I) {
      Result<TensorShape> Shape = auxiliaryShapeOf(Sig, Sizes, TensorRole, I);
      if (!Shape)
        return Shape.status();
      All.push_back(
          {TensorRole, static_cast<int>(I), Operands[I].data_type, *Shape});
    }
  }
  return All;
}

Args conv::argsAt(const Signature &Sig, const Args &Numbers,
                  std::span<void *const> Pointers) {
  Args Result = Numbers;
  TensorArgs *Slots[] = {&Result.input, &Result.weight, &Result.output};
  size_t Next = std::size(TensorsInOrder);
  for (size_t T = 0; T < std::size(TensorsInOrder); ++T) {
    Slots[T]->data = Pointers[T];
    const Operation &Op = *tensorOf(Sig, TensorsInOrder[T]).operation;
    for (unsigned I = 0; I < Op.auxiliary_operand_configs.size(); ++I)
      Slots[T]->auxiliary[I].data = Pointers[Next++];
  }
  return Result;
}

Status conv::callOnce(Backend &On, const ConvKernel &Kernel,
                      const Signature &Sig, const Problem &Sizes,
                      const Args &Numbers, std::span<TensorBytes> Memory) {
  Result<std::unique_ptr<LoadedKernel>> Loaded = On.load(Kernel);
  if (!Loaded)
    return Loaded.status();
  if (Result<std::vector<CallTensor>> All = callTensors(Sig, Sizes); !All)
    return All.status();
  DeviceMemory Tensors(On);
  for (const TensorBytes &Each : Memory)
    if (Status S = Tensors.add(Each); !S.ok())
      return S;
  Args With = argsAt(Sig, Numbers, Tensors.places());
  auto Bytes = workspaceBytes(Sig, Kernel.lowered(), Sizes);
  // No kernel may rely on the workspace's initial bytes.
  if (Status S = Tensors.add(TensorBytes(static_cast<size_t>(Bytes), Canary));
      !S.ok())
    return S;
  With.workspace = Tensors.places().back();
  Result<KernelLaunch> Launch = Kernel.launchOf(Sizes, With);
  if (!Launch)
    return Launch.status();
  if (Status S = (*Loaded)->launch(*Launch); !S.ok())
    return S;
  auto Which = static_cast<size_t>(roleOfResult(Sig.direction)) - 1;
  return On.download(Memory[Which].data(), Tensors.places()[Which],
                     Memory[Which].size());
}
