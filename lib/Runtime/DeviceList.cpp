//===- DeviceList.cpp - GPUs of this process ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The four functions of the HSA standard (hsa.h) are declared here, since the
// build does not use ROCm's headers.
//
//===----------------------------------------------------------------------===//
#include "Runtime/DeviceList.h"

#include "Runtime/DynamicLinker.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cstdint>
#include <dlfcn.h>

using namespace kpack;
using namespace kpack::runtime;

namespace {

struct Agent {
  uint64_t Handle;
};
struct Isa {
  uint64_t Handle;
};
using AgentCallback = int (*)(Agent, void *);
using IsaCallback = int (*)(Isa, void *);
using IterateAgentsFn = int (*)(AgentCallback, void *);
using AgentInfoFn = int (*)(Agent, int, void *);
using IterateIsasFn = int (*)(Agent, IsaCallback, void *);
using IsaInfoFn = int (*)(Isa, int, void *);

constexpr int Success = 0;
constexpr int AgentInfoDevice = 17;
constexpr int DeviceIsGpu = 1;
constexpr int IsaInfoNameLength = 0;
constexpr int IsaInfoName = 1;
constexpr uint32_t MaxNameLength = 4096;

struct Collector {
  AgentInfoFn AgentInfo;
  IterateIsasFn IterateIsas;
  IsaInfoFn IsaInfo;
  std::vector<Device> Devices;

  static int takeIsa(Isa I, void *Self) {
    auto *C = static_cast<Collector *>(Self);
    uint32_t Length = 0;
    if (C->IsaInfo(I, IsaInfoNameLength, &Length) != Success || Length == 0 ||
        Length > MaxNameLength)
      return Success;
    std::string Name(Length + 1, '\0');
    if (C->IsaInfo(I, IsaInfoName, Name.data()) != Success)
      return Success;
    Name.resize(Name.find('\0')); // the length may count the zero
    std::string Id(stripTargetTriple(Name));
    if (isValidTargetId(Id))
      C->Devices.back().push_back(Id);
    return Success;
  }

  static int takeAgent(Agent A, void *Self) {
    auto *C = static_cast<Collector *>(Self);
    int Kind = -1;
    if (C->AgentInfo(A, AgentInfoDevice, &Kind) != Success ||
        Kind != DeviceIsGpu)
      return Success;
    C->Devices.emplace_back();
    C->IterateIsas(A, takeIsa, Self);
    const Device &New = C->Devices.back();
    if (New.empty() || std::find(C->Devices.begin(), C->Devices.end() - 1,
                                 New) != C->Devices.end() - 1)
      C->Devices.pop_back();
    return Success;
  }
};

} // namespace

/// Finds the HSA runtime of \p HipFunction. A process may hold several HSA
/// runtimes, as it may hold several HIP runtimes.
static link_map *findHsa(const void *HipFunction) {
  link_map *Hip = findObject(HipFunction);
  if (void *Found =
          Hip ? LoadedHandle(Hip).find("hsa_iterate_agents") : nullptr)
    return findObject(Found);
  // HIP may have loaded it with dlopen() instead of linking with it.
  void *Hsa = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!Hsa)
    return nullptr;
  link_map *Object = findObject(dlsym(Hsa, "hsa_iterate_agents"));
  if (!Object)
    dlclose(Hsa);
  return Object;
}

void DeviceList::connect(const void *HipFunction) {
  if (IsaInfo)
    return;
  link_map *Hsa = findHsa(HipFunction);
  if (!Hsa)
    return;
  LoadedHandle Runtime(Hsa);
  Runtime.keep(); // the functions must stay valid
  IterateAgents = Runtime.find("hsa_iterate_agents");
  AgentInfo = Runtime.find("hsa_agent_get_info");
  IterateIsas = Runtime.find("hsa_agent_iterate_isas");
  IsaInfo = Runtime.find("hsa_isa_get_info_alt");
}

std::vector<Device> DeviceList::devices() const {
  void *Agents = IterateAgents, *Info = AgentInfo, *Isas = IterateIsas,
       *Names = IsaInfo;
  if (!Agents || !Info || !Isas || !Names)
    return {};
  Collector C{reinterpret_cast<AgentInfoFn>(Info),
              reinterpret_cast<IterateIsasFn>(Isas),
              reinterpret_cast<IsaInfoFn>(Names),
              {}};
  reinterpret_cast<IterateAgentsFn>(Agents)(Collector::takeAgent, &C);
  return std::move(C.Devices);
}
