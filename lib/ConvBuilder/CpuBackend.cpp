//===- CpuBackend.cpp - backend that runs kernels on the CPU --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is memory of the process, and a launch is a loop of calls.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Backend.h"

#include <cstring>
#include <map>
#include <new>

using namespace kpack;
using namespace kpack::conv;

LoadedKernel::~LoadedKernel() = default;
Backend::~Backend() = default;

namespace {

constexpr std::align_val_t Alignment{256};

struct FreeAligned {
  void operator()(void *Memory) const { ::operator delete(Memory, Alignment); }
};

class CpuKernel final : public LoadedKernel {
public:
  explicit CpuKernel(const ConvKernel &Kernel) : Kernel(Kernel) {}
  Status launch(const KernelLaunch &Launch) override {
    Kernel.runOnCpu(Launch);
    return Status::success();
  }

private:
  const ConvKernel &Kernel;
};

class CpuBackend final : public Backend {
public:
  const std::string &processor() const override { return Name; }

  Result<void *> allocate(size_t Bytes) override {
    void *Memory = ::operator new(Bytes ? Bytes : 1, Alignment, std::nothrow);
    if (!Memory)
      return Status(StatusCode::OutOfMemory,
                    "memory: " + std::to_string(Bytes) +
                        " bytes are not to be had; take a smaller problem");
    Owned.emplace(Memory, std::unique_ptr<void, FreeAligned>(Memory));
    return Memory;
  }
  void release(void *Memory) override { Owned.erase(Memory); }

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
    if (Kernel.processor() != Name)
      return Status(StatusCode::InvalidArgument,
                    Kernel.symbol() + ": is compiled for " +
                        Kernel.processor() + ", not for the CPU",
                    Errc::WrongIsa);
    return std::unique_ptr<LoadedKernel>(new CpuKernel(Kernel));
  }

private:
  const std::string Name{CpuProcessor};
  std::map<void *, std::unique_ptr<void, FreeAligned>> Owned;
};

} // namespace

std::unique_ptr<Backend> conv::makeCpuBackend() {
  return std::make_unique<CpuBackend>();
}
