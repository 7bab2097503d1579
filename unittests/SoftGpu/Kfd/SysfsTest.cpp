//===- SysfsTest.cpp - tests of the driver's files in /sys ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read as its thunk reads it: lines of names and numbers.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Sysfs.h"

#include "../../Support/TempDir.h"

#include "gtest/gtest.h"

#include <fstream>
#include <map>

using namespace kpack;
using namespace kpack::softgpu;

namespace {

class KfdSysfs : public testing::Test {
protected:
  void SetUp() override {
    const GpuProcessor *Gpus[] = {findProcessor("gfx90a"),
                                  findProcessor("gfx1030")};
    ASSERT_FALSE(llvm::errorToBool(writeSysfs(Folder.file(""), Gpus)));
  }

  std::map<std::string, uint64_t> properties(const std::string &Path) {
    std::map<std::string, uint64_t> Found;
    std::ifstream File(Folder.file("sys/devices/virtual/kfd/kfd/topology/") +
                       Path + "/properties");
    EXPECT_TRUE(File.good()) << Path;
    std::string Name;
    uint64_t Value;
    while (File >> Name >> Value)
      Found[Name] = Value;
    return Found;
  }

  test::TempDir Folder;
};

TEST_F(KfdSysfs, NodesAreACpuAndTheGpus) {
  auto Cpu = properties("nodes/0"), First = properties("nodes/1"),
       Second = properties("nodes/2");
  EXPECT_GT(Cpu["cpu_cores_count"], 0u);
  EXPECT_EQ(Cpu["simd_count"], 0u);
  EXPECT_EQ(First["gfx_target_version"], 90010u);
  EXPECT_EQ(First["wave_front_size"], 64u);
  EXPECT_EQ(First["drm_render_minor"], 128u);
  EXPECT_EQ(Second["gfx_target_version"], 100300u);
  EXPECT_EQ(Second["wave_front_size"], 32u);
  EXPECT_EQ(Second["drm_render_minor"], 129u);
  EXPECT_EQ(First["cpu_cores_count"], 0u);
}

TEST_F(KfdSysfs, CountedEntriesExist) {
  for (const char *Node : {"nodes/0", "nodes/1", "nodes/2"}) {
    auto P = properties(Node);
    for (auto [Count, Place] : {std::pair{"mem_banks_count", "mem_banks"},
                                {"caches_count", "caches"},
                                {"io_links_count", "io_links"},
                                {"p2p_links_count", "p2p_links"}})
      for (uint64_t I = 0; I < P[Count]; ++I)
        EXPECT_FALSE(properties(std::string(Node) + "/" + Place + "/" +
                                std::to_string(I))
                         .empty());
  }
}

/// The CPU directly, the GPUs to one another as peers on its bus.
TEST_F(KfdSysfs, EachNodeIsLinkedToEachOther) {
  for (uint64_t Node = 0; Node < 3; ++Node) {
    unsigned Reached = 1u << Node;
    std::string Place = "nodes/" + std::to_string(Node);
    auto Counts = properties(Place);
    EXPECT_EQ(Counts["io_links_count"], Node == 0 ? 2u : 1u);
    EXPECT_EQ(Counts["p2p_links_count"], Node == 0 ? 0u : 1u);
    for (auto [Count, Kind] : {std::pair{"io_links_count", "/io_links/"},
                               {"p2p_links_count", "/p2p_links/"}})
      for (uint64_t Link = 0; Link < Counts[Count]; ++Link) {
        auto P = properties(Place + Kind + std::to_string(Link));
        EXPECT_EQ(P["node_from"], Node);
        EXPECT_EQ(P["weight"], Kind[1] == 'i' ? 20u : 40u);
        Reached |= 1u << P["node_to"];
      }
    EXPECT_EQ(Reached, 7u);
  }
}

/// The node's number is the PCI bus, which is how tools find the one in the
/// other.
TEST_F(KfdSysfs, BoardsMatchTheirNodes) {
  auto Text = [&](const std::string &Path) {
    std::ifstream File(Folder.file("sys/class/drm/") + Path);
    std::string Line;
    std::getline(File, Line);
    return Line;
  };
  for (size_t Gpu = 0; Gpu < 2; ++Gpu) {
    auto Node = properties("nodes/" + std::to_string(Gpu + 1));
    std::string Card = "card" + std::to_string(Gpu) + "/device/";
    EXPECT_EQ(std::stoull(Text(Card + "device"), nullptr, 16),
              Node["device_id"]);
    EXPECT_EQ(std::stoull(Text(Card + "unique_id"), nullptr, 16),
              Node["unique_id"]);
    std::string Minor = std::to_string(Node["drm_render_minor"]);
    EXPECT_EQ(Text(Card + "drm/renderD" + Minor + "/device/vendor"), "0x1002");
    std::ifstream Events(Folder.file("sys/class/drm/") + Card + "uevent");
    std::string Driver, Slot;
    Events >> Driver >> Slot;
    EXPECT_EQ(Slot, "PCI_SLOT_NAME=0000:0" +
                        std::to_string(Node["location_id"] >> 8) + ":00.0");
  }
}

TEST(KfdProcessors, ListIsParsedAndChecked) {
  auto Two = readProcessors("--gpu=x", "gfx90a,gfx1201");
  ASSERT_TRUE(bool(Two)) << llvm::toString(Two.takeError());
  EXPECT_EQ((*Two)[1]->Name, "gfx1201");
  for (const char *Wrong : {"", "gfx90a,", "gfx999", "gfx90a gfx1030"})
    EXPECT_TRUE(
        llvm::errorToBool(readProcessors("--gpu=x", Wrong).takeError()));
}

} // namespace
