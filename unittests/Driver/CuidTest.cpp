//===- CuidTest.cpp - tests of a TU's cuid --------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Driver/Cuid.h"

#include <gtest/gtest.h>

using namespace kpack::driver;
using Strings = std::vector<std::string>;

static Strings getCuids(std::vector<const char *> Argv) {
  auto Command = llvm::cantFail(CommandLine::parse(Argv));
  llvm::Expected<Strings> Result = cuids(*Command);
  return Result ? *Result : Strings{llvm::toString(Result.takeError())};
}

static std::string getCuid(std::vector<const char *> Argv) {
  Strings All = getCuids(std::move(Argv));
  return All.size() == 1 ? All.front() : "not one";
}

TEST(Cuid, IgnoresWhatLeavesCodeAlone) {
  std::string Plain = getCuid({"-O2", "a.hip"});
  EXPECT_EQ(Plain.size(), 16u);
  EXPECT_EQ(Plain, getCuid({"-O2", "-c", "a.hip", "-o", "x.o"}));
  EXPECT_EQ(Plain, getCuid({"-O2", "-c", "a.hip", "-MD", "-MF", "d", "-v"}));
  EXPECT_EQ(Plain, getCuid({"-O2", "a.hip", "b.o", "-lfoo", "-Wl,-s", "-L."}));
  EXPECT_EQ(Plain, getCuid({"-O2", "--emit-kpack=x", "a.hip", "-Wall"}));
  EXPECT_EQ(Plain, getCuid({"-O2", "-save-temps", "-S", "a.hip"}));
}

TEST(Cuid, TellsDifferentCompilesApart) {
  std::string Plain = getCuid({"-O2", "a.hip"});
  EXPECT_NE(Plain, getCuid({"-O2", "b.hip"}));
  EXPECT_NE(Plain, getCuid({"-O3", "a.hip"}));
  EXPECT_NE(Plain, getCuid({"-O2", "-DX", "a.hip"}));
  EXPECT_NE(Plain, getCuid({"-O2", "--offload-arch=gfx1100", "a.hip"}));
  // Where one value ends and the next begins counts.
  EXPECT_NE(getCuid({"-D", "A", "-D", "B", "a.hip"}),
            getCuid({"-D", "A-DB", "a.hip"}));
}

TEST(Cuid, UserCuidIsKept) {
  EXPECT_EQ(getCuids({"-cuid=mine", "a.hip"}), Strings{"mine"});
  EXPECT_EQ(getCuids({"-cuid=mine", "a.hip", "c.cpp"}), Strings{"mine"});
  EXPECT_EQ(getCuids({"-cuid=mine", "-fuse-cuid=none", "a.hip"}),
            Strings{"mine"});
  EXPECT_EQ(getCuids({"-cuid=mine", "a.hip", "b.hip"}),
            Strings{"b.hip: -cuid=mine is taken by another TU of this "
                    "command; compile each in a command of its own with its "
                    "own -cuid=, or drop -cuid="});
}

TEST(Cuid, CuidFollowsTheMethod) {
  EXPECT_EQ(getCuids({"-fuse-cuid=hash", "a.hip"}), getCuids({"a.hip"}));
  EXPECT_NE(getCuids({"-fuse-cuid=random", "a.hip"}),
            getCuids({"-fuse-cuid=random", "a.hip"}));
  EXPECT_EQ(getCuids({"-fuse-cuid=none", "a.hip"}),
            Strings{"-fuse-cuid=none: device code of one TU could not be told "
                    "from that of another; use -fuse-cuid=hash or -cuid=ID"});
  EXPECT_EQ(getCuids({"-fuse-cuid=none", "a.o"}), Strings{});
}
