//===- HipTest.cpp - tests of the search for HIP installations ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Driver/HipDefaults.h"
#include "../../lib/Driver/HipInstallation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace kpack::driver;
using namespace llvm;
using Strings = std::vector<std::string>;

namespace {
/// A machine with some files.
class HipTest : public testing::Test {
protected:
  void headers(const Twine &Root, unsigned Major, unsigned Minor) {
    file(Root + "/include/hip/hip_version.h",
         "#define HIP_VERSION_MAJOR " + Twine(Major) +
             "\n#define HIP_VERSION_MINOR " + Twine(Minor) + "\n");
  }
  void deviceLibs(const Twine &Folder, ArrayRef<unsigned> Versions) {
    file(Folder + "/ockl.bc", "");
    for (unsigned Version : Versions)
      file(Folder + "/oclc_abi_version_" + Twine(Version) + "00.bc", "");
  }
  void file(const Twine &Path, const Twine &Text) {
    Files.addFile(Path, 0, MemoryBuffer::getMemBufferCopy(Text.str()));
  }
  HipInstallation find() { return findHip(Query, Files); }

  vfs::InMemoryFileSystem Files;
  HipQuery Query{"", "", "", "/usr/lib/llvm-22/bin/clang", 22};
};
} // namespace

TEST_F(HipTest, FindsHipOfDebian12) {
  headers("/usr", 5, 2);
  deviceLibs("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", {4, 5});
  HipInstallation Hip = find();
  EXPECT_EQ(Hip.Root, "/usr");
  EXPECT_EQ(Hip.Version, VersionTuple(5, 2));
  EXPECT_EQ(Hip.DeviceLibs, "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
  EXPECT_FALSE(Hip.ClangFindsDeviceLibs);
  EXPECT_EQ(Hip.NewestCodeObject, 5u);
}

TEST_F(HipTest, Debian13AndUnstable) {
  headers("/usr", 5, 7);
  deviceLibs("/usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode", {4, 5});
  EXPECT_EQ(find().DeviceLibs, "/usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode");
  EXPECT_EQ(find().NewestCodeObject, 5u);
  deviceLibs("/usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode", {4, 5, 6});
  EXPECT_EQ(find().DeviceLibs, "/usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode");
  EXPECT_EQ(find().NewestCodeObject, 6u);
  // A compiler does not read bitcode of a newer one.
  Query.ClangMajor = 19;
  EXPECT_EQ(find().DeviceLibs, "/usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode");
}

TEST_F(HipTest, RocmLayoutIsPreferredToTheSystem) {
  headers("/usr", 5, 2);
  deviceLibs("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", {4, 5});
  headers("/opt/rocm-6.2.4", 6, 2);
  deviceLibs("/opt/rocm-6.2.4/amdgcn/bitcode", {4, 5});
  headers("/opt/rocm-6.10.0", 6, 10);
  deviceLibs("/opt/rocm-6.10.0/amdgcn/bitcode", {4, 5, 6});
  EXPECT_EQ(find().Root, "/opt/rocm-6.10.0");
  EXPECT_TRUE(find().ClangFindsDeviceLibs);
  headers("/opt/rocm", 7, 0);
  deviceLibs("/opt/rocm/amdgcn/bitcode", {5, 6});
  EXPECT_EQ(find().Version, VersionTuple(7, 0));
  EXPECT_EQ(find().DeviceLibs, "/opt/rocm/amdgcn/bitcode");
  // A clang that belongs to a ROCm uses that one.
  headers("/home/me/rocm", 7, 1);
  Query.Clang = "/home/me/rocm/lib/llvm/bin/clang-22";
  EXPECT_EQ(find().Version, VersionTuple(7, 1));
}

TEST_F(HipTest, ExplicitPathsAreNotReplaced) {
  headers("/usr", 5, 2);
  deviceLibs("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", {4, 5});
  Query.RocmPath = "/nowhere";
  EXPECT_EQ(find().Root, "");
  EXPECT_EQ(find().DeviceLibs, "");
  Query.RocmPath = "/usr";
  EXPECT_EQ(find().DeviceLibs, "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
  Query.DeviceLibs = "/mine";
  EXPECT_EQ(find().DeviceLibs, "/mine");
  EXPECT_TRUE(find().ClangFindsDeviceLibs);
}

TEST_F(HipTest, BrokenVersionFilesAreIgnored) {
  file("/usr/include/hip/hip_version.h",
       "#define HIP_VERSION_MAJOR x\n#define");
  EXPECT_EQ(find().Root, "");
  file("/opt/rocm/include/hip/hip_version.h", "");
  EXPECT_TRUE(find().Version.empty());
  EXPECT_EQ(HipTest::find().DeviceLibs, "");
}

namespace {
HipInstallation hip(unsigned Major, unsigned Minor) {
  HipInstallation Hip;
  Hip.Root = "/usr";
  Hip.Version = VersionTuple(Major, Minor);
  Hip.DeviceLibs = "/libs";
  Hip.NewestCodeObject = 6;
  return Hip;
}

Strings added(const HipInstallation &Hip, std::vector<const char *> Argv,
              unsigned Clang = 22) {
  return hipDefaults(*cantFail(CommandLine::parse(Argv)), Hip, Clang, "/plugin")
      .Arguments;
}

bool has(const Strings &Arguments, StringRef Wanted) {
  return is_contained(Arguments, Wanted);
}

/// The wavefront's size that \p Arguments define for \p Side.
std::string wavefront(const Strings &Arguments, StringRef Side) {
  for (size_t I = 0; I + 1 < Arguments.size(); ++I) {
    StringRef Define = Arguments[I + 1];
    if (Arguments[I] == Side &&
        Define.consume_front("-D__AMDGCN_WAVEFRONT_SIZE="))
      return Define.str();
  }
  return "";
}
} // namespace

TEST(HipDefaults, CodeObjectVersionByRuntime) {
  EXPECT_TRUE(has(added(hip(5, 2), {"a.hip"}), "-mcode-object-version=4"));
  EXPECT_TRUE(has(added(hip(5, 7), {"a.hip"}, 19), "-mcode-object-version=4"));
  EXPECT_TRUE(has(added(hip(6, 2), {"a.hip"}), "-mcode-object-version=5"));
  EXPECT_FALSE(has(added(hip(6, 2), {"a.hip"}, 19), "-mcode-object-version=5"));
  for (StringRef Argument : added(hip(6, 4), {"a.hip"}))
    EXPECT_FALSE(Argument.starts_with("-mcode-object-version="));
  HipInstallation Old = hip(6, 4);
  Old.NewestCodeObject = 5;
  EXPECT_TRUE(has(added(Old, {"a.hip"}), "-mcode-object-version=5"));
  EXPECT_FALSE(
      has(added(Old, {"a.hip", "-nogpulib"}), "-mcode-object-version=5"));
  // These have no older version.
  EXPECT_FALSE(has(added(hip(5, 2), {"a.hip", "--offload-arch=gfx9-generic"}),
                   "-mcode-object-version=4"));
}

TEST(HipDefaults, WavefrontByTarget) {
  Strings Arguments =
      added(hip(5, 2), {"a.hip", "--offload-arch=gfx90a:xnack+,gfx1030",
                        "--offload-arch=gfx1201,gfx803,gfx11-generic"});
  EXPECT_EQ(wavefront(Arguments, "-Xarch_host"), "64");
  EXPECT_EQ(wavefront(Arguments, "-Xarch_gfx90a:xnack+"), "64");
  EXPECT_EQ(wavefront(Arguments, "-Xarch_gfx803"), "64");
  EXPECT_EQ(wavefront(Arguments, "-Xarch_gfx1030"), "32");
  EXPECT_EQ(wavefront(Arguments, "-Xarch_gfx1201"), "32");
  EXPECT_EQ(wavefront(Arguments, "-Xarch_gfx11-generic"), "32");
  EXPECT_EQ(wavefront(added(hip(6, 4), {"a.hip", "-mwavefrontsize64",
                                        "--offload-arch=gfx1030"}),
                      "-Xarch_gfx1030"),
            "64");
  Strings Native = added(hip(5, 2), {"a.hip", "--offload-arch=native"});
  EXPECT_EQ(wavefront(Native, "-Xarch_device"), "64");
  EXPECT_EQ(wavefront(Native, "-Xarch_gfx1100"), "32");
  EXPECT_EQ(wavefront(Native, "-Xarch_gfx1010:xnack-"), "32");
  EXPECT_EQ(wavefront(Native, "-Xarch_gfx90a"), "");
  // Not where clang or the headers need no help, or the user has said it.
  EXPECT_EQ(wavefront(added(hip(5, 2), {"a.hip"}, 19), "-Xarch_host"), "");
  EXPECT_EQ(wavefront(added(hip(7, 0), {"a.hip"}), "-Xarch_host"), "");
  EXPECT_EQ(wavefront(added(hip(5, 2), {"a.hip", "-nogpuinc"}), "-Xarch_host"),
            "");
  EXPECT_EQ(wavefront(added(hip(5, 2),
                            {"a.hip", "-D", "__AMDGCN_WAVEFRONT_SIZE__=8"}),
                      "-Xarch_host"),
            "");
}

TEST(HipDefaults, DeviceQueuesNeedThePlugin) {
  EXPECT_TRUE(has(added(hip(5, 2), {"a.hip"}), "-fpass-plugin=/plugin"));
  EXPECT_TRUE(has(added(hip(5, 2), {"a.hip", "-mcode-object-version=4"}),
                  "-fpass-plugin=/plugin"));
  EXPECT_FALSE(has(added(hip(5, 2), {"a.hip", "-mcode-object-version=5"}, 19),
                   "-fpass-plugin=/plugin"));
  EXPECT_FALSE(has(added(hip(6, 0), {"a.hip", "-mcode-object-version=4"}),
                   "-fpass-plugin=/plugin"));
  // Without the plugin it can only be said.
  auto Warnings = [](std::vector<const char *> Argv, unsigned Clang = 19) {
    return hipDefaults(*cantFail(CommandLine::parse(Argv)), hip(5, 2), Clang,
                       "")
        .Warnings.size();
  };
  EXPECT_EQ(Warnings({"a.hip"}, 17), 1u); // its default is version 4
  EXPECT_EQ(Warnings({"a.hip"}, 15), 0u); // lists nothing that is not used
  EXPECT_EQ(Warnings({"a.hip"}), 1u);
  EXPECT_EQ(Warnings({"a.hip", "-O2", "-O0"}), 1u);
  EXPECT_EQ(Warnings({"a.hip", "-O2"}), 0u);
}

TEST(HipDefaults, NamesThatClangHasNoMore) {
  constexpr const char *Half = "-D__llvm_amdgcn_rcp_f16(X)=((_Float16)1/(X))";
  std::vector<const char *> Argv = {"a.hip", "-O2", "-mcode-object-version=5"};
  EXPECT_TRUE(has(added(hip(5, 2), Argv, 20), "-fpass-plugin=/plugin"));
  EXPECT_TRUE(has(added(hip(5, 2), Argv, 20), Half));
  EXPECT_FALSE(has(added(hip(5, 2), Argv, 19), Half));
  EXPECT_FALSE(has(added(hip(5, 7), Argv, 20), Half));
  EXPECT_FALSE(has(added(hip(6, 0), Argv, 20), "-fpass-plugin=/plugin"));
  for (auto [Clang, Count] : {std::pair(19u, 0u), std::pair(20u, 1u)})
    EXPECT_EQ(
        hipDefaults(*cantFail(CommandLine::parse(Argv)), hip(5, 2), Clang, "")
            .Warnings.size(),
        Count);
}

TEST(HipDefaults, SuppliedArgumentsAreToldFromUserArguments) {
  Strings Supplied = added(hip(5, 2), {"a.hip"});
  auto With = cantFail(CommandLine::parse({"-O2", "a.hip"}, Supplied));
  EXPECT_TRUE(With->isSupplied(**With->args().begin()));
  Strings Stock = With->stockArguments();
  EXPECT_EQ(Strings(Stock.begin(), Stock.end() - 2), Supplied);
  EXPECT_FALSE(With->isSupplied(*With->Inputs.front().Option));
}
