//===- SoftGpuBackend.cpp - backend for an emulated GPU -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device addresses are addresses of the process; the memory map limits the
// accesses of a kernel to the byte.
//
//===----------------------------------------------------------------------===//
#include "ConvBuilder/SoftGpu/SoftGpuBackend.h"

#include "SoftGpu/Machine/CodeObjects/CodeObject.h"

#include <cstring>
#include <map>
#include <mutex>
#include <new>

using namespace kpack;
using namespace kpack::conv;

namespace {

constexpr std::align_val_t Alignment{256};

Status failed(const std::string &Object, llvm::Error E, Errc Detail) {
  return Status(StatusCode::InvalidArgument,
                Object + ": " + llvm::toString(std::move(E)), Detail);
}

class SoftGpuKernel final : public LoadedKernel {
public:
  SoftGpuKernel(const ConvKernel &Kernel, softgpu::Machine &Gpu,
                std::unique_ptr<softgpu::CodeObject> Code, std::mutex &Lock)
      : Kernel(Kernel), Gpu(Gpu), Code(std::move(Code)), Lock(Lock) {}

  Status launch(const KernelLaunch &Launch) override {
    std::lock_guard<std::mutex> Held(Lock);
    llvm::ArrayRef<uint8_t> Bytes(
        reinterpret_cast<const uint8_t *>(Launch.Arguments.data()),
        Launch.Arguments.size());
    for (const LaunchStep &Step : Launch.Steps) {
      const std::string &Symbol = Kernel.symbol(Step.Which);
      auto Done = Code->launch(Gpu, Symbol, Step.Grid, {Step.Block, 1, 1},
                               Step.Lds, Bytes);
      if (!Done)
        return failed(Symbol, Done.takeError(), Errc::LaunchFailed);
      if (Done->Failure)
        return Status(StatusCode::InvalidArgument,
                      Symbol + ": " + Done->Failure->message(),
                      Errc::LaunchFailed);
    }
    return Status::success();
  }

private:
  const ConvKernel &Kernel;
  softgpu::Machine &Gpu;
  std::unique_ptr<softgpu::CodeObject> Code;
  std::mutex &Lock; ///< of the backend
};

class SoftGpuBackend final : public Backend {
public:
  static Result<std::unique_ptr<Backend>> create(std::string_view Processor,
                                                 unsigned Threads) {
    std::unique_ptr<SoftGpuBackend> Created(new SoftGpuBackend);
    Created->Name = Processor;
    softgpu::MachineOptions Options;
    Options.Threads = Threads;
    Options.CheckUninitialisedLds = true;
    Options.CheckAlignment = true;
    auto Gpu =
        softgpu::Machine::create(Created->Name, Created->Memory, Options);
    if (!Gpu)
      return failed(Created->Name, Gpu.takeError(), Errc::NoDevice);
    Created->Gpu = std::move(*Gpu);
    return std::unique_ptr<Backend>(std::move(Created));
  }
  ~SoftGpuBackend() override {
    while (!Sizes.empty())
      SoftGpuBackend::release(Sizes.begin()->first);
  }

  const std::string &processor() const override { return Name; }

  Result<void *> allocate(size_t Bytes) override {
    void *Block = ::operator new(Bytes ? Bytes : 1, Alignment, std::nothrow);
    if (!Block)
      return Status(StatusCode::OutOfMemory,
                    "memory: " + std::to_string(Bytes) +
                        " bytes are not to be had; take a smaller problem");
    auto Begin = reinterpret_cast<uint64_t>(Block);
    std::lock_guard<std::mutex> Held(Lock);
    if (Bytes)
      Memory.add({Begin, Begin + Bytes, /*Writable=*/true, "tensor"});
    Sizes[Block] = Bytes;
    return Block;
  }
  void release(void *Pointer) override {
    std::lock_guard<std::mutex> Held(Lock);
    auto Found = Sizes.find(Pointer);
    if (Found == Sizes.end())
      return;
    auto Begin = reinterpret_cast<uint64_t>(Pointer);
    Memory.remove(Begin, Begin + Found->second);
    Sizes.erase(Found);
    ::operator delete(Pointer, Alignment);
  }

  Status upload(void *Destination, const void *Source, size_t Bytes) override {
    if (Bytes != 0) // an empty buffer may have no address
      std::memcpy(Destination, Source, Bytes);
    return Status::success();
  }
  Status download(void *Destination, const void *Source,
                  size_t Bytes) override {
    return upload(Destination, Source, Bytes);
  }

  Result<std::unique_ptr<LoadedKernel>>
  load(const ConvKernel &Kernel) override {
    std::string_view Image = Kernel.image();
    std::lock_guard<std::mutex> Held(Lock);
    auto Code = softgpu::CodeObject::load(
        {reinterpret_cast<const uint8_t *>(Image.data()), Image.size()},
        Memory);
    if (!Code)
      return failed(Kernel.symbol(), Code.takeError(), Errc::LoadFailed);
    return std::unique_ptr<LoadedKernel>(
        new SoftGpuKernel(Kernel, *Gpu, std::move(*Code), Lock));
  }

private:
  SoftGpuBackend() = default;

  std::string Name;
  std::mutex Lock; ///< code is memory that launches read
  softgpu::MemoryMap Memory;
  std::map<void *, size_t> Sizes;
  std::unique_ptr<softgpu::Machine> Gpu; ///< declared after the memory that it
                                         ///< uses
};

} // namespace

Result<std::unique_ptr<Backend>>
conv::makeSoftGpuBackend(std::string_view Processor, unsigned Threads) {
  return SoftGpuBackend::create(Processor, Threads);
}
