//===- ToolchainTest.cpp - tests of the choice of compiler and target -----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Service/Toolchain.h"

#include <filesystem>
#include <fstream>

using namespace kpack;
using namespace kpack::jit;

namespace {

using Texts = std::vector<std::string>;

std::string chosen(const Texts &BuiltFor, const std::string &Device) {
  Result<std::string> Target = chooseTarget(BuiltFor, Device);
  return Target ? *Target : "error: " + Target.status().message();
}

TEST(ChooseTargetTest, FeaturesThatAreMentionedMustBeEqual) {
  const std::string Device = "gfx90a:sramecc+:xnack-";
  EXPECT_EQ(chosen({"gfx90a"}, Device), "gfx90a");
  EXPECT_EQ(chosen({"gfx90a:xnack-"}, Device), "gfx90a:xnack-");
  EXPECT_EQ(chosen({"gfx90a:xnack+"}, Device),
            "error: the library is built for gfx90a:xnack+, the GPU is "
            "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(chosen({"gfx90a:sramecc-:xnack-"}, Device).substr(0, 6), "error:");
  EXPECT_EQ(chosen({"gfx942", "gfx90a:xnack+", "gfx90a:xnack-"}, Device),
            "gfx90a:xnack-");
}

TEST(ChooseTargetTest, TheMostSpecificOneIsTaken) {
  const std::string Device = "gfx90a:sramecc+:xnack-";
  EXPECT_EQ(
      chosen({"gfx90a", "gfx90a:xnack-", "gfx90a:sramecc+:xnack-"}, Device),
      "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(
      chosen({"gfx90a", "gfx90a:sramecc-:xnack-", "gfx90a:xnack-"}, Device),
      "gfx90a:xnack-");
  EXPECT_EQ(chosen({"gfx9-4-generic", "gfx942"}, "gfx942:xnack-"), "gfx942");
  EXPECT_EQ(chosen({"gfx9-generic", "gfx9-4-generic"}, "gfx942:xnack-"),
            "gfx9-4-generic");
  // No rule says which; so it is not guessed.
  EXPECT_EQ(chosen({"gfx90a:sramecc+", "gfx90a:xnack-"}, Device).substr(0, 6),
            "error:");
  EXPECT_EQ(chosen({"gfx90a:xnack+", "gfx90a:xnack-"}, "gfx90a"),
            "error: the library is built for gfx90a:xnack+, gfx90a:xnack-, and "
            "which of them is wanted 'gfx90a' does not say; name the features "
            "too");
}

TEST(ChooseTargetTest, WithoutBuildTargetsTheDeviceIsTheTarget) {
  EXPECT_EQ(chosen({}, "gfx942:xnack-"), "gfx942:xnack-");
  EXPECT_EQ(chosen({}, "sm_90").substr(0, 6), "error:");
  EXPECT_EQ(chosen({"gfx942"}, "gfx94").substr(0, 6), "error:");
}

class FindCompilerTest : public TestFolder {
protected:
  /// A program of that name, below the test's folder.
  std::string make(const std::string &Path) {
    std::string Whole = Folder + "/" + Path;
    std::filesystem::create_directories(
        std::filesystem::path(Whole).parent_path());
    write(Whole, "");
    std::filesystem::permissions(Whole, std::filesystem::perms::owner_all);
    return Whole;
  }
  std::string found(CompilerSearch Search) {
    Search.SearchPath = Folder + "/a:" + Folder + "/b:relative";
    Result<std::string> Path = findCompiler(Search);
    return Path ? *Path : "error: " + Path.status().message();
  }
};

TEST_F(FindCompilerTest, RocmsThenClangThenTheNewestVersion) {
  EXPECT_EQ(found({}), "error: clang++: not found; name the compiler with "
                       "KPACK_JIT_COMPILER");
  std::string Old = make("a/clang++-19"), New = make("b/clang++-22");
  make("a/clang++-18");
  EXPECT_EQ(found({}), New);
  CompilerSearch NoVersions;
  NoVersions.WithVersions = false;
  NoVersions.Variable = "CK_JIT_COMPILER";
  EXPECT_EQ(found(NoVersions), "error: clang++: not found; name the compiler "
                               "with CK_JIT_COMPILER");
  std::string Plain = make("b/clang++");
  EXPECT_EQ(found({}), Plain);
  CompilerSearch Rocm;
  Rocm.RocmPath = Folder + "/rocm";
  EXPECT_EQ(found(Rocm), Plain);
  std::string Own = make("rocm/llvm/bin/clang++");
  EXPECT_EQ(found(Rocm), Own);
  Rocm.Wanted = "clang++-19";
  EXPECT_EQ(found(Rocm), Old);
  Rocm.Wanted = "/no/such/clang";
  EXPECT_EQ(found(Rocm), "/no/such/clang") << "the compile says so";
}

// Debian's clang++ is a name for that of its first version: too old, where a
// newer one has its version in its name.
TEST_F(FindCompilerTest, OldCompilersComeLast) {
  std::string Old = make("llvm-14/bin/clang");
  std::filesystem::create_directories(Folder + "/a");
  std::filesystem::create_symlink(Old, Folder + "/a/clang++");
  EXPECT_EQ(found({}), Folder + "/a/clang++") << "the compile says so";
  std::string New = make("b/clang++-22");
  EXPECT_EQ(found({}), New);
  CompilerSearch NoVersions;
  NoVersions.WithVersions = false;
  EXPECT_EQ(found(NoVersions), Folder + "/a/clang++");
}

} // namespace
