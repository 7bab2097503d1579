//===- BlobIndexTest.cpp - tests of the index of kernel functions ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small blobs, parsed as `ck-jit index` does. What is printed of an index, and
// larger ones: test/CkJit/Rewrite.
//
//===----------------------------------------------------------------------===//
#include "../../Support/TempDir.h"

#include "CkJit/Rewrite/Index.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

namespace {

/// What is wrong with it; empty: nothing.
template <typename T> std::string problem(Expected<T> Value) {
  return Value ? "" : toString(Value.takeError());
}

class BlobIndexTest : public ::testing::Test {
protected:
  void SetUp() override {
    test::writeFile(Dir.file("run.h"),
                    "#pragma once\n"
                    "template <int Size, bool Causal> struct traits {};\n"
                    "template <class T> float run(int);\n"
                    "template <class T> int size();\n");
  }
  /// A file that begins with run.h.
  std::string blob(StringRef Name, StringRef Text) {
    std::string Path = Dir.file(Name.str());
    test::writeFile(Path, "#include \"run.h\"\n" + Text.str());
    return Path;
  }
  Expected<BlobIndex> build(std::vector<std::string> Blobs,
                            bool Thorough = false) {
    SourceOptions Options;
    Options.Flags = {"-std=c++17"};
    Options.Thorough = Thorough;
    return BlobIndex::build(Blobs, Options);
  }

  test::TempDir Dir;
};

constexpr const char *Run8 = "_Z3runI6traitsILi8ELb1EEEfi";

/// The names are the unnamed namespace's own in each, and the same.
TEST_F(BlobIndexTest, BlobsAreReadTogether) {
  std::string One = blob("one.cpp", "using t = traits<8, true>;\n"
                                    "namespace { struct own { int x; }; }\n"
                                    "template <> float run<t>(int) {\n"
                                    "  own o{1}; return o.x; }\n");
  std::string Two = blob("two.cpp", "using t = traits<16, false>;\n"
                                    "namespace { struct own {}; }\n"
                                    "template <> float run<t>(int) {\n"
                                    "  own o; return sizeof(o); }\n"
                                    "int counter;\n");
  for (bool Thorough : {false, true}) {
    Expected<BlobIndex> Index = build({One, Two}, Thorough);
    ASSERT_TRUE(bool(Index)) << toString(Index.takeError());
    EXPECT_EQ(Index->definitions().size(), 2u);
    const Definition *D = Index->find(Run8);
    ASSERT_TRUE(D);
    EXPECT_EQ(D->Name, "run<traits<8, true>>");
    EXPECT_EQ(D->Signature, "float (int)");
    EXPECT_EQ(D->Source, One);
    EXPECT_EQ(D->Stem, "one");
    EXPECT_FALSE(D->Weak);
    EXPECT_FALSE(D->Constant);
    EXPECT_FALSE(Index->find("_Z3runI6traitsILi9ELb1EEEfi"));
    ASSERT_TRUE(Index->findData("counter"));
    EXPECT_EQ(Index->findData("counter")->Stem, "two");
  }
}

TEST_F(BlobIndexTest, ConstantReturnValuesAreIndexed) {
  Expected<BlobIndex> Index =
      build({blob("a.cpp", "template <> int size<int>() { return -3; }\n")});
  ASSERT_TRUE(bool(Index)) << toString(Index.takeError());
  const Definition *D = Index->find("_Z4sizeIiEiv");
  ASSERT_TRUE(D && D->Constant);
  EXPECT_EQ(int64_t(D->Constant->Bits), -3);
  EXPECT_EQ(D->Constant->Size, 4u);
  EXPECT_EQ(D->Constant->Parameters, 0u);
}

TEST_F(BlobIndexTest, OneFunctionHasOneBlob) {
  std::string Text = "template <> float run<int>(int) { return 1; }\n";
  std::string One = blob("one.cpp", Text), Two = blob("two.cpp", Text);
  EXPECT_NE(problem(build({One, Two})), "");
  Expected<BlobIndex> First = build({One}), Second = build({Two});
  ASSERT_TRUE(bool(First)) << toString(First.takeError());
  ASSERT_TRUE(bool(Second)) << toString(Second.takeError());
  EXPECT_EQ(toString(First->merge(std::move(*Second))),
            Two + ": defines run<int>, and so does " + One +
                "; give only one of the two");
  EXPECT_EQ(problem(build({One, One})), One + ": given twice; name it once");
}

/// A weak definition makes room for one that claims to be the only one.
TEST_F(BlobIndexTest, WeakDefinitionsGiveWay) {
  std::string Weak =
      blob("weak.cpp", "template <> inline float run<int>(int) { return 1; }\n"
                       "float (*Used)(int) = run<int>;\n");
  std::string Strong =
      blob("strong.cpp", "template <> float run<int>(int) { return 1; }\n");
  Expected<BlobIndex> Index = build({Weak}), Other = build({Strong});
  ASSERT_TRUE(bool(Index)) << toString(Index.takeError());
  ASSERT_TRUE(bool(Other)) << toString(Other.takeError());
  ASSERT_TRUE(Index->find("_Z3runIiEfi"));
  EXPECT_TRUE(Index->find("_Z3runIiEfi")->Weak);
  EXPECT_EQ(toString(Index->merge(std::move(*Other))), "");
  EXPECT_EQ(Index->find("_Z3runIiEfi")->Source, Strong);
  EXPECT_EQ(Index->definitions().size(), 1u);
}

TEST_F(BlobIndexTest, RemovedBlobsAreForgotten) {
  std::string One = blob("one.cpp", "template <> float run<int>(int) {"
                                    " return 1; }\nint first;\n");
  std::string Two = blob("two.cpp", "template <> float run<long>(int) {"
                                    " return 2; }\nint second;\n");
  Expected<BlobIndex> Index = build({One, Two});
  ASSERT_TRUE(bool(Index)) << toString(Index.takeError());
  Index->remove(One);
  EXPECT_FALSE(Index->find("_Z3runIiEfi"));
  EXPECT_FALSE(Index->findData("first"));
  ASSERT_TRUE(Index->find("_Z3runIlEfi"));
  EXPECT_EQ(Index->find("_Z3runIlEfi")->Stem, "two");
  EXPECT_TRUE(Index->findData("second"));
}

TEST_F(BlobIndexTest, AMissNamesTheNearest) {
  std::string Blob = blob(
      "a.cpp", "template <> float run<traits<8, true>>(int) { return 1; }\n"
               "template <> float run<traits<16, true>>(int) { return 1; }\n"
               "template <> int size<traits<8, false>>() { return 1; }\n");
  Expected<BlobIndex> Index = build({Blob});
  ASSERT_TRUE(bool(Index)) << toString(Index.takeError());
  Reference Wanted;
  Wanted.Symbol = "_Z3runI6traitsILi16ELb0EEEfi";
  Wanted.Name = "run<traits<16, false>>";
  Wanted.Location = "api.cpp:1:2";
  std::string First = "run<traits<16, true>> in " + Blob;
  std::string Second = "run<traits<8, true>> in " + Blob;
  EXPECT_EQ(Index->nearest(Wanted, 1), (std::vector<std::string>{First}));
  EXPECT_EQ(Index->nearest(Wanted), (std::vector<std::string>{First, Second}))
      << "not one of another template";
  std::vector<std::string> Misses = describeMisses({Wanted}, *Index);
  ASSERT_EQ(Misses.size(), 1u);
  EXPECT_EQ(Misses[0], "api.cpp:1:2: no blob defines run<traits<16, false>>; "
                       "generate the missing blob; nearest are\n  " +
                           First + "\n  " + Second);
  Wanted.MayBeElsewhere = true;
  EXPECT_TRUE(describeMisses({Wanted}, *Index).empty());
}

TEST_F(BlobIndexTest, ErrorsNameTheFileAndTheLine) {
  std::string Good = blob("good.cpp", "int x;\n");
  std::string Bad = blob("bad.cpp", "int y = nothing;\n");
  Expected<BlobIndex> Index = build({Good, Bad});
  ASSERT_FALSE(Index);
  std::string Message = toString(Index.takeError());
  EXPECT_EQ(Message.rfind(Bad + ": ", 0), 0u) << Message;
  EXPECT_NE(Message.find("bad.cpp:2:9: "), std::string::npos) << Message;
  EXPECT_NE(Message.find("undeclared identifier 'nothing'"), std::string::npos)
      << Message;
}

} // namespace
