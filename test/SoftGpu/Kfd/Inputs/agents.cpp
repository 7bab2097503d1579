// Lists what HSA finds.
#include <cstdio>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

static hsa_status_t findLocal(hsa_amd_memory_pool_t Pool, void *Size) {
  hsa_amd_segment_t Segment;
  hsa_amd_memory_pool_get_info(Pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
                               &Segment);
  if (Segment == HSA_AMD_SEGMENT_GLOBAL)
    hsa_amd_memory_pool_get_info(Pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, Size);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t printIsa(hsa_isa_t Isa, void *) {
  char Name[64] = "";
  hsa_isa_get_info_alt(Isa, HSA_ISA_INFO_NAME, Name);
  std::printf("%s ", Name);
  return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t printAgent(hsa_agent_t Agent, void *) {
  hsa_device_type_t Type;
  hsa_agent_get_info(Agent, HSA_AGENT_INFO_DEVICE, &Type);
  if (Type == HSA_DEVICE_TYPE_CPU) {
    std::puts("CPU");
    return HSA_STATUS_SUCCESS;
  }
  std::printf("GPU ");
  hsa_agent_iterate_isas(Agent, printIsa, nullptr);
  unsigned Wave = 0, Units = 0;
  char Name[64] = "";
  size_t Memory = 0;
  hsa_agent_get_info(Agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &Wave);
  hsa_agent_get_info(
      Agent, hsa_agent_info_t(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), &Units);
  hsa_agent_get_info(Agent, hsa_agent_info_t(HSA_AMD_AGENT_INFO_PRODUCT_NAME),
                     Name);
  hsa_amd_agent_iterate_memory_pools(Agent, findLocal, &Memory);
  std::printf("wave %u, %u units, '%s', memory %zu MiB\n", Wave, Units, Name,
              Memory >> 20);
  return HSA_STATUS_SUCCESS;
}

int main() {
  if (hsa_init() != HSA_STATUS_SUCCESS)
    return 1;
  hsa_iterate_agents(printAgent, nullptr);
  return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 1;
}
