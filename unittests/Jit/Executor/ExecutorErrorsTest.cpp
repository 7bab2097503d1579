//===- ExecutorErrorsTest.cpp - tests of each error of executors ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each detail of a failure once, by what a user would do to get it.
//
//===----------------------------------------------------------------------===//
#include "ExecutorFixture.h"

using namespace kpack;
using namespace kpack::jit::executortest;

namespace {

class ExecutorErrorsTest : public ExecutorTest {
protected:
  /// Why there is no "int f()" of \p Text.
  Status getFailure(const std::string &Text, ex::Options Options) {
    return ex::compile<int()>({.text = Text, .entry = "f"}, Options).status();
  }
  Status getFailure(const std::string &Text) { return getFailure(Text, how()); }
};

TEST_F(ExecutorErrorsTest, ErrorsInTheTextHaveDetails) {
  Status Bad = getFailure("int f() { return }");
  EXPECT_EQ(Bad.detail(), Errc::CompileFailed);
  EXPECT_EQ(Bad.code(), StatusCode::InvalidArgument);
  // A template of the text fails where an entry makes it.
  Bad = ex::compile<int()>({.text = "template <class T> int f() {"
                                    "  return T::none; }",
                            .entry = "f<int>"},
                           how())
            .status();
  EXPECT_EQ(Bad.detail(), Errc::CompileFailed) << Bad.message();
  EXPECT_EQ(getFailure("").detail(), Errc::UnknownEntry);
  EXPECT_EQ(getFailure("namespace n { int f() { return 1; } }").detail(),
            Errc::UnknownEntry);
}

TEST_F(ExecutorErrorsTest, TypeMismatchHasItsDetail) {
  EXPECT_EQ(getFailure("long f() { return 1; }").detail(),
            Errc::SignatureMismatch);
  EXPECT_EQ(getFailure("long f(); int f(int);").detail(),
            Errc::SignatureMismatch);
}

TEST_F(ExecutorErrorsTest, BadConstantHasItsDetail) {
  EXPECT_EQ(getFailure("", how({{"1a", "int", "1"}})).detail(),
            Errc::BadConstant);
  EXPECT_EQ(getFailure("int f() { return a; }", how({{"a", "int", "nothing"}}))
                .detail(),
            Errc::BadConstant);
  EXPECT_EQ(getFailure("int f() { return a; }",
                       how({{"a", "int", "1"}, {"a", "int", "2"}}))
                .detail(),
            Errc::BadConstant);
}

TEST_F(ExecutorErrorsTest, BadOptionHasItsDetail) {
  ex::Options Options = how();
  // What would change other compiles, run programs, or write somewhere else.
  for (const char *Flag :
       {"-mllvm", "-mllvm=-debug", "-Xclang", "-fplugin=x.so", "-Wl,-z,now",
        "-flto", "@flags", "-o", "-include", "-c", "-E", "-I", "-Iinclude",
        ""}) {
    Options.flags = {Flag};
    Status Refused = getFailure("int f() { return 1; }", Options);
    EXPECT_EQ(Refused.detail(), Errc::UnsupportedOption) << Flag;
    EXPECT_EQ(Refused.message().find("flag '" + std::string(Flag) + "'"), 0u)
        << Refused.message();
  }
  EXPECT_EQ(compiles(), 0u);
  std::string Entry = "k";
  ex::Options OfKernel = how();
  OfKernel.target = "thing";
  EXPECT_EQ(ex::compile_program({}, {&Entry, 1}, OfKernel).status().detail(),
            Errc::WrongIsa);
}

TEST_F(ExecutorErrorsTest, CompilerCrashHasItsDetail) {
  Status Bad = getFailure("#pragma clang __debug llvm_fatal_error\n");
  EXPECT_EQ(Bad.detail(), Errc::CompilerCrashed);
  // May be different the next time, but not for a while.
  Bad = getFailure("#pragma clang __debug parser_crash\n");
  EXPECT_EQ(Bad.detail(), Errc::CompilerCrashed);
  EXPECT_EQ(Bad.code(), StatusCode::IoError);
  EXPECT_NE(Bad.message().find("again: sh "), std::string::npos)
      << Bad.message();
}

TEST_F(ExecutorErrorsTest, CancelledCompileHasItsDetail) {
  ex::Options Options = how();
  Options.flags = {"-fconstexpr-steps=4000000000"};
  Options.stop = [] { return true; };
  const std::string Slow =
      "constexpr unsigned sum() { unsigned s = 0;"
      "  for (unsigned i = 0; i != 4000000000; ++i) s = s * 5 + 1;"
      "  return s; }"
      "int f() { constexpr unsigned value = sum(); return value; }";
  for (int I = 0; I != 2; ++I) { // not remembered as a failure
    Status Stopped = getFailure(Slow, Options);
    EXPECT_EQ(Stopped.detail(), Errc::Cancelled) << Stopped.message();
  }
  EXPECT_EQ(compiles(), 0u);
}

TEST_F(ExecutorErrorsTest, LoadFailureHasItsDetail) {
  Status Bad = getFailure("int nowhere(); int f() { return nowhere(); }");
  EXPECT_EQ(Bad.detail(), Errc::LoadFailed) << Bad.message();
}

TEST_F(ExecutorErrorsTest, StrictModeHasItsDetail) {
  kpack_jit_cache_options Options{};
  Options.size = sizeof(Options);
  Options.directory = Directory.c_str();
  Options.mode = KPACK_JIT_STRICT;
  kpack_jit_cache *Strict = nullptr;
  ASSERT_EQ(kpack_jit_cache_open(&Options, &Strict), KPACK_JIT_SUCCESS);
  ex::Options CompileOptions = how();
  CompileOptions.cache = ex::Cache(Strict);
  EXPECT_EQ(getFailure("int f() { return 1; }", CompileOptions).detail(),
            Errc::MissingKernel);
  kpack_jit_cache_close(Strict);
}

// The detail is of the last failure, as its message is.
TEST_F(ExecutorErrorsTest, InvalidArgumentHasNoDetail) {
  EXPECT_EQ(getFailure("").detail(), Errc::UnknownEntry);
  EXPECT_EQ(kpack_jit_last_error_detail(), KPACK_JIT_DETAIL_UNKNOWN_ENTRY);
  EXPECT_EQ(kpack_jit_compile(nullptr, nullptr, 0, nullptr),
            KPACK_JIT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(kpack_jit_last_error_detail(), KPACK_JIT_DETAIL_NONE);
}

} // namespace
