//===- RocmTest.cpp - tests of a ROCm's version and GPUs ------------------===//
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

#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::softgpu;

namespace {

class RocmTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("rocm-test", Folder));
  }
  void TearDown() override {
    if (!Pipe.empty()) // remove_directories() leaves it
      ::unlink(Pipe.c_str());
    llvm::sys::fs::remove_directories(Folder);
  }

  void write(const char *Name, llvm::StringRef Text) {
    std::error_code Problem;
    llvm::raw_fd_ostream((Folder + "/" + Name).str(), Problem) << Text;
    ASSERT_FALSE(Problem);
  }
  void makePipe(const char *Name) {
    Pipe = (Folder + "/" + Name).str();
    ASSERT_EQ(::mkfifo(Pipe.c_str(), 0600), 0);
  }
  std::optional<run::Rocm> find() const {
    return run::Rocm::find({Folder.str().str()});
  }
  static bool knows(const run::Rocm &R, const char *Gpu) {
    return R.knows(*findProcessor(Gpu));
  }

  llvm::SmallString<128> Folder;

private:
  std::string Pipe;
};

TEST_F(RocmTest, NeedsAnHsaRuntime) {
  EXPECT_FALSE(find());
  write("libamdhip64.so.5.2.1", "gfx90a");
  EXPECT_FALSE(find());
  write("libhsa-runtime64.so.1", "gfx90a");
  EXPECT_TRUE(find());
}

TEST_F(RocmTest, KnowsGpusOfBothLibraries) {
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

TEST_F(RocmTest, VersionIsThatOfHip) {
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
TEST_F(RocmTest, UnreadableLibraryKnowsAllGpus) {
  write("libhsa-runtime64.so.1", "nothing");
  EXPECT_TRUE(knows(*find(), "gfx1201"));
}

/// The folders of a root whose configuration is that of Debian, and more.
class LibraryFoldersTest : public RocmTest {
protected:
  void SetUp() override {
    RocmTest::SetUp();
    for (const char *Name : {"etc/ld.so.conf.d", "opt/first", "opt/second"})
      ASSERT_FALSE(
          llvm::sys::fs::create_directories((Folder + "/" + Name).str()));
  }
  std::string inRoot(const char *Name) const {
    return (Folder + "/" + Name).str();
  }
  std::vector<std::string> folders() const {
    return run::libraryFolders(Folder);
  }
};

TEST_F(LibraryFoldersTest, IncludedFilesAreReadInOrder) {
  write("etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n");
  write("etc/ld.so.conf.d/2.conf", "/opt/first\n");
  write("etc/ld.so.conf.d/1.conf", "/opt/second # here\n/opt/none\n");
  EXPECT_EQ(folders(), (std::vector<std::string>{inRoot("opt/second"),
                                                 inRoot("opt/first")}));
}

/// 40 lines that lead back are 40^4 reads, unless a file is read once.
TEST_F(LibraryFoldersTest, CyclicIncludesEnd) {
  std::string Text;
  for (int I = 0; I < 200; ++I)
    Text += "include /etc/ld.so.conf\ninclude /etc/ld.so.conf.d/back\n";
  write("etc/ld.so.conf", Text + "/opt/first\n");
  write("etc/ld.so.conf.d/back", Text + "/opt/second\n");
  EXPECT_EQ(folders(), (std::vector<std::string>{inRoot("opt/second"),
                                                 inRoot("opt/first")}));
}

TEST_F(LibraryFoldersTest, PipesAreIgnored) {
  makePipe("etc/ld.so.conf");
  EXPECT_EQ(folders(), std::vector<std::string>());
}

TEST_F(LibraryFoldersTest, HugeFilesAreIgnored) {
  write("etc/ld.so.conf", "/opt/first\ninclude /etc/ld.so.conf.d/*\n");
  write("etc/ld.so.conf.d/huge", "/opt/second\n" + std::string(1 << 20, '\n'));
  EXPECT_EQ(folders(), std::vector<std::string>{inRoot("opt/first")});
}

TEST_F(RocmTest, PipesAreNotRead) {
  makePipe("libhsa-runtime64.so.1");
  std::optional<run::Rocm> R = find();
  ASSERT_TRUE(R);
  EXPECT_TRUE(knows(*R, "gfx90a"));
}

} // namespace
