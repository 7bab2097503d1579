//===- InputFilesTest.cpp - tests of link inputs with device code ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InputFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace kpack::linker;
using namespace llvm;

namespace {

/// Whether lld's --remap-inputs would take \p Path for \p Pattern.
bool matches(StringRef Pattern, StringRef Path) {
  if (Pattern.find_first_of("?*[") == StringRef::npos)
    return Pattern == Path;
  return cantFail(GlobPattern::create(Pattern)).match(Path);
}

TEST(RemapPattern, MatchesItsPathAlone) {
  for (StringRef Path :
       {"a.o", "dir/lib a.a", "x=y.o", "a?b.o", "a*.o", "[ab].o", "a\\b?.o",
        "{a,b}*=", "a]b.o", "back\\slash.o"}) {
    std::string Pattern = remapPattern(Path);
    EXPECT_FALSE(StringRef(Pattern).contains('=')) << Pattern;
    EXPECT_TRUE(matches(Pattern, Path)) << Pattern;
    EXPECT_FALSE(matches(Pattern, (Path + "x").str())) << Pattern;
  }
  EXPECT_FALSE(matches(remapPattern("a?b.o"), "axb.o"));
  EXPECT_FALSE(matches(remapPattern("a*.o"), "ab.o"));
  EXPECT_FALSE(matches(remapPattern("[ab].o"), "a.o"));
  EXPECT_FALSE(matches(remapPattern("x=y.o"), "xay.o"));
}

class FindInput : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("kpack-find", Root));
    for (const char *Name : {"one/libboth.so", "one/libboth.a", "one/libar.a",
                             "two/libar.a", "two/libso.so", "two/plain"}) {
      SmallString<128> Path(Root);
      sys::path::append(Path, Name);
      ASSERT_FALSE(sys::fs::create_directories(sys::path::parent_path(Path)));
      std::error_code EC;
      raw_fd_ostream(Path, EC) << "x";
      ASSERT_FALSE(EC);
    }
    Options.LibraryPaths = {(Root + "/one").str(), "=/two"};
    Options.Sysroot = Root.str().str();
  }
  void TearDown() override { sys::fs::remove_directories(Root); }

  std::string find(const char *Name, bool StaticOnly = false) {
    InputArgument Argument;
    Argument.Name = Name;
    Argument.IsLibrary = true;
    Argument.StaticOnly = StaticOnly;
    std::optional<std::string> Path = findInput(Argument, Options);
    return Path ? Path->substr(Root.size()) : "none";
  }

  SmallString<128> Root;
  LinkOptions Options;
};

TEST_F(FindInput, FindsLibrariesAsLldDoes) {
  EXPECT_EQ(find("both"), "/one/libboth.so");
  EXPECT_EQ(find("both", /*StaticOnly=*/true), "/one/libboth.a");
  EXPECT_EQ(find("ar"), "/one/libar.a");
  EXPECT_EQ(find("so"), "/two/libso.so");
  EXPECT_EQ(find("so", /*StaticOnly=*/true), "none");
  EXPECT_EQ(find(":plain"), "/two/plain");
  EXPECT_EQ(find("plain"), "none");
}

} // namespace
