//===- OutputFileTest.cpp - tests of files replaced by rename -------------===//
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
#include "kpack/Support/OutputPlace.h"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::test;

static std::unique_ptr<OutputFile> create(const std::string &Path) {
  Result<std::unique_ptr<OutputFile>> File = OutputFile::create(Path);
  EXPECT_TRUE(File.ok()) << File.status().message();
  return File.ok() ? std::move(*File) : nullptr;
}

TEST(OutputFile, IsWrittenAtOnce) {
  TempDir Dir;
  EXPECT_TRUE(OutputFile::write(Dir.file("out"), "hello").ok());
  EXPECT_EQ(readFile(Dir.file("out")), "hello");
  Status S = OutputFile::write(Dir.file("none/out"), "hello");
  EXPECT_EQ(S.code(), StatusCode::IoError);
  EXPECT_EQ(S.message().find(Dir.file("none/out") + ": cannot create: "), 0u);
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

TEST(OutputFile, KeepsTheModeOfTheFileItReplaces) {
  TempDir Dir;
  for (mode_t Mode : {0600, 0444, 0755}) {
    ::unlink(Dir.file("out").c_str());
    writeFile(Dir.file("out"), "old");
    ASSERT_EQ(::chmod(Dir.file("out").c_str(), Mode), 0);
    std::unique_ptr<OutputFile> File = create(Dir.file("out"));
    struct stat Info;
    ASSERT_EQ(::stat(File->temporaryPath().c_str(), &Info), 0);
    EXPECT_EQ(Info.st_mode & 07777, Mode); // nobody reads it meanwhile
    ASSERT_TRUE(File->append("new").ok());
    ASSERT_TRUE(File->commit().ok());
    ASSERT_EQ(::stat(Dir.file("out").c_str(), &Info), 0);
    EXPECT_EQ(Info.st_mode & 07777, Mode);
    EXPECT_EQ(readFile(Dir.file("out")), "new");
  }
}

TEST(OutputFile, SetIdBitsAreDropped) {
  TempDir Dir;
  writeFile(Dir.file("out"), "old");
  ASSERT_EQ(::chmod(Dir.file("out").c_str(), 04755), 0);
  ASSERT_TRUE(create(Dir.file("out"))->commit().ok());
  struct stat Info;
  ASSERT_EQ(::stat(Dir.file("out").c_str(), &Info), 0);
  EXPECT_EQ(Info.st_mode & 07777, 0755u);
}

TEST(OutputFile, SymlinksAreFollowed) {
  TempDir Dir;
  std::filesystem::create_directory(Dir.file("store"));
  std::filesystem::create_symlink("store/real", Dir.file("middle"));
  std::filesystem::create_symlink(Dir.file("middle"), Dir.file("out"));
  for (const char *Text : {"first", "second"}) { // not there at first
    std::unique_ptr<OutputFile> File = create(Dir.file("out"));
    EXPECT_EQ(File->path(), Dir.file("out"));
    EXPECT_EQ(File->finalPath(), Dir.file("store/real"));
    ASSERT_TRUE(File->append(Text).ok());
    ASSERT_TRUE(File->commit().ok());
    EXPECT_TRUE(std::filesystem::is_symlink(Dir.file("out")));
    EXPECT_EQ(readFile(Dir.file("store/real")), Text);
  }
}

TEST(OutputFile, ReplaceableLinkFolderIsHeldOpen) {
  TempDir Dir;
  std::filesystem::create_directory(Dir.file("own"));
  std::filesystem::create_directory(Dir.file("shared"));
  ASSERT_EQ(::chmod(Dir.file("shared").c_str(), 0777), 0);
  std::filesystem::create_symlink("../own", Dir.file("shared/link"));
  std::filesystem::create_symlink("own", Dir.file("link"));
  std::unique_ptr<OutputFile> Own = create(Dir.file("link/out"));
  EXPECT_EQ(Own->heldPath(), Dir.file("link/out"));
  std::unique_ptr<OutputFile> File = create(Dir.file("shared/link/out"));
  EXPECT_NE(File->heldPath(), Dir.file("shared/link/out"));
  std::filesystem::remove(Dir.file("shared/link"));
  ASSERT_TRUE(File->append("text").ok());
  ASSERT_TRUE(File->commit().ok());
  EXPECT_EQ(readFile(Dir.file("own/out")), "text");
}

static const std::string Fix =
    "; check the directory, its permissions and free space";

static void expectRefusal(const std::string &Path, const std::string &What) {
  Result<std::unique_ptr<OutputFile>> File = OutputFile::create(Path);
  ASSERT_FALSE(File.ok());
  EXPECT_EQ(File.status().code(), StatusCode::IoError);
  EXPECT_EQ(File.status().message(), Path + ": " + What);
}

TEST(OutputFile, MissingDirectoryIsRefused) {
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

TEST(OutputFile, LinksInACircle) {
  TempDir Dir;
  std::filesystem::create_symlink("out", Dir.file("out"));
  expectRefusal(Dir.file("out"),
                "cannot replace: Too many levels of symbolic links; choose "
                "another name");
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

/// The id of a process that is gone.
static pid_t deadProcess() {
  pid_t Child = ::fork();
  if (Child == 0)
    ::_exit(0);
  ::waitpid(Child, nullptr, 0);
  return Child;
}

TEST(OutputFile, LeftoversOfDeadProcessesGo) {
  TempDir Dir;
  const std::string Out = Dir.file("out");
  const std::string Dead = ".tmp" + std::to_string(deadProcess()) + "-";
  const std::string Alive = ".tmp" + std::to_string(::getpid()) + "-";
  for (const std::string &Mine : {Dead + "0", Dead + "a1f.0.bc"})
    writeFile(Out + Mine, "x");
  const std::string Others[] = {Alive + "0",       Dead,     Dead + "x",
                                Dead + "0-1",      ".tmp-0", ".tmp1x-0",
                                ".tmp123456789-0", ""};
  for (const std::string &Other : Others)
    writeFile(Out + Other, "x");
  writeFile(Dir.file("out2" + Dead + "0"), "x");
  std::filesystem::create_symlink("out", Out + Dead + "1");
  std::filesystem::create_directory(Out + Dead + "2");
  removeLeftovers(Out);
  for (const std::string &Other : Others)
    EXPECT_TRUE(std::filesystem::exists(Out + Other)) << Other;
  EXPECT_TRUE(std::filesystem::is_symlink(Out + Dead + "1"));
  EXPECT_TRUE(std::filesystem::is_directory(Out + Dead + "2"));
  EXPECT_EQ(Dir.countFiles(), std::size(Others) + 3);
}

// The writer may be a process that cannot be seen from here.
TEST(OutputFile, ALockedFileIsNoLeftover) {
  TempDir Dir;
  const std::string Name =
      Dir.file("out") + ".tmp" + std::to_string(deadProcess()) + "-0";
  writeFile(Name, "x");
  int File = ::open(Name.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(File, LOCK_EX | LOCK_NB), 0);
  removeLeftovers(Dir.file("out"));
  EXPECT_TRUE(std::filesystem::exists(Name));
  ::close(File);
  removeLeftovers(Dir.file("out"));
  EXPECT_FALSE(std::filesystem::exists(Name));
}
