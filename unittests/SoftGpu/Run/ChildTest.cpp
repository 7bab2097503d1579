//===- ChildTest.cpp - tests of the program's exit status -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../../lib/SoftGpu/Run/Child.h"

#include "gtest/gtest.h"
#include <csignal>

using namespace kpack;

namespace {

struct Outcome {
  ProcessEnd End;
  std::error_code ExecError;
};

Outcome runShell(const char *Program, const char *Script) {
  Outcome R;
  R.End = llvm::cantFail(run::runProgram({Program, "-c", Script}, R.ExecError));
  return R;
}

TEST(ChildTest, HasTheProgramsStatus) {
  EXPECT_EQ(runShell("sh", "exit 0").End.Code, 0);
  EXPECT_EQ(runShell("sh", "exit 7").End.Code, 7);
}

TEST(ChildTest, HasTheSignalThatEndedIt) {
  Outcome R = runShell("sh", "kill -SEGV $$");
  EXPECT_EQ(R.End.Signal, SIGSEGV);
  EXPECT_EQ(R.End.Code, 128 + SIGSEGV);
}

TEST(ChildTest, MissingProgramIsToldFromStatus127) {
  EXPECT_EQ(runShell("/nonexistent", "").ExecError,
            std::errc::no_such_file_or_directory);
  EXPECT_EQ(runShell("/tmp", "").ExecError, std::errc::permission_denied);
  EXPECT_FALSE(runShell("sh", "exit 127").ExecError);
}

} // namespace
