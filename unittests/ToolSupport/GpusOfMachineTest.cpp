//===- GpusOfMachineTest.cpp - tests of the list of GPUs ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/GpusOfMachine.h"
#include "../Support/TempDir.h"
#include "gtest/gtest.h"

#include <fstream>

using namespace kpack;
using Names = std::vector<std::string>;

static void addNode(const test::TempDir &Dir, const std::string &Number,
                    const std::string &Version) {
  std::filesystem::create_directory(Dir.file(Number));
  std::ofstream(Dir.file(Number + "/properties"))
      << "cpu_cores_count 0\ngfx_target_version " << Version << "\nwidth 1\n";
}

TEST(GpusOfMachine, NamesOfVersions) {
  test::TempDir Dir;
  addNode(Dir, "0", "0"); // a processor
  addNode(Dir, "1", "110000");
  addNode(Dir, "2", "90010");
  addNode(Dir, "3", "90402");
  addNode(Dir, "4", "110000");
  addNode(Dir, "5", "100306");
  addNode(Dir, "6", "what");
  EXPECT_EQ(gpusOfMachine(Dir.file(".")),
            (Names{"gfx1036", "gfx1100", "gfx90a", "gfx942"}));
}

TEST(GpusOfMachine, WithoutDriverThereAreNone) {
  EXPECT_EQ(gpusOfMachine("/nowhere"), Names());
}
