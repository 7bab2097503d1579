//===- OptionsTest.cpp - tests of ld.kpack's command line -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Options.h"

#include <gtest/gtest.h>

using namespace kpack::linker;
using namespace llvm;

namespace {

class OptionsTest : public testing::Test {
protected:
  LinkOptions parse(std::vector<const char *> Arguments) {
    Arguments.insert(Arguments.begin(), "ld.kpack");
    return cantFail(parseOptions(Arguments, Saver));
  }
  static std::vector<std::string> rest(const LinkOptions &Options) {
    return std::vector<std::string>(Options.LldArguments.begin() + 1,
                                    Options.LldArguments.end());
  }
  static std::vector<std::string> inputs(const LinkOptions &Options) {
    std::vector<std::string> Names;
    for (const InputArgument &Input : Options.Inputs)
      Names.push_back((Input.IsLibrary ? "-l" : "") + Input.Name);
    return Names;
  }

  BumpPtrAllocator Allocator;
  StringSaver Saver{Allocator};
};

TEST_F(OptionsTest, LldGetsEverythingElseInItsOrder) {
  LinkOptions Options =
      parse({"a.o", "--kpack=x", "-o", "out", "-unheard-of", "b.o",
             "--kpack-name=n", "-z", "now", "-L.", "-lfoo"});
  EXPECT_TRUE(Options.Enabled);
  EXPECT_EQ(rest(Options),
            (std::vector<std::string>{"a.o", "-o", "out", "-unheard-of", "b.o",
                                      "-z", "now", "-L.", "-lfoo"}));
  EXPECT_EQ(Options.Output, "out");
  EXPECT_EQ(Options.KernelName, "n");
}

TEST_F(OptionsTest, OptionValuesAreNotInputs) {
  LinkOptions Options = parse({"--kpack=x",
                               "-m",
                               "elf_x86_64",
                               "-plugin",
                               "LLVMgold.so",
                               "-plugin-opt=mcpu=x",
                               "-dynamic-linker",
                               "/lib/ld.so",
                               "-T",
                               "t",
                               "-rpath",
                               "r",
                               "-soname",
                               "s",
                               "--version-script",
                               "v",
                               "-e",
                               "e",
                               "--wrap",
                               "w",
                               "-u",
                               "u",
                               "-O",
                               "2",
                               "--threads",
                               "4",
                               "-h",
                               "h",
                               "--defsym",
                               "a=b",
                               "a.o"});
  EXPECT_EQ(inputs(Options), std::vector<std::string>{"a.o"});
}

TEST_F(OptionsTest, InputsHaveThePositionalState) {
  LinkOptions Options =
      parse({"--kpack=x", "-Bstatic", "-la", "--push-state", "-Bdynamic",
             "--whole-archive", "b.a", "--pop-state", "-l", "c", "--start-lib",
             "d.o", "--end-lib", "--format=binary", "e.o", "-b", "elf", "f.o"});
  ASSERT_EQ(inputs(Options),
            (std::vector<std::string>{"-la", "b.a", "-lc", "d.o", "f.o"}));
  EXPECT_TRUE(Options.Inputs[0].StaticOnly);
  EXPECT_FALSE(Options.Inputs[1].StaticOnly);
  EXPECT_TRUE(Options.Inputs[1].WholeArchive);
  EXPECT_TRUE(Options.Inputs[2].StaticOnly);
  EXPECT_FALSE(Options.Inputs[2].WholeArchive);
  EXPECT_TRUE(Options.Inputs[3].InLib);
  EXPECT_FALSE(Options.Inputs[4].InLib);
}

TEST_F(OptionsTest, LastOneWins) {
  LinkOptions Options = parse({"--kpack=x", "-o", "a", "--output=b", "-Map",
                               "m", "--Map=n", "--kpack=y"});
  EXPECT_EQ(Options.Output, "b");
  EXPECT_EQ(Options.MapFile, "n");
  EXPECT_EQ(Options.ArchivePath, "y");
  EXPECT_EQ(Options.KernelName, "b");
}

TEST_F(OptionsTest, NamesByDefault) {
  LinkOptions Options = parse({"--kpack=x", "-o", "dir/libfoo.so.1"});
  EXPECT_EQ(Options.KernelName, "libfoo.so.1");
  EXPECT_EQ(Options.Archives.GroupName, "libfoo.so");
  EXPECT_EQ(parse({"--kpack=x"}).KernelName, "a.out");
}

TEST_F(OptionsTest, StepIsOffWhereItDoesNotApply) {
  EXPECT_FALSE(parse({"a.o"}).Enabled);
  EXPECT_FALSE(parse({"--kpack=x", "-r", "a.o"}).Enabled);
  EXPECT_FALSE(parse({"--kpack=x", "--version"}).Enabled);
  EXPECT_FALSE(parse({"--kpack=x", "-m", "elf64_amdgpu"}).Enabled);
  // lld complains about the missing value.
  LinkOptions Options = parse({"--kpack=x", "a.o", "-o"});
  EXPECT_FALSE(Options.Enabled);
  EXPECT_EQ(rest(Options), (std::vector<std::string>{"a.o", "-o"}));
}

TEST_F(OptionsTest, PrintMapIsRedirected) {
  LinkOptions Options = parse({"--kpack=x", "-M", "--print-map", "a.o"});
  EXPECT_EQ(rest(Options), std::vector<std::string>{"a.o"});
  EXPECT_EQ(Options.MapFile, "-");
  EXPECT_EQ(rest(parse({"-M", "a.o"})),
            (std::vector<std::string>{"-M", "a.o"}));
}

} // namespace
