//===- EntryFilterTest.cpp - tests of --arch= and --binary= ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tool/EntryFilter.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

static ArchiveEntry entry(std::string_view Binary, std::string_view Arch) {
  ArchiveEntry Entry;
  Entry.Binary = Binary;
  Entry.Arch = Arch;
  return Entry;
}

static EntryFilter filter(std::vector<std::string> Arches,
                          std::vector<std::string> Binaries) {
  return cantFail(EntryFilter::create(std::move(Arches), std::move(Binaries)));
}

TEST(EntryFilter, EmptyMatchesEverything) {
  EntryFilter F = filter({}, {});
  EXPECT_TRUE(F.matches(entry("", "")));
  EXPECT_TRUE(F.matches(entry("a#0", "gfx90a")));
  EXPECT_EQ(F.describe(), "");
}

TEST(EntryFilter, BinaryAndArchitectureMustMatch) {
  EntryFilter F = filter({"gfx11*", "gfx90a"}, {"lib/*"});
  EXPECT_TRUE(F.matches(entry("lib/x/y#0", "gfx1100")));
  EXPECT_TRUE(F.matches(entry("lib/x#0", "gfx90a")));
  EXPECT_FALSE(F.matches(entry("lib/x#0", "gfx90a:xnack+")));
  EXPECT_FALSE(F.matches(entry("bin/x#0", "gfx1100")));
  EXPECT_EQ(F.describe(), "--binary=lib/* --arch=gfx11* --arch=gfx90a");
}
