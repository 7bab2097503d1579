//===- EntryFilterTest.cpp - which entries globs choose -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/Tool/EntryFilter.h"
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

TEST(EntryFilter, BothMustMatchAndOneOfEach) {
  EntryFilter F = filter({"gfx11*", "gfx90a"}, {"lib/*"});
  EXPECT_TRUE(F.matches(entry("lib/x/y#0", "gfx1100")));
  EXPECT_TRUE(F.matches(entry("lib/x#0", "gfx90a")));
  EXPECT_FALSE(F.matches(entry("lib/x#0", "gfx90a:xnack+")));
  EXPECT_FALSE(F.matches(entry("bin/x#0", "gfx1100")));
  EXPECT_EQ(F.describe(), "--binary=lib/* --arch=gfx11* --arch=gfx90a");
}

TEST(EntryFilter, BracesAndLiteralText) {
  EXPECT_TRUE(filter({"gfx{90a,942}"}, {}).matches(entry("a", "gfx942")));
  EntryFilter F = filter({}, {"a[1]#0"});
  EXPECT_TRUE(F.matches(entry("a1#0", "g")));
  EXPECT_TRUE(F.matches(entry("a[1]#0", "g")));
  EXPECT_FALSE(F.matches(entry("a[2]#0", "g")));
}

TEST(EntryFilter, NamesTheBadPattern) {
  Expected<EntryFilter> F = EntryFilter::create({}, {"x["});
  ASSERT_FALSE(F);
  std::string Message = toString(F.takeError());
  EXPECT_TRUE(StringRef(Message).starts_with("--binary=x[: ")) << Message;
}

TEST(EntryFilter, RefusesTooManyAlternatives) {
  std::string Many;
  for (int I = 0; I != 20; ++I)
    Many += "{a,b}";
  Expected<EntryFilter> F = EntryFilter::create({Many}, {});
  ASSERT_FALSE(F);
  consumeError(F.takeError());
}
