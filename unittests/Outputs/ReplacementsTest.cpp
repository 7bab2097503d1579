//===- ReplacementsTest.cpp - tests of backups of replaced files ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each way out leaves one file under each name and nothing beside it. File
// systems without hard links: test/Linker/signals.test.
//
//===----------------------------------------------------------------------===//
#include "Outputs/Replacements.h"
#include "../Support/TempDir.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::test;

static void replace(Replacements &Old, const TempDir &Dir, const char *Name) {
  ASSERT_FALSE(Old.save(Dir.file(Name)));
  writeFile(Dir.file("temporary"), "new");
  std::filesystem::rename(Dir.file("temporary"), Dir.file(Name));
}

TEST(Replacements, ForgottenFilesAreGone) {
  TempDir Dir;
  writeFile(Dir.file("there"), "old");
  {
    Replacements Old;
    replace(Old, Dir, "there");
    replace(Old, Dir, "free");
    Old.forget();
  }
  EXPECT_EQ(readFile(Dir.file("there")), "new");
  EXPECT_EQ(readFile(Dir.file("free")), "new");
  EXPECT_EQ(Dir.countFiles(), 2u);
}

TEST(Replacements, DestructorRestoresEverything) {
  TempDir Dir;
  writeFile(Dir.file("there"), "old");
  writeFile(Dir.file("untouched"), "old");
  std::filesystem::create_symlink("nowhere", Dir.file("link"));
  {
    Replacements Old;
    replace(Old, Dir, "there");
    replace(Old, Dir, "free");
    replace(Old, Dir, "link");
    ASSERT_FALSE(Old.save(Dir.file("untouched")));
    ASSERT_FALSE(Old.save(Dir.file("never")));
  }
  EXPECT_EQ(readFile(Dir.file("there")), "old");
  EXPECT_EQ(readFile(Dir.file("untouched")), "old");
  EXPECT_EQ(std::filesystem::read_symlink(Dir.file("link")), "nowhere");
  EXPECT_EQ(Dir.countFiles(), 3u);
}

TEST(Replacements, DirectoriesAreNotMoved) {
  TempDir Dir;
  std::filesystem::create_directory(Dir.file("dir"));
  {
    Replacements Old;
    EXPECT_FALSE(Old.save(Dir.file("dir")));
    EXPECT_TRUE(std::filesystem::is_directory(Dir.file("dir")));
  }
  EXPECT_TRUE(std::filesystem::is_directory(Dir.file("dir")));
  EXPECT_EQ(Dir.countFiles(), 1u);
}

TEST(Replacements, UnreadablePathIsAnError) {
  TempDir Dir;
  writeFile(Dir.file("file"), "x");
  Replacements Old;
  EXPECT_EQ(Old.save(Dir.file("file/below")), std::errc::not_a_directory);
}
