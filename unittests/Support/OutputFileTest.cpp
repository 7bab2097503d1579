//===- OutputFileTest.cpp - temporary, then rename ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The name shows the old content or the new one, never anything between, and
// a failure leaves nothing behind.
//
//===----------------------------------------------------------------------===//

#include "kpack/Support/OutputFile.h"
#include "TempDir.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::test;

static std::unique_ptr<OutputFile> create(const std::string &Path) {
  Result<std::unique_ptr<OutputFile>> File = OutputFile::create(Path);
  EXPECT_TRUE(File.ok()) << File.status().message();
  return File.ok() ? std::move(*File) : nullptr;
}

TEST(OutputFile, AppearsOnCommit) {
  TempDir Dir;
  writeFile(Dir.file("out"), "old");
  std::unique_ptr<OutputFile> File = create(Dir.file("out"));
  ASSERT_TRUE(File->append("hello").ok());
  ASSERT_TRUE(File->overwrite(0, "J").ok());
  EXPECT_EQ(File->size(), 5u);
  EXPECT_EQ(readFile(Dir.file("out")), "old");
  ASSERT_TRUE(File->commit().ok());
  EXPECT_EQ(readFile(Dir.file("out")), "Jello");
  File.reset();
  EXPECT_EQ(readFile(Dir.file("out")), "Jello");
  EXPECT_EQ(Dir.countFiles(), 1u);
}

TEST(OutputFile, DisappearsWithoutCommit) {
  TempDir Dir;
  std::unique_ptr<OutputFile> File = create(Dir.file("out"));
  ASSERT_TRUE(File->append("hello").ok());
  EXPECT_EQ(Dir.countFiles(), 1u);
  File.reset();
  EXPECT_EQ(Dir.countFiles(), 0u);
}

TEST(OutputFile, TwoWritersDoNotMeet) {
  TempDir Dir;
  std::unique_ptr<OutputFile> A = create(Dir.file("out"));
  std::unique_ptr<OutputFile> B = create(Dir.file("out"));
  EXPECT_NE(A->temporaryPath(), B->temporaryPath());
  ASSERT_TRUE(A->append("a").ok());
  ASSERT_TRUE(B->append("b").ok());
  ASSERT_TRUE(A->commit().ok());
  ASSERT_TRUE(B->commit().ok());
  EXPECT_EQ(readFile(Dir.file("out")), "b");
}

TEST(OutputFile, ReadsBack) {
  TempDir Dir;
  std::unique_ptr<OutputFile> File = create(Dir.file("out"));
  ASSERT_TRUE(File->append("hello").ok());
  char Bytes[3];
  ASSERT_TRUE(File->readBack(2, Bytes, 3).ok());
  EXPECT_EQ(std::string(Bytes, 3), "llo");
  Status Beyond = File->readBack(4, Bytes, 3);
  EXPECT_EQ(Beyond.message(),
            Dir.file("out") +
                ": cannot read back: the file was cut off by somebody "
                "else; try again");
}

TEST(OutputFile, HonoursTheUmask) {
  TempDir Dir;
  mode_t Old = ::umask(027);
  std::unique_ptr<OutputFile> File = create(Dir.file("out"));
  ::umask(Old);
  ASSERT_TRUE(File->commit().ok());
  struct stat Info;
  ASSERT_EQ(::stat(Dir.file("out").c_str(), &Info), 0);
  EXPECT_EQ(Info.st_mode & 0777, 0640u);
}

static const std::string Fix =
    "; check the directory, its permissions and free space";

static void expectRefusal(const std::string &Path, const std::string &What) {
  Result<std::unique_ptr<OutputFile>> File = OutputFile::create(Path);
  ASSERT_FALSE(File.ok());
  EXPECT_EQ(File.status().code(), StatusCode::IoError);
  EXPECT_EQ(File.status().message(), Path + ": " + What);
}

TEST(OutputFile, MissingDirectory) {
  TempDir Dir;
  expectRefusal(Dir.file("no/out"),
                "cannot create: No such file or directory" + Fix);
}

TEST(OutputFile, LeftOversOfKilledProcesses) {
  TempDir Dir;
  std::string Stem = Dir.file("out") + ".tmp" + std::to_string(::getpid());
  for (int I = 0; I != 1000; ++I)
    std::ofstream(Stem + "-" + std::to_string(I)) << "x";
  expectRefusal(Dir.file("out"),
                "cannot create: too many files '" + Stem + "-*'; remove them");
}

TEST(OutputFile, NeverReplacesADevice) {
  expectRefusal("/dev/null",
                "cannot replace: not a regular file; choose another name");
}

TEST(OutputFile, NeverReplacesADirectory) {
  TempDir Dir;
  expectRefusal(Dir.file("."),
                "cannot replace: not a regular file; choose another name");
}

TEST(OutputFile, RenameFailureRemovesTheTemporary) {
  TempDir Dir;
  std::unique_ptr<OutputFile> File = create(Dir.file("out"));
  std::filesystem::create_directory(Dir.file("out"));
  Status S = File->commit();
  EXPECT_EQ(S.message(),
            Dir.file("out") + ": cannot rename to: Is a directory" + Fix);
  File.reset();
  EXPECT_EQ(Dir.countFiles(), 1u); // the directory
}
