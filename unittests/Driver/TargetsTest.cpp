//===- TargetsTest.cpp - tests of --offload-arch= -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Driver/Targets.h"
#include "../../lib/Driver/CommandLine.h"

#include <gtest/gtest.h>

using namespace kpack::driver;
using Strings = std::vector<std::string>;

static Strings targets(std::vector<const char *> Argv) {
  return offloadTargets(llvm::cantFail(CommandLine::parse(Argv))->args());
}

TEST(Targets, TargetIdsAreCanonical) {
  EXPECT_EQ(canonicalTargetId("gfx1100"), "gfx1100");
  EXPECT_EQ(canonicalTargetId("gfx90a:xnack+:sramecc-"),
            "gfx90a:sramecc-:xnack+");
  EXPECT_EQ(canonicalTargetId("gfx9-4-generic:xnack-"),
            "gfx9-4-generic:xnack-");
  // For clang to refuse.
  EXPECT_EQ(canonicalTargetId("gfx90a:xnack"), "gfx90a:xnack");
  EXPECT_EQ(canonicalTargetId("gfx90a:"), "gfx90a:");
  EXPECT_EQ(canonicalTargetId("gfx90a:+"), "gfx90a:+");
  EXPECT_EQ(canonicalTargetId(""), "");
}

TEST(Targets, ListsAndTheirOpposite) {
  EXPECT_EQ(targets({}), Strings{"gfx906"});
  EXPECT_EQ(targets({"--offload-arch=gfx1101,gfx1100", "--offload-arch=gfx1100",
                     "--cuda-gpu-arch=gfx906"}),
            (Strings{"gfx1100", "gfx1101", "gfx906"}));
  EXPECT_EQ(targets({"--offload-arch=gfx90a:xnack+:sramecc+",
                     "--offload-arch=gfx90a:sramecc+:xnack+"}),
            Strings{"gfx90a:sramecc+:xnack+"});
  EXPECT_EQ(
      targets({"--offload-arch=gfx1100,gfx1101", "--no-offload-arch=gfx1100"}),
      Strings{"gfx1101"});
  EXPECT_EQ(targets({"--offload-arch=gfx1100", "--no-offload-arch=all",
                     "--offload-arch=gfx1101"}),
            Strings{"gfx1101"});
  EXPECT_EQ(targets({"--offload-arch=gfx1100", "--no-offload-arch=all"}),
            Strings{"gfx906"});
  EXPECT_EQ(targets({"--offload-arch=native"}), Strings{"native"});
}
