//===- StubTest.cpp - tests of objects for deferred compiles --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stub objects, and the files of dependencies beside them. That linkers take
// the objects is shown in test/CkJit/Intercept.
//
//===----------------------------------------------------------------------===//
#include "../../Support/TempDir.h"

#include "CkJit/Intercept/Record.h"
#include "CkJit/Intercept/Stub.h"
#include "gtest/gtest.h"

#include <elf.h>

using namespace kpack;
using namespace kpack::ckjit;
using kpack::test::TempDir;

namespace {

TEST(StubTest, KeepsItsRecord) {
  for (std::string Record : {"", "{}", "{\"source\":\"a b\"}\n"}) {
    std::string Object = stubObject(Record);
    EXPECT_EQ(recordOfStub(Object), Record);
    EXPECT_EQ(Object, stubObject(Record)) << "equal records, equal bytes";
  }
}

/// Each byte of a stub is looked at: what was changed is no stub any more, or
/// one with another record.
TEST(StubTest, ChangedObjectsAreNoStubs) {
  std::string Record = "{\"source\":\"a.cpp\"}", Object = stubObject(Record);
  for (size_t I = 0; I != Object.size(); ++I) {
    std::string Changed = Object;
    Changed[I] = char(Changed[I] ^ 1);
    std::optional<std::string_view> Found = recordOfStub(Changed);
    bool InRecord = I - sizeof(Elf64_Ehdr) < Record.size();
    EXPECT_EQ(Found.has_value(), InRecord) << I;
    EXPECT_NE(Found, Record) << I;
  }
  for (size_t Size = 0; Size != Object.size(); ++Size)
    EXPECT_FALSE(recordOfStub(std::string_view(Object).substr(0, Size)))
        << Size;
  EXPECT_FALSE(recordOfStub(Object + "x"));
}

TEST(StubTest, IsRecognisedByItsHeader) {
  TempDir Dir;
  std::string Path = Dir.file("a.o"), Object = stubObject("{}");
  test::writeFile(Path, Object);
  EXPECT_TRUE(looksLikeStub(Path));
  test::writeFile(Path, Object.substr(0, sizeof(Elf64_Ehdr) - 1));
  EXPECT_FALSE(looksLikeStub(Path));
  Object[EI_CLASS] = ELFCLASS32;
  test::writeFile(Path, Object);
  EXPECT_FALSE(looksLikeStub(Path));
  EXPECT_FALSE(looksLikeStub(Dir.file("none")));
}

DependencyFile asked(const std::vector<std::string> &Command) {
  return dependencyFile(parseArguments(Command), "out/a b.o");
}

TEST(DependencyFileTest, StandsBesideTheOutput) {
  EXPECT_EQ(asked({"-c"}).Path, "");
  EXPECT_EQ(asked({"-MF", "x.d"}).Path, "") << "nobody asked for one";
  for (const char *Option : {"-MD", "-MMD"}) {
    EXPECT_EQ(asked({Option}).Path, "out/a b.d");
    EXPECT_EQ(asked({Option}).Target, "out/a\\ b.o");
    EXPECT_FALSE(asked({Option}).HasTarget);
  }
  EXPECT_EQ(asked({"-MD", "-MFx.d"}).Path, "x.d");
}

/// -MT is taken as it is, -MQ is quoted for make, and both may come often.
TEST(DependencyFileTest, TargetsAreQuotedForMake) {
  DependencyFile File = asked({"-MD", "-MT", "$(x)", "-MQ", "a $#b"});
  EXPECT_TRUE(File.HasTarget);
  EXPECT_EQ(File.Target, "$(x) a\\ $$\\#b");
  EXPECT_EQ(dependencyRule(File, "s $.cpp"), "$(x) a\\ $$\\#b: s\\ $$.cpp\n");
}

TEST(RecordTest, IsOneLineOfJson) {
  ManifestEntry S;
  S.Source = "m/blob/a\"b.cpp";
  S.Output = "a.o";
  S.ApiKind = "fwd";
  S.Module = "m";
  S.Directory = "/b";
  S.Compiler = "/bin/clang";
  S.Words = {"-c", "m/blob/a\"b.cpp", "-DX=\n"};
  Result<std::string> Line = recordLine(S);
  ASSERT_TRUE(Line) << Line.status().message();
  EXPECT_EQ(*Line, R"({"source":"m/blob/a\"b.cpp","output":"a.o","cwd":"/b",)"
                   R"("kind":"blob","api_kind":"fwd","module":"m",)"
                   R"("compiler":"/bin/clang",)"
                   R"("argv":["-c","m/blob/a\"b.cpp","-DX=\u000a"]})"
                   "\n");
  S.Words = {"\xff"};
  EXPECT_EQ(recordLine(S).status().code(), StatusCode::InvalidArgument);
}

TEST(RecordTest, LinesAreAdded) {
  TempDir Dir;
  std::string Folder = Dir.file("new/folder");
  ASSERT_TRUE(appendRecord(Folder, "one\n").ok());
  ASSERT_TRUE(appendRecord(Folder, "two\n").ok());
  std::string File = Folder + "/" + RecordFileName;
  EXPECT_EQ(test::readFile(File), "one\ntwo\n");
  // Another name may be anybody's.
  std::filesystem::create_hard_link(File, Folder + "/other");
  EXPECT_EQ(appendRecord(Folder, "three\n").code(), StatusCode::IoError);
  EXPECT_EQ(test::readFile(File), "one\ntwo\n");
}

} // namespace
