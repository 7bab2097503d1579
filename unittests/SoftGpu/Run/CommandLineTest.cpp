//===- CommandLineTest.cpp - tests of softgpu-run and kpack-run options ---===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Run/RunKernel.h"
#include "SoftGpu/Run/RunProgram.h"

#include "gtest/gtest.h"
#include <string>
#include <vector>

using namespace kpack::softgpu;
using namespace llvm;

namespace {

struct Outcome {
  int Status = 0;
  std::string Out, Err;
};

Outcome runKernel(std::vector<const char *> Words) {
  Outcome R;
  raw_string_ostream Out(R.Out), Err(R.Err);
  R.Status = runKernelMain(Words, Out, Err);
  return R;
}

/// kpack-run changes the environment: it gets far enough only for words that
/// are wrong, which is what is asked here.
Outcome runProgram(std::vector<std::string> Words) {
  Words.insert(Words.begin(), "kpack-run");
  std::vector<char *> Pointers;
  for (std::string &Word : Words)
    Pointers.push_back(Word.data());
  Outcome R;
  raw_string_ostream Out(R.Out), Err(R.Err);
  R.Status = runProgramMain(Pointers, Out, Err);
  return R;
}

TEST(RunKernelTest, InvalidArgumentsAreReported) {
  Outcome R = runKernel({"a.co"});
  EXPECT_EQ(R.Status, 1);
  EXPECT_EQ(R.Err, "softgpu-run: error: command line: a file and a kernel's "
                   "name expected; see 'softgpu-run --help'\n");
  R = runKernel({"a.co", "k", "--grid"});
  EXPECT_EQ(R.Status, 1);
  EXPECT_NE(R.Err.find("did you mean '--grid='?"), std::string::npos) << R.Err;
  R = runKernel({"a.co", "k", "--grid=4,0"});
  EXPECT_EQ(R.Err, "softgpu-run: error: --grid=4,0: one to three numbers above "
                   "0 expected\n");
  R = runKernel({"a.co", "k", "--threads=1025"});
  EXPECT_EQ(R.Err, "softgpu-run: error: --threads=1025: a number from 0 to "
                   "1024 expected\n");
  R = runKernel({"/nonexistent/a.co", "k"});
  EXPECT_EQ(R.Err,
            "softgpu-run: error: /nonexistent/a.co: cannot read: No such "
            "file or directory; give a readable file\n");
}

TEST(RunKernelTest, HelpsWithoutOperands) {
  Outcome R = runKernel({"--help"});
  EXPECT_EQ(R.Status, 0);
  EXPECT_NE(R.Out.find("USAGE: softgpu-run [options] <file> <kernel>"),
            std::string::npos);
  EXPECT_NE(R.Out.find("inout:<file>:<file>"), std::string::npos);
  EXPECT_EQ(R.Err, "");
}

TEST(RunProgramTest, InvalidArgumentsAreReported) {
  Outcome R = runProgram({});
  EXPECT_EQ(R.Status, 125);
  EXPECT_EQ(R.Err, "kpack-run: error: command line: no program; see 'kpack-run "
                   "--help'\n");
  R = runProgram({"--gpus=gfx90a", "true"});
  EXPECT_EQ(R.Status, 125);
  EXPECT_NE(R.Err.find("did you mean '--gpu=gfx90a'?"), std::string::npos)
      << R.Err;
  R = runProgram({"--gpu=gfx90a,gfx1", "true"});
  EXPECT_EQ(R.Status, 125);
  EXPECT_NE(R.Err.find("--gpu=gfx90a,gfx1: no GPU 'gfx1'; there are gfx900, "),
            std::string::npos)
      << R.Err;
  R = runProgram({"--check=lds,speed", "true"});
  EXPECT_EQ(R.Err, "kpack-run: error: --check=lds,speed: no check 'speed'; "
                   "there are lds and alignment\n");
  R = runProgram({"--threads=many", "--", "true"});
  EXPECT_EQ(R.Err, "kpack-run: error: --threads=many: a number from 0 to 1024 "
                   "expected\n");
}

/// Options behind the program's name are the program's.
TEST(RunProgramTest, OptionsEndAtTheProgram) {
  Outcome R = runProgram({"--check=none", "true", "--help"});
  EXPECT_EQ(R.Status, 125);
  EXPECT_EQ(R.Out, "");
}

} // namespace
