//===- ClassifyTest.cpp - tests of the classes of compiler commands -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which commands of a build are answered without a compiler. What is in doubt
// must pass through: most of what follows is about that.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Intercept/Classify.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace kpack;
using namespace kpack::ckjit;

namespace {

using Texts = std::vector<std::string>;

const char *const Variables[] = {"CK_JIT_DISPATCHERS", "CK_JIT_BLOBS",
                                 "CK_JIT_LIBRARIES"};

/// The patterns of ComposableKernel's libraries, whatever the environment says.
Patterns standard() {
  for (const char *Name : Variables)
    ::unsetenv(Name);
  return Patterns::fromEnvironment();
}

/// In the folder "/b". An error is a failure of the test.
Invocation classified(const Texts &Command,
                      const Patterns &Wanted = standard()) {
  Result<Invocation> Found = classify(parseArguments(Command), "/b", Wanted);
  EXPECT_TRUE(Found) << Found.status().message();
  return Found ? *Found : Invocation();
}

InvocationKind kindOf(const Texts &Command) { return classified(Command).Kind; }

TEST(ClassifyTest, ABlobHasAnApiAndAModule) {
  Invocation Found = classified({"-c", "mha_fwd/blob/fmha_fwd_d128.cpp"});
  ASSERT_EQ(Found.Kind, InvocationKind::Compile);
  ASSERT_EQ(Found.Sources.size(), 1u);
  ManifestEntry &S = Found.Sources[0];
  EXPECT_EQ(S.Source, "mha_fwd/blob/fmha_fwd_d128.cpp");
  EXPECT_EQ(S.Output, "fmha_fwd_d128.o") << "as compilers choose it";
  EXPECT_FALSE(S.IsDispatcher);
  EXPECT_EQ(S.ApiKind, "fwd");
  EXPECT_EQ(S.Module, "mha_fwd");
}

/// It is in the folder of the blobs, but its name decides.
TEST(ClassifyTest, DispatcherIsRecognisedByItsFileName) {
  Invocation Found =
      classified({"-c", "m/blob/fmha_bwd_api.cu", "-o", "x/api.o"});
  ASSERT_EQ(Found.Kind, InvocationKind::Compile);
  EXPECT_TRUE(Found.Sources.at(0).IsDispatcher);
  EXPECT_EQ(Found.Sources.at(0).ApiKind, "bwd");
  EXPECT_EQ(Found.Sources.at(0).Output, "x/api.o");
  EXPECT_TRUE(classified({"-c", "fmha_fwd_splitkv_api.cpp"})
                  .Sources.at(0)
                  .IsDispatcher);
  EXPECT_EQ(kindOf({"-c", "fmha_fwd_api.cpp.in"}), InvocationKind::PassThrough);
}

TEST(ClassifyTest, CommandWithoutAnObjectPassesThrough) {
  EXPECT_EQ(kindOf({"-c", "m/blob/a.cpp"}), InvocationKind::Compile);
  for (const char *Option : {"-E", "-M", "-MM", "-S", "-fsyntax-only", "-###"})
    EXPECT_EQ(kindOf({"-c", Option, "m/blob/a.cpp"}),
              InvocationKind::PassThrough)
        << Option;
  EXPECT_EQ(kindOf({"-c"}), InvocationKind::PassThrough);
  EXPECT_EQ(kindOf({"-c", "-I", "m/blob/a.cpp"}), InvocationKind::PassThrough)
      << "a folder of headers, no input";
}

TEST(ClassifyTest, SourcesAreTakenOnlyTogether) {
  Invocation Found = classified({"-c", "m/blob/a.cpp", "m/blob/b.cpp"});
  EXPECT_EQ(Found.Kind, InvocationKind::Compile);
  EXPECT_EQ(Found.Sources.size(), 2u);
  Found = classified({"-c", "m/blob/a.cpp", "other.cpp"});
  EXPECT_EQ(Found.Kind, InvocationKind::PassThrough);
  EXPECT_TRUE(Found.Sources.empty());
  // The compiler says that one -o is not enough.
  EXPECT_EQ(kindOf({"-c", "m/blob/a.cpp", "m/blob/b.cpp", "-o", "x.o"}),
            InvocationKind::PassThrough);
}

TEST(ClassifyTest, LinkIsRecognisedByItsOutput) {
  EXPECT_EQ(kindOf({"-shared", "a.o", "-o", "lib/libmha_fwd.so"}),
            InvocationKind::Link);
  EXPECT_EQ(kindOf({"a.o", "-olibmha_bwd_2.so.1.0"}), InvocationKind::Link);
  EXPECT_EQ(kindOf({"-shared", "a.o", "-o", "libother.so"}),
            InvocationKind::OtherLink);
  EXPECT_EQ(kindOf({"a.o", "-o", "program"}), InvocationKind::PassThrough);
  EXPECT_EQ(kindOf({"-shared", "-o", "libmha_fwd.so"}),
            InvocationKind::PassThrough)
      << "without an input";
}

TEST(ClassifyTest, PatternsComeFromTheEnvironment) {
  standard();
  ::setenv("CK_JIT_DISPATCHERS", "^pick_(.*)\\.cpp$", 1);
  ::setenv("CK_JIT_BLOBS", ":/gen/::/made/", 1);
  ::setenv("CK_JIT_LIBRARIES", "", 1); // as good as none
  Patterns Wanted = Patterns::fromEnvironment();
  EXPECT_EQ(Wanted.Blobs, (Texts{"/gen/", "/made/"}));
  EXPECT_EQ(Wanted.Libraries, standard().Libraries);
  Invocation Found = classified({"-c", "pick_one.cpp", "x/gen/k.cpp"}, Wanted);
  ASSERT_EQ(Found.Sources.size(), 2u);
  EXPECT_EQ(Found.Sources[0].ApiKind, "one");
  EXPECT_FALSE(Found.Sources[1].IsDispatcher);
  EXPECT_EQ(Found.Sources[1].Module, "x");
  EXPECT_EQ(classified({"-c", "m/blob/a.cpp"}, Wanted).Kind,
            InvocationKind::PassThrough);
}

TEST(ClassifyTest, InvalidPatternIsNamed) {
  Patterns Wanted = standard();
  Wanted.Dispatchers = "(";
  Result<Invocation> Found =
      classify(parseArguments({"-c", "a.cpp"}), "/b", Wanted);
  ASSERT_FALSE(Found);
  EXPECT_EQ(Found.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(Found.status().message().rfind("CK_JIT_DISPATCHERS=(: ", 0), 0u)
      << Found.status().message();
}

} // namespace
