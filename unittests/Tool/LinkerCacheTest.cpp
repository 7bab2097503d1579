//===- LinkerCacheTest.cpp - tests of the reader of ld.so.cache -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Tool/Doctor/LinkerCache.h"
#include "kpack/Support/LittleEndian.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace kpack::tool;
using namespace llvm;

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// A table as ldconfig writes it, with \p Count as its number of entries.
std::string makeTable(const Entries &All, uint32_t Count) {
  std::string Table = "glibc-ld.so.cache1.1", Strings;
  appendLittleEndian(Table, Count, 4);
  Table.resize(48);
  uint32_t StringsAt = 48 + 24 * uint32_t(All.size());
  auto Add = [&](const std::string &Text) {
    uint32_t At = StringsAt + uint32_t(Strings.size());
    Strings += Text + '\0';
    return At;
  };
  for (const auto &[Name, File] : All) {
    appendLittleEndian(Table, 0x303, 4);
    appendLittleEndian(Table, Add(Name), 4);
    appendLittleEndian(Table, Add(File), 4);
    appendLittleEndian(Table, 0, 4);
    appendLittleEndian(Table, 0, 8);
  }
  return Table + Strings;
}

const Entries Two = {{"libz.so.1", "/lib/z"},
                     {"libhip.so", "/opt/a/hip"},
                     {"libhip.so", "/opt/b/hip"}};

} // namespace

TEST(LinkerCache, FilesOfAName) {
  LinkerCache Cache = LinkerCache::parse(makeTable(Two, 3));
  EXPECT_EQ(Cache.find("libz.so.1"), std::vector<std::string>{"/lib/z"});
  EXPECT_EQ(Cache.find("libhip.so"),
            (std::vector<std::string>{"/opt/a/hip", "/opt/b/hip"}));
  EXPECT_TRUE(Cache.find("libhip").empty());
}

TEST(LinkerCache, BehindAnOlderTable) {
  std::string Bytes = "ld.so-1.7.0" + std::string(37, '\0');
  LinkerCache Cache = LinkerCache::parse(Bytes + makeTable(Two, 3));
  EXPECT_EQ(Cache.find("libz.so.1"), std::vector<std::string>{"/lib/z"});
}

TEST(LinkerCache, DamagedTablesDoNoHarm) {
  std::string Good = makeTable(Two, 3);
  for (size_t Size = 0; Size != Good.size(); ++Size)
    LinkerCache::parse(StringRef(Good).take_front(Size)).find("libz.so.1");
  // More entries than there is room for, and offsets that lead nowhere.
  std::string Many = makeTable(Two, 0xffffffff);
  EXPECT_FALSE(LinkerCache::parse(Many).find("libz.so.1").empty());
  Many[52] = Many[53] = Many[54] = Many[55] = '\xff';
  LinkerCache::parse(Many);
}

TEST(LinkerCache, MissingFileIsEmpty) {
  EXPECT_TRUE(LinkerCache::read("/nowhere/ld.so.cache").find("a").empty());
}
