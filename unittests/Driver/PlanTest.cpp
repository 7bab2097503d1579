//===- PlanTest.cpp - tests of the planned clang commands -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Driver/BuildPlan.h"
#include "../../lib/Driver/DryRun.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace kpack::driver;
using Strings = std::vector<std::string>;

namespace {
struct Planned {
  std::unique_ptr<CommandLine> Command;
  Toolbox Tools;
  Plan Result;
  Strings Link;
};
} // namespace

static Planned plan(std::vector<const char *> Argv,
                    Strings Targets = {"gfx1100", "gfx90a:xnack+"}) {
  Planned P;
  P.Command = llvm::cantFail(CommandLine::parse(Argv));
  P.Tools.Clang = "/bin/clang++";
  P.Tools.Linker = "/bin/ld.kpack";
  P.Tools.Plugin = "/lib/KpackPlugin.so";
  P.Tools.TempDir = "/tmp/t";
  P.Result = llvm::cantFail(makePlan(*P.Command, P.Tools, Targets));
  if (P.Command->Mode == Action::Link)
    P.Link = llvm::cantFail(linkCommand(*P.Command, P.Tools, P.Result, {}));
  return P;
}

static bool has(const Strings &Arguments, const Strings &Part) {
  return std::search(Arguments.begin(), Arguments.end(), Part.begin(),
                     Part.end()) != Arguments.end();
}

TEST(Plan, OneCompileATargetAndOneForTheHost) {
  Planned P = plan({"-O2", "-c", "a.hip", "-o", "x.o", "--offload-arch=gfx1100",
                    "--offload-arch=gfx90a:xnack+", "-MD", "-cuid=c"});
  ASSERT_EQ(P.Result.Units.size(), 1u);
  const TranslationUnit &Unit = P.Result.Units.front();
  ASSERT_EQ(Unit.Devices.size(), 2u);
  const Strings &Device = Unit.Devices[1].Arguments;
  EXPECT_TRUE(has(Device, {"--no-offload-new-driver", "--offload-device-only",
                           "--no-gpu-bundle-output",
                           "--offload-arch=gfx90a:xnack+", "-cuid=c"}));
  EXPECT_TRUE(has(Device, {"-c", "-o", Unit.Devices[1].Output, "a.hip"}));
  EXPECT_FALSE(has(Device, {"-MD"}));
  EXPECT_FALSE(has(Device, {"--offload-arch=gfx1100"}));
  const Strings &Host = Unit.HostArguments;
  EXPECT_TRUE(
      has(Host, {"--offload-host-only", "-cuid=c", "-Xclang", "-cuid=c"}));
  EXPECT_TRUE(has(Host, {"-c", "-o", "x.o", "a.hip"}));
  EXPECT_TRUE(has(Host, {"-MD"}));
  EXPECT_FALSE(has(Host, {"-fpass-plugin=/lib/KpackPlugin.so"}));
  EXPECT_EQ(Unit.Object, "x.o");
  EXPECT_TRUE(P.Link.empty());
}

TEST(Plan, PluginIsUsedWhereTheHostEmitsTextOrBitcode) {
  for (const char *Option :
       {"-flto=thin", "-S", "-emit-llvm", "-ffat-lto-objects"})
    EXPECT_TRUE(
        has(plan({"-c", Option, "a.hip"}).Result.Units.front().HostArguments,
            {"-fpass-plugin=/lib/KpackPlugin.so"}))
        << Option;
}

TEST(Plan, SideOutputsOfOneStepBuildsHaveTheUsersNames) {
  Planned P = plan({"-g", "-gsplit-dwarf", "-MD", "a.hip", "-o", "d/prog"});
  const TranslationUnit &Unit = P.Result.Units.front();
  EXPECT_TRUE(has(Unit.HostArguments, {"-dumpdir", "d/prog-"}));
  EXPECT_TRUE(has(Unit.HostArguments, {"-MF", "d/prog.d"}));
  EXPECT_TRUE(has(Unit.HostArguments, {"-MQ", "d/prog"}));
  EXPECT_TRUE(
      has(Unit.Devices[0].Arguments,
          {"-Xclang", "-split-dwarf-file", "-Xclang", "d/prog-a_gfx1100.dwo"}));
  EXPECT_TRUE(has(plan({"-MD", "a.hip"}).Result.Units[0].HostArguments,
                  {"-dumpdir", "a-", "-MF", "a.d", "-MQ", "a.o"}));
}

TEST(Plan, SourcesOfOneBaseNameShareNoFile) {
  for (const char *Extra : {"-O2", "-save-temps", "-fgpu-rdc"}) {
    Planned P = plan({"d1/k.hip", "d2/k.hip", "k.cpp", "-x", "hip", "k.c",
                      "d1/k.cu", "-o", "out", Extra});
    Strings Files = {P.Result.Others.at(0).Object};
    for (const TranslationUnit &Unit : P.Result.Units) {
      Files.push_back(Unit.Object);
      for (const DeviceCompile &Device : Unit.Devices)
        Files.push_back(Device.Output);
    }
    EXPECT_EQ(Files.size(), 13u);
    EXPECT_EQ(std::set(Files.begin(), Files.end()).size(), Files.size());
  }
}

TEST(Plan, LastSourceOfABaseNameKeepsTheUsersName) {
  Planned P = plan({"-c", "-save-temps", "d1/k.hip", "k.cpp", "d2/k.hip"});
  EXPECT_EQ(P.Result.Units[0].HostOutput, "/tmp/t/k-0.o");
  EXPECT_EQ(P.Result.Units[0].Object, "/tmp/t/k-0.o");
  EXPECT_EQ(P.Result.Others[0].Object, "/tmp/t/k-1.o");
  EXPECT_EQ(P.Result.Units[1].Object, "k.o");
}

TEST(Plan, LinkKeepsTheOrderOfObjects) {
  Planned P =
      plan({"x.o", "a.hip", "-lfoo", "b.cpp", "-Wl,-s", "-o", "out",
            "--emit-kpack=a,b.kpack", "--offload-arch=gfx1100", "-fgpu-rdc"});
  ASSERT_EQ(P.Result.Units.size(), 1u);
  ASSERT_EQ(P.Result.Others.size(), 1u);
  EXPECT_TRUE(has(P.Link, {"x.o", P.Result.Units[0].Object, "-lfoo",
                           P.Result.Others[0].Object, "-Wl,-s", "-o", "out"}));
  EXPECT_TRUE(has(P.Link, {"-fuse-ld=lld", "--ld-path=/bin/ld.kpack"}));
  EXPECT_TRUE(has(P.Link, {"-Xlinker", "--kpack=a,b.kpack"}));
  EXPECT_TRUE(has(P.Link, {"--hip-link"}));
  EXPECT_FALSE(has(P.Link, {"-fgpu-rdc"}));
  EXPECT_FALSE(has(P.Link, {"--offload-arch=gfx1100"}));
}

TEST(Plan, DefaultArchiveBesideTheOutput) {
  EXPECT_TRUE(has(plan({"a.o", "-o", "d/p", "--emit-kpack"}).Link,
                  {"-Xlinker", "--kpack=d/.kpack/p_@GFXARCH@.kpack"}));
  EXPECT_TRUE(has(plan({"a.o", "--emit-kpack"}).Link,
                  {"-Xlinker", "--kpack=.kpack/a.out_@GFXARCH@.kpack"}));
}

TEST(Plan, PlainLinkIsNotAHipLink) {
  Planned P = plan({"a.o", "-o", "p", "--emit-kpack"});
  EXPECT_FALSE(P.Result.compiles());
  EXPECT_TRUE(P.Result.Check.empty());
  EXPECT_FALSE(has(P.Link, {"--hip-link"}));
  EXPECT_FALSE(has(P.Link, {"-Qunused-arguments"}));
  EXPECT_TRUE(
      has(plan({"--hip-link", "a.o", "--emit-kpack"}).Link, {"--hip-link"}));
}

TEST(Plan, LanguageIsSelectedWhereNeeded) {
  Planned P = plan({"-x", "hip", "a.cpp", "-x", "none", "b.o", "--", "-c.o"});
  const TranslationUnit &Unit = P.Result.Units.front();
  EXPECT_TRUE(has(Unit.HostArguments, {"-x", "hip", "a.cpp"}));
  EXPECT_TRUE(has(P.Link, {Unit.Object, "b.o", "--", "-c.o"}));
  EXPECT_FALSE(has(P.Link, {"hip"}));
}

TEST(Plan, ReadsADryRun) {
  const char *Text =
      "Some clang version\n"
      " \"/bin/clang\" \"-cc1\" \"-shared\" \"-x\"\n"
      " \"/bin/lld\" \"-flavor\" \"gnu\" \"-m\" \"elf64_amdgpu\" "
      "\"--no-undefined\" \"-shared\" "
      "\"-plugin-opt=-amdgpu-internalize-symbols\" \"--lto-partitions=8\" "
      "\"-plugin-opt=mcpu=gfx1100\" \"-plugin-opt=O3\" \"--lto-CGO3\" "
      "\"--whole-archive\" \"-o\" \"x\"\n"
      " \"/bin/bundler\" \"-targets=host-x86_64-unknown-linux-gnu,"
      "hipv4-amdgcn-amd-amdhsa--gfx1100,hipv4-amdgcn-amd-amdhsa--gfx906\"\n";
  EXPECT_EQ(deviceLinkArgs(Text),
            (Strings{"--lto-partitions=8", "-plugin-opt=O3", "--lto-CGO3"}));
  EXPECT_EQ(dryRunTargets(Text), (Strings{"gfx1100", "gfx906"}));
  EXPECT_EQ(deviceLinkArgs(""), Strings{});
  EXPECT_EQ(dryRunTargets("nothing\n \"x\" \"-targets=host\"\n"), Strings{});
}
