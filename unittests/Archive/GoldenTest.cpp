//===- GoldenTest.cpp - tests on the committed archives -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every file of test/Archive/Inputs does what expected.txt says, and the writer
// gives the bytes that the independent encoder make-archives.py gave.
//
//===----------------------------------------------------------------------===//

#include "../Support/TempDir.h"
#include "kpack/Archive/ArchiveReader.h"
#include "kpack/Archive/ArchiveWriter.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::test;

namespace {

const std::string Inputs = KPACK_ARCHIVE_INPUTS;

/// The first failure of opening the archive and reading every entry.
Status readEverything(const std::string &Path) {
  auto Reader = ArchiveReader::open(Path);
  if (!Reader)
    return Reader.status();
  for (const ArchiveEntry &Entry : (*Reader)->entries()) {
    Result<Buffer> Verified = (*Reader)->readVerified(Entry);
    Result<Buffer> Content = (*Reader)->read(Entry);
    EXPECT_TRUE(Content.ok() || !Verified.ok());
    if (!Verified.ok())
      return Verified.status();
    EXPECT_EQ(Content->size(), Entry.OriginalSize);
  }
  return Status::success();
}

struct Expectation {
  std::string File;
  int Code = 0;
  std::string Message;
};

std::vector<Expectation> expectations() {
  std::vector<Expectation> All;
  std::ifstream In(Inputs + "/expected.txt");
  for (std::string Line; std::getline(In, Line);) {
    if (Line.empty() || Line.front() == '#')
      continue;
    std::istringstream Fields(Line);
    Expectation E;
    Fields >> E.File >> E.Code >> std::ws;
    std::getline(Fields, E.Message);
    All.push_back(E);
  }
  return All;
}

} // namespace

TEST(Golden, EveryFileGivesTheExpectedStatus) {
  std::vector<Expectation> All = expectations();
  EXPECT_GT(All.size(), 75u);
  for (const Expectation &E : All) {
    SCOPED_TRACE(E.File);
    std::string Path = Inputs + "/" + E.File;
    Status S = readEverything(Path);
    EXPECT_EQ(static_cast<int>(S.code()), E.Code) << S.message();
    EXPECT_NE(S.message().find(E.Message), std::string::npos) << S.message();
    if (E.Code) {
      EXPECT_EQ(S.message().find(Path + ": "), 0u) << S.message();
      EXPECT_NE(S.message().back(), '.');
    }
  }
}

TEST(Golden, EveryFileIsExpected) {
  size_t Files = 0;
  for (const char *Folder : {"/good", "/bad"})
    for (const auto &File :
         std::filesystem::directory_iterator(Inputs + Folder)) {
      EXPECT_EQ(File.path().extension(), ".kpack");
      ++Files;
    }
  EXPECT_EQ(Files, expectations().size());
}

static void holdsHello(const std::string &Name) {
  SCOPED_TRACE(Name);
  auto Reader = ArchiveReader::open(Inputs + "/" + Name + ".kpack");
  ASSERT_TRUE(Reader.ok()) << Reader.status().message();
  const ArchiveEntry *Entry = (*Reader)->find("lib.so#0", "gfx1100");
  ASSERT_NE(Entry, nullptr);
  Result<Buffer> Content = (*Reader)->read(*Entry);
  ASSERT_TRUE(Content.ok()) << Content.status().message();
  EXPECT_EQ(Content->bytes(), "hello");
}

TEST(Golden, GoodFilesHoldHello) {
  for (const char *Name :
       {"none", "no-scheme", "no-arches", "gap-before-blob", "unknown-keys",
        "none-hint", "bytes-after-toc", "zstd", "zstd-hint", "zstd-two-kernels",
        "zstd-two-frames", "zstd-slack"})
    holdsHello("good/" + std::string(Name));
}

// A tool that repacked an archive may have kept what stood there: reading goes
// by the ordinal.
TEST(Golden, WrongHintsOfCompressedArchivesDoNotCount) {
  for (const char *Name :
       {"zstd-stale-hint", "zstd-other-hint", "zstd-other-hint-no-hash"})
    holdsHello("bad/" + std::string(Name));
}

TEST(Golden, WriterGivesTheBytesOfTheEncoder) {
  TempDir Dir;
  ArchiveWriterOptions Options;
  Options.GroupName = "golden";
  Options.Scheme = CompressionScheme::None;
  auto Writer = ArchiveWriter::create(Dir.file("a.kpack"), Options);
  ASSERT_TRUE(Writer.ok());
  ASSERT_TRUE((*Writer)->add("lib.so#0", "gfx1100", "hello").ok());
  ASSERT_TRUE((*Writer)->add("lib.so#0", "gfx90a:xnack+", "bye").ok());
  ASSERT_TRUE((*Writer)->add("lib.so#1", "gfx1100", "hello").ok());
  (*Writer)->setArchiveId("lib.so", "0123456789abcdef");
  ASSERT_TRUE((*Writer)->commit().ok());
  EXPECT_EQ(readFile(Dir.file("a.kpack")),
            readFile(Inputs + "/good/writer-none.kpack"));
}
