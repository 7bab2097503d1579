//===- commands.cpp - programs that are no tests of HIP -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Examples, rocminfo and Python below kpack-run. This one is not: it starts
// them with the command in ACCEPT_RUN, and looks at what they say. Of a GPU
// that a ROCm does not know a refusal is all that there is to see.
//
//===----------------------------------------------------------------------===//
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace {

struct Result {
  int Status;
  std::string Text;
};

std::string acceptRun() {
  const char *Words = std::getenv("ACCEPT_RUN");
  return Words ? Words : "kpack-run --";
}

/// \p Text without what ROCr 7.2 says at the end of a process: HIP keeps a
/// signal of each GPU.
std::string withoutLeaks(std::string Text) {
  const char *Line = "Warning: Resource leak detected by SharedSignalPool, ";
  for (size_t At = 0; (At = Text.find(Line, At)) != std::string::npos;) {
    size_t End = Text.find('\n', At);
    Text.erase(At, End == std::string::npos ? End : End - At + 1);
  }
  return Text;
}

/// With what the other end writes to standard output and to standard error.
Result run(const std::string &Words) {
  Result Ended{-1, ""};
  std::FILE *From =
      popen(("exec " + acceptRun() + " " + Words + " 2>&1").c_str(), "r");
  if (!From)
    return Ended;
  std::array<char, 4096> Part;
  while (size_t Size = std::fread(Part.data(), 1, Part.size(), From))
    Ended.Text.append(Part.data(), Size);
  int Status = pclose(From);
  Ended.Status = WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
  Ended.Text = withoutLeaks(std::move(Ended.Text));
  return Ended;
}

/// Of the folder that has this program.
std::string path(const std::string &Name) {
  auto Folder = std::filesystem::canonical("/proc/self/exe").parent_path();
  return "'" + (Folder / Name).lexically_normal().string() + "'";
}

/// The first one that kpack-run is told.
std::string gpu() {
  std::string Words = acceptRun(), Option = "--gpu=";
  size_t At = Words.find(Option);
  if (At == std::string::npos)
    return "gfx90a";
  At += Option.size();
  return Words.substr(At, Words.find_first_of(", ", At) - At);
}

int count(const std::string &Text, const std::string &Part) {
  int Found = 0;
  for (size_t At = 0; (At = Text.find(Part, At)) != std::string::npos; ++At)
    ++Found;
  return Found;
}

bool isRefusal(const Result &Of) {
  return Of.Status == 125 &&
         Of.Text.starts_with("kpack-run: error: " + gpu() + ": ROCm ") &&
         Of.Text.find(" does not know this GPU") != std::string::npos;
}

/// Skips its tests where there is no such GPU.
class Commands : public testing::Test {
protected:
  void SetUp() override {
    static const bool Unknown = isRefusal(run("true"));
    if (Unknown)
      GTEST_SKIP() << "this ROCm does not know the GPU";
  }
};
class Examples : public Commands,
                 public testing::WithParamInterface<const char *> {};

} // namespace

TEST(Refusal, NamesTheGpu) {
  Result Ended = run("true");
  if (Ended.Status == 0)
    GTEST_SKIP() << "this ROCm knows the GPU";
  EXPECT_TRUE(isRefusal(Ended)) << Ended.Status << ": " << Ended.Text;
}

TEST_F(Commands, RocminfoShowsTheGpus) {
  Result Ended = run("rocminfo");
  EXPECT_EQ(Ended.Status, 0) << Ended.Text;
  EXPECT_EQ(count(Ended.Text, " Emulated " + gpu()), 2) << Ended.Text;
  EXPECT_EQ(count(Ended.Text, " amdgcn-amd-amdhsa--" + gpu()), 2) << Ended.Text;
}

TEST_F(Commands, PythonCallsALibraryWithAKernel) {
  Result Ended = run("python3 " + path("axpy.py") + " " + path("libaxpy.so"));
  EXPECT_EQ(Ended.Status, 0);
  EXPECT_EQ(Ended.Text, "all numbers are right\n");
}

TEST_F(Commands, AssertOfAKernelEndsTheProgram) {
  Result Ended = run(path("insist") + " right");
  EXPECT_EQ(Ended.Status, 0);
  EXPECT_EQ(Ended.Text, "right\n");
  Ended = run(path("insist"));
  EXPECT_TRUE(Ended.Status == 128 + SIGABRT || Ended.Status == 3)
      << Ended.Status;
  EXPECT_NE(Ended.Text.find("void insist(int): Device-side assertion `Value == "
                            "42' failed."),
            std::string::npos)
      << Ended.Text;
}

TEST_P(Examples, AreRight) {
  Result Ended = run(path(std::string("../examples/") + GetParam()));
  EXPECT_EQ(Ended.Status, 0) << Ended.Text;
  EXPECT_NE(Ended.Text.find("right"), std::string::npos) << Ended.Text;
}
INSTANTIATE_TEST_SUITE_P(
    All, Examples,
    testing::Values("vector_add/vector_add", "multi_tu/multi_tu",
                    "hip_program/hip_program", "shared_library/client",
                    "two_gpus/two_gpus", "kernel_library/client"),
    [](const testing::TestParamInfo<const char *> &Example) {
      std::string Name = Example.param;
      return Name.substr(0, Name.find('/'));
    });
