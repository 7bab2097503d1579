//===- ReplayCpu.cpp - graph execution on CPUs ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a CPU a node is one indirect call. Kernels come through the C API of
// libkpack_jit; its compiler also checks that each has the type of the call.
//
//===----------------------------------------------------------------------===//
#include "KernelPrograms.h"
#include "ReplayBackend.h"

#include "kpack/JitGraph/GraphError.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace kpack;
using namespace kpack::jit;

using CpuKernel = void(void *const *, const long long *, long long, long long);
static constexpr char CpuKernelType[] =
    "void (void *const *, const long long *, long long, long long)";
static_assert(sizeof(long long) == sizeof(int64_t));

namespace {

/// Pages of the system, which are 0 and cost nothing until they are touched:
/// preparing a plan for the largest sizes is as fast as for small ones.
class CpuMemory final : public ReplayMemory {
public:
  explicit CpuMemory(uint64_t Bytes) : Size(std::max<uint64_t>(Bytes, 1)) {
    void *Pages = ::mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (Pages != MAP_FAILED)
      First = static_cast<std::byte *>(Pages);
  }
  ~CpuMemory() override {
    if (First)
      ::munmap(First, Size);
  }
  Status clear() override {
    if (::madvise(First, Size, MADV_DONTNEED) != 0)
      std::memset(First, 0, Size);
    return Status::success();
  }
  Status read(uint64_t Offset, std::span<std::byte> Bytes) const override {
    std::memcpy(Bytes.data(), First + Offset, Bytes.size());
    return Status::success();
  }
  Status write(uint64_t Offset, std::span<const std::byte> Bytes) override {
    if (!Bytes.empty())
      std::memcpy(First + Offset, Bytes.data(), Bytes.size());
    return Status::success();
  }

private:
  uint64_t Size;
};

/// A constant of the plan. Only kernels use it, as const; a replay with other
/// elements for it has separate memory.
class CpuConstant final : public ReplayMemory {
public:
  explicit CpuConstant(const ConstantBytes &Bytes) : Held(Bytes.shared()) {
    First = Held.get();
  }
  Status clear() override { return refuse(); }
  Status read(uint64_t Offset, std::span<std::byte> Bytes) const override {
    std::memcpy(Bytes.data(), First + Offset, Bytes.size());
    return Status::success();
  }
  Status write(uint64_t, std::span<const std::byte>) override {
    return refuse();
  }

private:
  static Status refuse() {
    return graphFailure(GraphErrc::Runtime,
                        "constant: is shared; take memory of its own to write "
                        "to it");
  }

  std::shared_ptr<std::byte> Held;
};

struct CpuCall {
  CpuKernel *Kernel;
  ReplayNode Arguments;

  void operator()() const {
    Kernel(Arguments.Buffers,
           reinterpret_cast<const long long *>(Arguments.Sizes), 0,
           *Arguments.Shape);
  }
};

class CpuQueue final : public ReplayQueue {
public:
  explicit CpuQueue(std::vector<CpuCall> Calls) : Calls(std::move(Calls)) {}
  Status run() override {
    for (const CpuCall &Call : Calls)
      Call();
    return Status::success();
  }
  Status runNode(size_t Node) override {
    Calls[Node]();
    return Status::success();
  }
  /// Runs at once: users do not expect hidden threads.
  Result<Event> start(Stream Where) override {
    if (Where.handle)
      return graphFailure(GraphErrc::Device,
                          "stream: this graph is executed on the CPU, which "
                          "has none; give it Stream{}");
    if (Status S = run(); !S.ok())
      return S;
    return Event();
  }

private:
  std::vector<CpuCall> Calls;
};

class CpuBackend final : public ReplayBackend {
public:
  explicit CpuBackend(KernelPrograms Owned) : Programs(std::move(Owned)) {}

  Status resolve(const GraphPlan &Plan);
  Result<std::shared_ptr<ReplayMemory>> allocate(uint64_t Bytes,
                                                 MemoryKind) override;
  Result<std::shared_ptr<ReplayMemory>>
  hold(const ConstantBytes &Bytes) override {
    return std::shared_ptr<ReplayMemory>(std::make_shared<CpuConstant>(Bytes));
  }
  Result<std::unique_ptr<ReplayQueue>>
  makeQueue(std::span<const ReplayNode> Nodes,
            std::span<const NodeGrids> Buckets) override;
  bool canRead(const void *) const override { return true; }

private:
  KernelPrograms Programs;          ///< owners of the functions
  std::vector<CpuKernel *> Kernels; ///< of the plan
};

} // namespace

Status CpuBackend::resolve(const GraphPlan &Plan) {
  for (size_t I = 0; I < Plan.Kernels.size(); ++I) {
    void *Address;
    if (kpack_jit_status Code = kpack_jit_program_function(
            Programs.program(I), Programs.index(I), &Address))
      return compileFailure(Code);
    Kernels.push_back(reinterpret_cast<CpuKernel *>(Address));
  }
  return Status::success();
}

Result<std::shared_ptr<ReplayMemory>> CpuBackend::allocate(uint64_t Bytes,
                                                           MemoryKind) {
  auto Memory = std::make_shared<CpuMemory>(Bytes);
  if (!Memory->data())
    return graphFailure(GraphErrc::OutOfMemory,
                        "memory: " + std::to_string(Bytes) +
                            " bytes cannot be had; narrow the bounds of "
                            "variables",
                        StatusCode::OutOfMemory);
  return std::shared_ptr<ReplayMemory>(std::move(Memory));
}

Result<std::unique_ptr<ReplayQueue>>
CpuBackend::makeQueue(std::span<const ReplayNode> Nodes,
                      std::span<const NodeGrids>) {
  std::vector<CpuCall> Calls;
  for (const ReplayNode &Node : Nodes)
    Calls.push_back({Kernels[Node.Node->Kernel], Node});
  return std::unique_ptr<ReplayQueue>(new CpuQueue(std::move(Calls)));
}

Result<std::shared_ptr<ReplayBackend>>
kpack::jit::makeCpuBackend(const GraphPlan &Plan, const PrepareConfig &Config) {
  Result<KernelPrograms> Programs =
      KernelPrograms::compile(Plan, Config, CpuKernelType);
  if (!Programs)
    return Programs.status();
  std::vector<CompiledKernel> Kernels = Programs->kernels();
  auto Backend = std::make_shared<CpuBackend>(std::move(*Programs));
  if (Status S = Backend->resolve(Plan); !S.ok())
    return S;
  Backend->Compiled = std::move(Kernels);
  return std::shared_ptr<ReplayBackend>(std::move(Backend));
}
