//===- RocmTest.cpp - what libraries say of their ROCm --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On files that have the names of libraries, and in them the names of GPUs.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/SoftGpu/Run/Rocm.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace kpack::softgpu;

namespace {

class RocmTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("rocm-test", Folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  void write(const char *Name, llvm::StringRef Text) {
    std::error_code Problem;
    llvm::raw_fd_ostream((Folder + "/" + Name).str(), Problem) << Text;
    ASSERT_FALSE(Problem);
  }
  std::optional<run::Rocm> find() const {
    return run::Rocm::find({Folder.str().str()});
  }
  static bool knows(const run::Rocm &R, const char *Gpu) {
    return R.knows(*findProcessor(Gpu));
  }

  llvm::SmallString<128> Folder;
};

TEST_F(RocmTest, NeedsAnHsaRuntime) {
  EXPECT_FALSE(find());
  write("libamdhip64.so.5.2.1", "gfx90a");
  EXPECT_FALSE(find());
  write("libhsa-runtime64.so.1", "gfx90a");
  EXPECT_TRUE(find());
}

TEST_F(RocmTest, KnowsWhatBothLibrariesKnow) {
  write("libhsa-runtime64.so.1.13.0", "gfx90a:xnack- amdhsa--gfx1150 gfx942");
  write("libamdhip64.so.5.7.31921", "gfx90a|gfx1100");
  std::optional<run::Rocm> R = find();
  ASSERT_TRUE(R);
  EXPECT_TRUE(knows(*R, "gfx90a"));
  EXPECT_FALSE(knows(*R, "gfx1150")); // HIP does not
  EXPECT_FALSE(knows(*R, "gfx1100")); // HSA does not
  EXPECT_EQ(R->unknown({findProcessor("gfx1201"), findProcessor("gfx90a"),
                        findProcessor("gfx1200"), findProcessor("gfx1201")}),
            "gfx1201, gfx1200");
  EXPECT_EQ(R->unknown({findProcessor("gfx90a")}), "");
  EXPECT_NE(R->describe().find("\nGPUs that it knows: gfx90a\n"),
            std::string::npos)
      << R->describe();
}

TEST_F(RocmTest, HasTheVersionOfItsHip) {
  write("libhsa-runtime64.so.1.15.0", "gfx90a");
  EXPECT_EQ(find()->majorVersion(), 0u);
  EXPECT_EQ(find()->name().substr(0, 9), "the ROCm ");
  write("libamdhip64.so.6.4.43484", "gfx90a");
  EXPECT_EQ(find()->majorVersion(), 6u);
  EXPECT_EQ(find()->name().substr(0, 9), "ROCm 6.4 ");
  write("libamdhip64.so.10.0.1", "gfx90a"); // the highest of several
  EXPECT_EQ(find()->majorVersion(), 10u);
}

/// Packed, say: what cannot be found out is no reason to refuse a GPU.
TEST_F(RocmTest, KnowsAllWhereNoNameIsInTheFile) {
  write("libhsa-runtime64.so.1", "nothing");
  EXPECT_TRUE(knows(*find(), "gfx1201"));
}

} // namespace
