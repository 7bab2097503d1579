//===- Topology.cpp - the machine that ROCr finds -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Node 0 is the CPU with all host memory; nodes 1, 2, ... are discrete GPUs,
// each with memory of its own, linked to the CPU and to one another by PCIe.
//
//===----------------------------------------------------------------------===//
#include "Driver.h"

#include "kpack/SoftGpu/Machine/MemoryMap.h"

#include <unistd.h>

using namespace kpack::softgpu;

// Few compute units: the runtime's copy and fill kernels start work for all of
// them, and we execute that on cores of the host.
static constexpr uint32_t ComputeUnits = 4;
static constexpr uint32_t CacheLineBytes = 128;

static uint64_t hostMemoryBytes() {
  return uint64_t(::sysconf(_SC_PHYS_PAGES)) *
         uint64_t(::sysconf(_SC_PAGESIZE));
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

static void describeCpu(const Driver &D, HsaNodeProperties &P) {
  P.NumCPUCores = uint32_t(::sysconf(_SC_NPROCESSORS_ONLN));
  P.NumMemoryBanks = 1;
  P.NumCaches = 2;
  P.NumIOLinks = D.nodes() - 1;
  P.MaxEngineClockMhzCCompute = 1000;
}

static void setName(HsaNodeProperties &P, const std::string &Marketing,
                    std::string_view Amd) {
  for (size_t I = 0; I < Marketing.size() && I + 1 < HSA_PUBLIC_NAME_SIZE; ++I)
    P.MarketingName[I] = uint16_t(Marketing[I]);
  for (size_t I = 0; I < Amd.size() && I + 1 < HSA_PUBLIC_NAME_SIZE; ++I)
    P.AMDName[I] = uint8_t(Amd[I]);
}

static void describeGpu(const Driver &D, uint32_t Node, HsaNodeProperties &P) {
  const KmtProcessor &Gpu = D.gpu(Node)->processor();
  P.NumSIMDPerCU = Gpu.isGfx9() ? 4 : 2;
  P.NumFComputeCores = ComputeUnits * P.NumSIMDPerCU;
  P.NumShaderBanks = 1;
  P.NumArrays = 1;
  P.NumCUPerArray = ComputeUnits;
  P.MaxWavesPerSIMD = Gpu.isGfx9() ? 8 : 16;
  P.MaxSlotsScratchCU = 32;
  P.WaveFrontSize = Gpu.isGfx9() ? 64 : 32;
  P.LDSSizeInKB = 64;
  P.NumMemoryBanks = 3;
  P.NumCaches = 2;
  P.NumIOLinks = D.nodes() - 1;
  P.Capability.ui32.DoorbellType = 2; // written with packet indices, 64 bits
  P.Capability.ui32.SRAM_EDCSupport = Gpu.SramEcc;
  P.EngineId.ui32.Major = Gpu.Major;
  P.EngineId.ui32.Minor = Gpu.Minor;
  P.EngineId.ui32.Stepping = Gpu.Stepping;
  P.EngineId.ui32.uCode = 400; // of firmware without known defects
  P.VendorId = 0x1002;
  P.DeviceId = Gpu.DeviceId;
  P.LocationId = Node << 8; // PCI bus = node
  P.LocalMemSize = DeviceMemory::LocalBytes;
  P.MaxEngineClockMhzFCompute = 1000;
  P.MaxEngineClockMhzCCompute = 1000;
  P.DrmRenderMinor = int32_t(127 + Node);
  P.UniqueID = 0x6b7061636b0000 + Node;
  P.NumCpQueues = 8;
  setName(P, "Emulated " + std::string(Gpu.Name), Gpu.Name);
}

static void describeGpuBank(uint32_t Index, HsaMemoryProperties &P) {
  P.Width = 64;
  P.MemoryClockMax = 1000;
  switch (Index) {
  case 0:
    P.HeapType = HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC;
    P.SizeInBytes = DeviceMemory::LocalBytes;
    break;
  case 1:
    P.HeapType = HSA_HEAPTYPE_GPU_LDS;
    P.SizeInBytes = 65536;
    P.VirtualBaseAddress = SharedAperture;
    break;
  default:
    P.HeapType = HSA_HEAPTYPE_GPU_SCRATCH;
    P.SizeInBytes = ApertureSize;
    P.VirtualBaseAddress = PrivateAperture;
    break;
  }
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

/// Runs \p Body with the driver if it is open and \p Node exists.
template <typename BodyT>
static HSAKMT_STATUS withNode(HSAuint32 Node, const void *Output, BodyT Body) {
  Driver *D = Driver::opened();
  if (!D)
    return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
  if (Node >= D->nodes())
    return HSAKMT_STATUS_INVALID_NODE_UNIT;
  if (!Output)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  Body(*D);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo *VersionInfo) {
  if (!VersionInfo)
    return HSAKMT_STATUS_INVALID_PARAMETER;
  VersionInfo->KernelInterfaceMajorVersion = 1;
  VersionInfo->KernelInterfaceMinorVersion = 6;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS
hsaKmtAcquireSystemProperties(HsaSystemProperties *SystemProperties) {
  return withNode(0, SystemProperties, [&](Driver &D) {
    *SystemProperties = {};
    SystemProperties->NumNodes = D.nodes();
  });
}

HSAKMT_STATUS hsaKmtReleaseSystemProperties(void) {
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 NodeId,
                                      HsaNodeProperties *NodeProperties) {
  return withNode(NodeId, NodeProperties, [&](Driver &D) {
    *NodeProperties = {};
    if (NodeId == 0)
      describeCpu(D, *NodeProperties);
    else
      describeGpu(D, NodeId, *NodeProperties);
  });
}

HSAKMT_STATUS
hsaKmtGetNodeMemoryProperties(HSAuint32 NodeId, HSAuint32 NumBanks,
                              HsaMemoryProperties *MemoryProperties) {
  return withNode(NodeId, MemoryProperties, [&](Driver &D) {
    for (HSAuint32 Index = 0; Index < NumBanks; ++Index) {
      HsaMemoryProperties &P = MemoryProperties[Index];
      P = {};
      if (NodeId != 0) {
        describeGpuBank(Index, P);
      } else if (Index == 0) {
        P.HeapType = HSA_HEAPTYPE_SYSTEM;
        P.SizeInBytes = hostMemoryBytes();
        P.Width = 64;
        P.MemoryClockMax = 1000;
      }
    }
  });
}

HSAKMT_STATUS
hsaKmtGetNodeCacheProperties(HSAuint32 NodeId, HSAuint32 ProcessorId,
                             HSAuint32 NumCaches,
                             HsaCacheProperties *CacheProperties) {
  return withNode(NodeId, CacheProperties, [&](Driver &D) {
    for (HSAuint32 Index = 0; Index < NumCaches; ++Index) {
      HsaCacheProperties &P = CacheProperties[Index];
      P = {};
      P.ProcessorIdLow = ProcessorId;
      P.CacheLevel = Index + 1;
      P.CacheSize = Index == 0 ? 16 : 4096; // KiB
      P.CacheLineSize = CacheLineBytes;
      P.CacheType.ui32.Data = 1;
      P.CacheType.ui32.CPU = NodeId == 0;
      P.CacheType.ui32.HSACU = NodeId != 0;
    }
  });
}

/// Each node is linked to every other one.
HSAKMT_STATUS
hsaKmtGetNodeIoLinkProperties(HSAuint32 NodeId, HSAuint32 NumIoLinks,
                              HsaIoLinkProperties *IoLinkProperties) {
  return withNode(NodeId, IoLinkProperties, [&](Driver &D) {
    for (HSAuint32 Index = 0; Index < NumIoLinks; ++Index) {
      HsaIoLinkProperties &P = IoLinkProperties[Index];
      P = {};
      P.IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS;
      P.NodeFrom = NodeId;
      P.NodeTo = Index < NodeId ? Index : Index + 1;
      P.Weight = NodeId == 0 || P.NodeTo == 0 ? 20 : 40;
    }
  });
}

HSAKMT_STATUS hsaKmtGetTileConfig(HSAuint32 NodeId, HsaGpuTileConfig *config) {
  return withNode(NodeId, config, [&](Driver &D) {
    config->NumTileConfigs = 0; // no images
    config->NumMacroTileConfigs = 0;
  });
}

HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32 NodeId,
                                     HsaClockCounters *Counters) {
  return withNode(NodeId, Counters, [&](Driver &D) {
    uint64_t Now = now();
    Counters->GPUClockCounter = Now;
    Counters->CPUClockCounter = Now;
    Counters->SystemClockCounter = Now;
    Counters->SystemClockFrequencyHz = 1'000'000'000;
  });
}
