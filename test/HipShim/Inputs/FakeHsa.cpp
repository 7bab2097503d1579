//===- FakeHsa.cpp - the part of HSA that tells what GPUs there are -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built as libhsa-runtime64.so.1. FAKE_DEVICES (comma list of target ids) are
// the GPUs; in front of them is a CPU, as on a real machine. FAKE_HSA=off: HSA
// fails, only the HIP runtime knows the devices.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

__attribute__((visibility("default"))) std::vector<std::string> fakeDevices() {
  std::vector<std::string> Devices;
  const char *List = std::getenv("FAKE_DEVICES");
  for (const char *Position = List; Position && *Position;) {
    size_t Length = std::strcspn(Position, ",");
    Devices.emplace_back(Position, Length);
    Position += Length + (Position[Length] == ',');
  }
  return Devices;
}

struct Handle {
  uint64_t Number; // agents: 0 is the CPU; isas: number of their agent
};

API int hsa_iterate_agents(int (*Callback)(Handle, void *), void *Data) {
  if (const char *Hsa = std::getenv("FAKE_HSA"))
    if (std::strcmp(Hsa, "off") == 0)
      return 0x100b; // HSA_STATUS_ERROR_NOT_INITIALIZED
  for (uint64_t I = 0; I <= fakeDevices().size(); ++I)
    if (int Error = Callback({I}, Data))
      return Error;
  return 0;
}

API int hsa_agent_get_info(Handle Agent, int Attribute, void *Value) {
  if (Attribute != 17) // HSA_AGENT_INFO_DEVICE
    return 0x1001;
  const int Kind = Agent.Number != 0;
  std::memcpy(Value, &Kind, sizeof(Kind));
  return 0;
}

API int hsa_agent_iterate_isas(Handle Agent, int (*Callback)(Handle, void *),
                               void *Data) {
  return Callback(Agent, Data);
}

API int hsa_isa_get_info_alt(Handle Isa, int Attribute, void *Value) {
  const std::string Name =
      "amdgcn-amd-amdhsa--" + fakeDevices()[Isa.Number - 1];
  const auto Length = static_cast<uint32_t>(Name.size());
  if (Attribute == 0)
    std::memcpy(Value, &Length, sizeof(Length));
  else
    std::memcpy(Value, Name.data(), Length);
  return 0;
}
