//===- Sysfs.cpp - the driver's files in /sys -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Node 0 is the CPU with all host memory; nodes 1, 2, ... are discrete GPUs,
// each with local memory, linked to the CPU and to one another by PCIe. Each
// line of a property file is "name value", as kfd_topology.c of Linux writes
// it:
//
//   devices/virtual/kfd/kfd/topology/nodes/1/properties
//     simd_count 16
//     wave_front_size 64
//     gfx_target_version 90010
//
// Tools like rocm-smi read a board's files below its PCI device. Only those
// with a meaning for an emulated board exist: no sensors, no adjustable clocks.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Sysfs.h"

#include "Hardware.h"
#include "SoftGpu/Kfd/Preload/Emulator.h"

#include "ToolSupport/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace kpack;
using namespace kpack::softgpu;
using namespace llvm;

namespace {

struct Property {
  StringRef Name;
  uint64_t Value;
};

/// Writes files below a folder; keeps the first error.
class Tree {
public:
  explicit Tree(StringRef Root) : Root(Root) {}

  void write(const Twine &Path, const Twine &Text) {
    SmallString<256> Full = Root;
    sys::path::append(Full, Path);
    std::error_code Problem =
        sys::fs::create_directories(sys::path::parent_path(Full));
    if (!Problem) {
      raw_fd_ostream File(Full, Problem);
      File << Text;
      File.close();
      if (File.has_error())
        Problem = File.error();
      File.clear_error();
    }
    note(Full, Problem);
  }

  void write(const Twine &Path, ArrayRef<Property> Properties) {
    std::string Text;
    for (const Property &P : Properties)
      Text += (P.Name + " " + Twine(P.Value) + "\n").str();
    write(Path, Text);
  }

  /// Makes a symbolic link with the text \p Target.
  void link(const Twine &Path, const Twine &Target) {
    SmallString<256> Full = Root;
    sys::path::append(Full, Path);
    std::error_code Problem =
        sys::fs::create_directories(sys::path::parent_path(Full));
    if (!Problem)
      Problem = sys::fs::create_link(Target, Full);
    note(Full, Problem);
  }

  void makeFolder(const Twine &Path) {
    SmallString<256> Full = Root;
    sys::path::append(Full, Path);
    note(Full, sys::fs::create_directories(Full));
  }

  Error take() { return std::move(Failure); }

private:
  void note(StringRef Path, std::error_code Problem) {
    if (Problem && !Failure)
      Failure = objectError(Path, "cannot be written: " + Problem.message() +
                                      "; set TMPDIR to a folder that can");
  }

  StringRef Root;
  Error Failure = Error::success();
};

} // namespace

static constexpr StringLiteral Topology =
    "sys/devices/virtual/kfd/kfd/topology/";

static uint64_t hostMemoryBytes() {
  return uint64_t(::sysconf(_SC_PHYS_PAGES)) *
         uint64_t(::sysconf(_SC_PAGESIZE));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void writeLink(Tree &T, const Twine &Folder, size_t Source,
                      size_t Target) {
  constexpr uint64_t PciExpress = 2;
  T.write(Folder + "/properties",
          {{"type", PciExpress},
           {"version_major", 0},
           {"version_minor", 0},
           {"node_from", Source},
           {"node_to", Target},
           {"weight", Source == 0 || Target == 0 ? 20u : 40u},
           {"min_latency", 0},
           {"max_latency", 0},
           {"min_bandwidth", 312},
           {"max_bandwidth", 31504},
           {"recommended_transfer_size", 0},
           {"flags", 1}});
}

/// Links the CPU to each GPU. GPUs reach each other over the same bus, which
/// the driver lists separately: rocm-smi takes a direct link for XGMI.
static void writeLinks(Tree &T, const Twine &Folder, size_t Node,
                       size_t Nodes) {
  size_t Direct = 0, Peers = 0;
  for (size_t Target = 0; Target < Nodes; ++Target) {
    if (Target == Node)
      continue;
    if (Node == 0 || Target == 0)
      writeLink(T, Folder + "/io_links/" + Twine(Direct++), Node, Target);
    else
      writeLink(T, Folder + "/p2p_links/" + Twine(Peers++), Node, Target);
  }
}

static void writeBank(Tree &T, const Twine &Folder, uint64_t Heap,
                      uint64_t Bytes) {
  T.write(Folder + "/mem_banks/0/properties", {{"heap_type", Heap},
                                               {"size_in_bytes", Bytes},
                                               {"flags", 0},
                                               {"width", 64},
                                               {"mem_clk_max", 1000}});
}

static void writeCpu(Tree &T, const Twine &Folder, size_t Links) {
  constexpr uint64_t SystemHeap = 0;
  T.write(Folder + "/gpu_id", "0\n");
  T.write(Folder + "/name", "\n");
  T.write(Folder + "/properties",
          {{"cpu_cores_count", uint64_t(::sysconf(_SC_NPROCESSORS_ONLN))},
           {"simd_count", 0},
           {"mem_banks_count", 1},
           {"caches_count", 0},
           {"io_links_count", Links},
           {"p2p_links_count", 0},
           {"cpu_core_id_base", 0},
           {"simd_id_base", 0},
           {"max_engine_clk_ccompute", hardware::MegaHertz}});
  writeBank(T, Folder, SystemHeap, hostMemoryBytes());
}

/// Returns a node's capabilities (HSA_CAPABILITY of the thunk).
static uint64_t capabilities(const GpuProcessor &P) {
  constexpr uint64_t PacketDoorbells = 2 << 12, SramEcc = 1 << 26,
                     SharedVirtualMemory = 1 << 27;
  return PacketDoorbells | SharedVirtualMemory | (P.SramEcc ? SramEcc : 0);
}

static void writeGpuProperties(Tree &T, const Twine &Folder,
                               const GpuProcessor &P, size_t Node,
                               size_t Peers) {
  uint64_t SimdsPerUnit = P.isGfx9() ? 4 : 2;
  T.write(
      Folder + "/properties",
      {{"cpu_cores_count", 0},
       {"simd_count", hardware::ComputeUnits * SimdsPerUnit},
       {"mem_banks_count", 1},
       {"caches_count", 2},
       {"io_links_count", 1},
       {"p2p_links_count", Peers},
       {"cpu_core_id_base", 0},
       {"simd_id_base", 0x80001000 + 0x100 * Node},
       {"max_waves_per_simd", P.isGfx9() ? 8u : 16u},
       {"lds_size_in_kb", hardware::LdsKilobytes},
       {"gds_size_in_kb", 0},
       {"num_gws", hardware::SyncResources},
       {"wave_front_size", P.isGfx9() ? 64u : 32u},
       {"array_count", 1},
       {"simd_arrays_per_engine", 1},
       {"cu_per_simd_array", hardware::ComputeUnits},
       {"simd_per_cu", SimdsPerUnit},
       {"max_slots_scratch_cu", 32},
       {"gfx_target_version", P.Major * 10000u + P.Minor * 100u + P.Stepping},
       {"vendor_id", 0x1002},
       {"device_id", P.DeviceId},
       {"location_id", Node << 8}, // PCI bus = node
       {"domain", 0},
       {"drm_render_minor", FirstRenderMinor + Node - 1},
       {"hive_id", 0},
       {"num_sdma_engines", 2},
       {"num_sdma_xgmi_engines", 0},
       {"num_sdma_queues_per_engine", 8},
       {"num_cp_queues", 8},
       {"max_engine_clk_fcompute", hardware::MegaHertz},
       {"local_mem_size", hardware::LocalBytes},
       {"fw_version", 400}, // a firmware version without known defects
       {"capability", capabilities(P)},
       {"debug_prop", 0},
       {"sdma_fw_version", 8},
       {"unique_id", hardware::uniqueId(Node)},
       {"num_xcc", 1},
       {"max_engine_clk_ccompute", hardware::MegaHertz}});
}

static void writeCache(Tree &T, const Twine &Folder, size_t Node, size_t Level,
                       uint64_t Kilobytes) {
  constexpr uint64_t DataOfGpu = 9; // HSA_CACHE_TYPE: data, HSACU
  T.write(Folder + "/caches/" + Twine(Level - 1) + "/properties",
          {{"processor_id_low", 0x80001000 + 0x100 * Node},
           {"level", Level},
           {"size", Kilobytes},
           {"cache_line_size", 128},
           {"cache_lines_per_tag", 1},
           {"association", 16},
           {"latency", 0},
           {"type", DataOfGpu},
           {"sibling_map", 1}});
}

static void writeGpu(Tree &T, const Twine &Folder, const GpuProcessor &P,
                     size_t Node, size_t Peers) {
  constexpr uint64_t PublicHeap = 1;
  T.write(Folder + "/gpu_id", Twine(hardware::FirstGpuId + Node - 1) + "\n");
  T.write(Folder + "/name",
          StringRef(P.Name.data(), P.Name.size()) + Twine("\n"));
  writeGpuProperties(T, Folder, P, Node, Peers);
  writeBank(T, Folder, PublicHeap, hardware::LocalBytes);
  writeCache(T, Folder, Node, 1, 16);
  writeCache(T, Folder, Node, 2, 4096);
}

//===----------------------------------------------------------------------===//
// Boards
//===----------------------------------------------------------------------===//

/// Returns the address of a GPU's PCI device. The bus is the node's number.
static std::string pciAddress(size_t Node) {
  return formatv("0000:{0:x-2}:00.0", Node).str();
}

static void writeBoard(Tree &T, const Twine &Folder, const GpuProcessor &P,
                       size_t Node) {
  std::string Device = formatv("0x{0:x-4}\n", P.DeviceId);
  std::string Bytes = (Twine(hardware::LocalBytes) + "\n").str();
  std::string Clock = ("0: " + Twine(hardware::MegaHertz) + "Mhz *\n").str();
  std::pair<StringRef, std::string> Files[] = {
      {"vendor", "0x1002\n"},
      {"device", Device},
      {"subsystem_vendor", "0x1002\n"},
      {"subsystem_device", Device},
      {"revision", "0x01\n"},
      {"class", "0x038000\n"},
      {"uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=" + pciAddress(Node) + "\n"},
      {"unique_id", formatv("{0:x-}\n", hardware::uniqueId(Node))},
      {"vbios_version", "113-EMULATED-000\n"}, // required by rocm-smi
      // rocm-smi 5.2 requires this sensor; it has no reading.
      {"hwmon/hwmon0/name", "amdgpu\n"},
      {"hwmon/hwmon0/in0_label", "vddgfx\n"},
      {"product_name", hardware::marketingName(P) + "\n"},
      {"mem_info_vram_total", Bytes},
      {"mem_info_vis_vram_total", Bytes},
      // A process does not share its GPUs, and readers of these files use none.
      {"mem_info_vram_used", "0\n"},
      {"mem_info_vis_vram_used", "0\n"},
      {"gpu_busy_percent", "0\n"},
      {"pp_dpm_sclk", Clock},
      {"pp_dpm_mclk", Clock},
      {"current_link_speed", "16.0 GT/s PCIe\n"},
      {"current_link_width", "16\n"},
      {"max_link_speed", "16.0 GT/s PCIe\n"},
      {"max_link_width", "16\n"},
      {"numa_node", "0\n"}};
  for (const auto &[Name, Text] : Files)
    T.write(Folder + "/" + Name, Text);
}

/// Writes the PCI device, its nodes in /dev, and the links to them.
static void writePciDevice(Tree &T, const GpuProcessor &P, size_t Node) {
  std::string Pci = "devices/pci0000:00/" + pciAddress(Node);
  std::string Names[] = {"card" + std::to_string(Node - 1),
                         "renderD" +
                             std::to_string(FirstRenderMinor + Node - 1)};
  writeBoard(T, "sys/" + Pci, P, Node);
  T.link("sys/" + Pci + "/driver", "../../../module/amdgpu");
  for (const std::string &Name : Names) {
    std::string Inside = Pci + "/drm/" + Name;
    T.link("sys/" + Inside + "/device", "../../../" + pciAddress(Node));
    T.link("sys/class/drm/" + Name, "../../" + Inside);
  }
  T.write("dev/dri/" + Names[1], "");
}

/// For a chroot without /sys (Preload/Redirect.cpp): the thunk gives up if no
/// processor has a cache.
static void writeProcessor(Tree &T) {
  std::string Cache = "sys/devices/system/cpu/cpu0/cache/index0/";
  T.write(Cache + "level", "1\n");
  T.write(Cache + "type", "Data\n");
  T.write(Cache + "size", "32K\n");
  T.write(Cache + "coherency_line_size", "64\n");
  T.write(Cache + "physical_line_partition", "1\n");
  T.write(Cache + "ways_of_associativity", "8\n");
  T.write(Cache + "shared_cpu_list", "0\n");
  T.write(Cache + "shared_cpu_map", "1\n");
}

/// rocminfo first checks for the driver's module; ROCm 5's runs lsmod.
static void writeModule(Tree &T) {
  std::string Module = "sys/module/amdgpu/";
  T.write(Module + "initstate", "live\n");
  T.write(Module + "coresize", "0\n");
  T.write(Module + "refcnt", "0\n");
  T.makeFolder(Module + "holders");
  auto Others = MemoryBuffer::getFileAsStream("/proc/modules");
  StringRef Lines = Others ? (*Others)->getBuffer() : "";
  StringRef Own = Lines.starts_with("amdgpu ") || Lines.contains("\namdgpu ")
                      ? ""
                      : "amdgpu 0 0 - Live 0x0000000000000000\n";
  T.write("proc/modules", Own + Lines);
}

Error kpack::softgpu::writeSysfs(StringRef Folder,
                                 ArrayRef<const GpuProcessor *> Gpus) {
  Tree T(Folder);
  size_t Nodes = Gpus.size() + 1;
  T.write(Topology + "generation_id", "2\n");
  T.write(Topology + "system_properties",
          {{"platform_oem", 0}, {"platform_id", 0}, {"platform_rev", 0}});
  T.link("sys/class/kfd/kfd", "../../devices/virtual/kfd/kfd");
  writeModule(T);
  T.makeFolder("sys/devices/virtual/kfd/kfd/proc"); // processes are not listed
  writeProcessor(T);
  T.write("dev/kfd", "");
  for (size_t Node = 0; Node < Nodes; ++Node) {
    std::string Place = (Topology + "nodes/" + Twine(Node)).str();
    if (Node == 0)
      writeCpu(T, Place, Nodes - 1);
    else
      writeGpu(T, Place, *Gpus[Node - 1], Node, Nodes - 2);
    writeLinks(T, Place, Node, Nodes);
    if (Node)
      writePciDevice(T, *Gpus[Node - 1], Node);
  }
  return T.take();
}
