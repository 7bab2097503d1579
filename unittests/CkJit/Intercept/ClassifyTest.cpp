//===- ClassifyTest.cpp - blob, dispatcher, library or neither ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kpack/CkJit/Intercept/Classify.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::ckjit;

using Texts = std::vector<std::string>;

namespace {

class ClassifyTest : public ::testing::Test {
protected:
  ClassifyTest() {
    for (const char *Name :
         {"CK_JIT_DISPATCHERS", "CK_JIT_BLOBS", "CK_JIT_LIBRARIES"})
      ::unsetenv(Name);
  }
  /// In the folder /b.
  static Result<Invocation> classified(const Texts &Words) {
    return classify(parseArguments(Words), "/b", Patterns::fromEnvironment());
  }
  static InvocationKind kindOf(const Texts &Words) {
    Result<Invocation> Found = classified(Words);
    EXPECT_TRUE(Found.ok()) << Found.status().message();
    return Found->Kind;
  }
};

TEST_F(ClassifyTest, BlobsAreInTheirFolder) {
  Result<Invocation> Found =
      classified({"-c", "m/blob/fmha_bwd_d128.cpp", "-ox.o"});
  ASSERT_TRUE(Found.ok() && Found->Sources.size() == 1);
  EXPECT_EQ(Found->Kind, InvocationKind::Compile);
  const ManifestEntry &Blob = Found->Sources.front();
  EXPECT_EQ(Blob.Source, "m/blob/fmha_bwd_d128.cpp");
  EXPECT_EQ(Blob.Output, "x.o");
  EXPECT_FALSE(Blob.IsDispatcher);
  EXPECT_EQ(Blob.ApiKind, "bwd");
  EXPECT_EQ(Blob.Module, "m");
}

TEST_F(ClassifyTest, DispatchersGoByTheirNameWhereverTheyAre) {
  for (const char *Folder : {"m/blob/", ""}) {
    Result<Invocation> Found =
        classified({"-c", std::string(Folder) + "fmha_fwd_x_api.cu"});
    ASSERT_TRUE(Found.ok() && Found->Sources.size() == 1);
    EXPECT_TRUE(Found->Sources.front().IsDispatcher);
    EXPECT_EQ(Found->Sources.front().ApiKind, "fwd");
    EXPECT_EQ(Found->Sources.front().Output, "fmha_fwd_x_api.o");
  }
}

TEST_F(ClassifyTest, WhatIsInDoubtPasses) {
  std::string Blob = "m/blob/a.cpp";
  EXPECT_EQ(kindOf({"-c", Blob, "m/blob/b.cpp"}), InvocationKind::Compile);
  for (const Texts &Words : {Texts{},
                             {"-c"},
                             {"-c", "other.cpp"},
                             {"-c", Blob, "other.cpp"},
                             {"-c", Blob, "-E"},
                             {"-c", Blob, "-M"},
                             {"-c", Blob, "-S"},
                             {"-c", Blob, "-###"},
                             {"-c", Blob, "-fsyntax-only"},
                             {"-c", Blob, "m/blob/b.cpp", "-o", "x.o"},
                             {"-I", Blob, "-c", "x.cpp"},
                             {"--version"},
                             {Blob, "-o", "program"}})
    EXPECT_EQ(kindOf(Words), InvocationKind::PassThrough)
        << ::testing::PrintToString(Words);
}

TEST_F(ClassifyTest, LinksGoByTheirOutput) {
  EXPECT_EQ(kindOf({"a.o", "-o", "x/libmha_fwd.so"}), InvocationKind::Link);
  EXPECT_EQ(kindOf({"a.o", "--output=libmha_bwd.so.1.2"}),
            InvocationKind::Link);
  EXPECT_EQ(kindOf({"a.o", "-shared", "-o", "libother.so"}),
            InvocationKind::OtherLink);
  EXPECT_EQ(kindOf({"a.o", "-o", "other"}), InvocationKind::PassThrough);
  EXPECT_EQ(kindOf({"a.o", "-shared"}), InvocationKind::PassThrough);
}

TEST_F(ClassifyTest, OtherLibrariesHaveTheirOwnPatterns) {
  ::setenv("CK_JIT_DISPATCHERS", "^(pi)ck[.]cpp$", 1);
  ::setenv("CK_JIT_BLOBS", ":/none/::/gen/", 1);
  ::setenv("CK_JIT_LIBRARIES", "^libk", 1);
  Result<Invocation> Found = classified({"-c", "gen/pick.cpp", "gen/k.cpp"});
  ASSERT_TRUE(Found.ok() && Found->Sources.size() == 2);
  EXPECT_TRUE(Found->Sources[0].IsDispatcher);
  EXPECT_EQ(Found->Sources[0].ApiKind, "pi");
  EXPECT_FALSE(Found->Sources[1].IsDispatcher);
  EXPECT_EQ(Found->Sources[1].Module, "b");
  EXPECT_EQ(kindOf({"-c", "m/blob/a.cpp"}), InvocationKind::PassThrough);
  EXPECT_EQ(kindOf({"a.o", "-o", "libk.so"}), InvocationKind::Link);
}

TEST_F(ClassifyTest, SaysWhichPatternIsNone) {
  ::setenv("CK_JIT_DISPATCHERS", "(", 1);
  Result<Invocation> Found = classified({"-c", "m/blob/a.cpp"});
  EXPECT_EQ(Found.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Found.status().message().find("CK_JIT_DISPATCHERS=(: "), 0u);
  ::setenv("CK_JIT_LIBRARIES", "[", 1);
  EXPECT_FALSE(classified({"a.o", "-o", "x"}).ok());
}

} // namespace
