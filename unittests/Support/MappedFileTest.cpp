//===- MappedFileTest.cpp - tests of files mapped into memory -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What opens, and what each thing that is no readable file is called.
//
//===----------------------------------------------------------------------===//

#include "Support/MappedFile.h"
#include "TempDir.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::test;

TEST(MappedFile, ShowsTheBytes) {
  TempDir Dir;
  writeFile(Dir.file("a"), "hello");
  Result<MappedFile> File = MappedFile::open(Dir.file("a"));
  ASSERT_TRUE(File.ok()) << File.status().message();
  MappedFile Moved = std::move(*File);
  EXPECT_EQ(Moved.bytes(), "hello");
  EXPECT_TRUE(File->bytes().empty());
}

static const std::string Fix = "; give the path of a file that can be read";

static void expectFailure(const std::string &Path, StatusCode Code,
                          const std::string &What) {
  Result<MappedFile> File = MappedFile::open(Path);
  ASSERT_FALSE(File.ok());
  EXPECT_EQ(File.status().code(), Code);
  EXPECT_EQ(File.status().message(), Path + ": " + What);
}

TEST(MappedFile, MissingFileIsNotFound) {
  TempDir Dir;
  expectFailure(Dir.file("none"), StatusCode::FileNotFound,
                "cannot open: No such file or directory" + Fix);
}

TEST(MappedFile, FileAsDirectory) {
  TempDir Dir;
  writeFile(Dir.file("a"), "x");
  expectFailure(Dir.file("a/b"), StatusCode::FileNotFound,
                "cannot open: Not a directory" + Fix);
}

TEST(MappedFile, EmptyFileIsRefused) {
  TempDir Dir;
  writeFile(Dir.file("a"), "");
  expectFailure(Dir.file("a"), StatusCode::IoError,
                "the file is empty; build or install it again");
}

TEST(MappedFile, DirectoryIsRefused) {
  TempDir Dir;
  expectFailure(Dir.file("."), StatusCode::IoError,
                "not a regular file; give the path of one");
}

TEST(MappedFile, FifoDoesNotBlock) {
  TempDir Dir;
  ASSERT_EQ(::mkfifo(Dir.file("pipe").c_str(), 0600), 0);
  expectFailure(Dir.file("pipe"), StatusCode::IoError,
                "not a regular file; give the path of one");
}

TEST(MappedFile, SymlinkLoopIsRefused) {
  TempDir Dir;
  ASSERT_EQ(::symlink("loop", Dir.file("loop").c_str()), 0);
  expectFailure(Dir.file("loop"), StatusCode::IoError,
                "cannot open: Too many levels of symbolic links" + Fix);
}
