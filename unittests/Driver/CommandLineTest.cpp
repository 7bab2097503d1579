//===- CommandLineTest.cpp - tests of the driver's command line -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Driver/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace kpack::driver;
using Strings = std::vector<std::string>;

static std::unique_ptr<CommandLine> parse(std::vector<const char *> Argv) {
  llvm::Expected<std::unique_ptr<CommandLine>> Result =
      CommandLine::parse(Argv);
  if (!Result) {
    ADD_FAILURE() << llvm::toString(Result.takeError());
    return nullptr;
  }
  return std::move(*Result);
}

static std::string failure(std::vector<const char *> Argv) {
  llvm::Expected<std::unique_ptr<CommandLine>> Result =
      CommandLine::parse(Argv);
  return Result ? "" : llvm::toString(Result.takeError());
}

TEST(CommandLine, TakesOwnOptionsOut) {
  auto C =
      parse({"-O2", "--emit-kpack=a.kpack", "--kpack-name=n", "--kpack-group=g",
             "--kpack-jobs=3", "--kpack-search-path=x", "--kpack-search-path=y",
             "--kpack-compression=zstd:5", "--device-debug=split",
             "--kpack-clang=/c", "a.hip", "-o", "p"});
  EXPECT_EQ(C->stockArguments(), (Strings{"-O2", "a.hip", "-o", "p"}));
  EXPECT_TRUE(C->Kpack.EmitKpack);
  EXPECT_EQ(C->Kpack.Archive, "a.kpack");
  EXPECT_EQ(C->Kpack.Name, "n");
  EXPECT_EQ(C->Kpack.Group, "g");
  EXPECT_EQ(C->Kpack.Jobs, 3u);
  EXPECT_EQ(C->Kpack.SearchPaths, (Strings{"x", "y"}));
  EXPECT_EQ(C->Kpack.Compression, "zstd:5");
  EXPECT_EQ(C->Kpack.DeviceDebug, "split");
  EXPECT_EQ(C->Kpack.Clang, "/c");
  EXPECT_EQ(C->output(), "p");
}

TEST(CommandLine, LeavesValuesOfOtherOptionsAlone) {
  std::vector<const char *> Argv{
      "-Xlinker", "--kpack-name=x", "-o", "--emit-kpack",
      "-Xclang",  "--kpack-jobs=0", "-D", "--emit-kpack=y",
      "-c",       "a.hip",          "--", "--kpack-group=z"};
  auto C = parse(Argv);
  EXPECT_FALSE(C->hasOwnOptions());
  EXPECT_FALSE(C->Kpack.EmitKpack);
  EXPECT_EQ(C->output(), "--emit-kpack");
  ASSERT_EQ(C->Inputs.size(), 2u);
  EXPECT_EQ(C->Inputs[1].Path, "--kpack-group=z");
  EXPECT_EQ(C->stockArguments(), Strings(Argv.begin(), Argv.end()));
}

TEST(CommandLine, HostOnlyOptionNamesTheOutput) {
  auto C = parse({"--emit-host-only=h", "a.hip"});
  EXPECT_TRUE(C->Kpack.EmitKpack);
  EXPECT_EQ(C->output(), "h");
  EXPECT_EQ(C->stockArguments(), (Strings{"-o", "h", "a.hip"}));
  EXPECT_EQ(parse({"--emit-host-only=h", "a.hip", "-o", "h"})->output(), "h");
  EXPECT_EQ(failure({"--emit-host-only=h", "a.hip", "-o", "x"}),
            "--emit-host-only=h: -o names another file, x; give one of the "
            "two");
}

TEST(CommandLine, RecognisesHipInputs) {
  auto C = parse({"a.hip", "b.cpp", "-x", "hip", "c.cpp", "-x", "none",
                  "d.hipi", "e.o", "-lfoo", "-x", "c++", "f.hip"});
  std::string Kinds;
  for (const Input &I : C->Inputs)
    Kinds += I.Path + (I.IsHip ? "+ " : " ");
  EXPECT_EQ(Kinds, "a.hip+ b.cpp c.cpp+ d.hipi+ e.o f.hip ");
  EXPECT_EQ(C->Inputs[2].Language, "hip");
  EXPECT_EQ(C->Inputs[3].Language, "");
  EXPECT_TRUE(C->hasHipInput());
}

TEST(CommandLine, DecidesTheAction) {
  EXPECT_EQ(parse({"a.hip"})->Mode, Action::Link);
  EXPECT_EQ(parse({"a.o"})->Mode, Action::Link);
  EXPECT_EQ(parse({"-c", "a.hip"})->Mode, Action::Object);
  EXPECT_EQ(parse({"-S", "-c", "a.hip"})->Mode, Action::Assembly);
  EXPECT_EQ(parse({"-c", "-S", "a.hip"})->Mode, Action::Assembly);
  EXPECT_EQ(parse({"-c", "-emit-llvm", "a.hip"})->Mode, Action::Object);
  for (const char *Stock :
       {"-E", "-M", "-MM", "-fsyntax-only", "--precompile", "--analyze",
        "--offload-device-only", "--offload-host-only", "--cuda-host-only",
        "-emit-llvm", "--version", "-print-search-dirs"})
    EXPECT_EQ(parse({Stock, "a.hip"})->Mode, Action::Stock) << Stock;
  EXPECT_EQ(parse({"-c", "a.cpp"})->Mode, Action::Stock);
  EXPECT_EQ(parse({"-v"})->Mode, Action::Stock);
  EXPECT_EQ(parse({"a.hip", "-o"})->Mode, Action::Stock);
  EXPECT_EQ(parse({"-c", "a.hip", "b.hip", "-o", "x"})->Mode, Action::Stock);
  EXPECT_EQ(
      parse({"-c", "--offload-host-only", "--offload-host-device", "a.hip"})
          ->Mode,
      Action::Object);
}

TEST(CommandLine, KnowsBitcodeAndRdc) {
  EXPECT_FALSE(parse({"-c", "a.hip"})->hostIsBitcode());
  EXPECT_TRUE(parse({"-c", "-flto=thin", "a.hip"})->hostIsBitcode());
  EXPECT_TRUE(parse({"-c", "-flto", "a.hip"})->hostIsBitcode());
  EXPECT_FALSE(parse({"-c", "-flto", "-fno-lto", "a.hip"})->hostIsBitcode());
  EXPECT_TRUE(parse({"-c", "-emit-llvm", "a.hip"})->hostIsBitcode());
  EXPECT_TRUE(parse({"-fgpu-rdc", "a.hip"})->isRdc());
  EXPECT_TRUE(parse({"-fcuda-rdc", "a.hip"})->isRdc());
  EXPECT_FALSE(parse({"-fgpu-rdc", "-fno-gpu-rdc", "a.hip"})->isRdc());
}

TEST(CommandLine, KeepsTheUsersSpelling) {
  auto C = parse({"--cuda-gpu-arch=gfx1100", "-o", "x", "-ox", "a.hip"});
  std::vector<Strings> Spellings;
  for (const llvm::opt::Arg *A : C->args())
    Spellings.push_back(C->spelling(*A));
  EXPECT_EQ(Spellings,
            (std::vector<Strings>{
                {"--cuda-gpu-arch=gfx1100"}, {"-o", "x"}, {"-ox"}, {"a.hip"}}));
}

TEST(CommandLine, ReadsConfigFilesForDecisionsOnly) {
  llvm::SmallString<128> Path;
  int Fd;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("kpack", "cfg", Fd, Path));
  {
    llvm::raw_fd_ostream OS(Fd, /*shouldClose=*/true);
    OS << "-fgpu-rdc\n";
  }
  std::string Option = "--config=" + std::string(Path);
  auto C = parse({Option.c_str(), "-c", "a.hip"});
  EXPECT_TRUE(C->isRdc());
  EXPECT_EQ(C->stockArguments(), (Strings{Option, "-c", "a.hip"}));
  llvm::sys::fs::remove(Path);
}

TEST(CommandLine, RefusesBadValues) {
  EXPECT_EQ(failure({"--kpack-jobs=none"}),
            "--kpack-jobs=none: not a number of jobs; give 1 to 4096");
  EXPECT_EQ(failure({"--kpack-jobs=4097"}),
            "--kpack-jobs=4097: not a number of jobs; give 1 to 4096");
  EXPECT_EQ(failure({"--device-debug=all", "--emit-kpack"}),
            "--device-debug=all: no such way; give keep, strip or split");
  EXPECT_EQ(failure({"--kpack-compression=zstd:0"}),
            "--kpack-compression=zstd:0: unknown compression; give none, zstd "
            "or zstd:1 to zstd:22");
  EXPECT_EQ(failure({"--kpack-x"}),
            "--kpack-x: unknown option; see kpack-clang++ --kpack-help");
}

TEST(CommandLine, FastPathRecognisesOwnOptions) {
  EXPECT_FALSE(mentionsKpack({"-c", "a.hip", "-O2"}));
  EXPECT_TRUE(mentionsKpack({"-c", "--emit-kpack"}));
  EXPECT_TRUE(mentionsKpack({"--kpack-clang=x"}));
  EXPECT_TRUE(mentionsKpack({"@args"}));
}
