//===- ExecutorTest.cpp - tests of C++ compiled on demand -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack/Jit/Executor.h as a program uses it, with a cache of its own; that of
// the process, and its variables, in child processes.
//
//===----------------------------------------------------------------------===//
#include "ExecutorFixture.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit::executortest;

namespace {

// A constant is no argument of the call, and "if constexpr" knows it.
TEST_F(ExecutorTest, ConstantsAreNotArguments) {
  ex::Source Source{.text = "int add(int a, int b, char *to) {\n"
                            "  if constexpr (print_result) *to = '0' + a + b;\n"
                            "  return a + b;\n"
                            "}\n",
                    .entry = "add"};
  for (bool Print : {true, false}) {
    auto Compiled = ex::compile<int(int, int, char *)>(
        Source, how({ex::constant("print_result", Print)}));
    char Printed = '-';
    EXPECT_EQ(good(Compiled)(1, 2, &Printed), 3);
    EXPECT_EQ(Printed, Print ? '3' : '-');
  }
}

// One compile for several functions of a text.
TEST_F(ExecutorTest, ProgramsOfFunctions) {
  ex::Source Source{.text = "int twice(int a) { return 2 * a; }\n"
                            "int half(int a) { return a / 2; }\n"
                            "int no(long a) { return a != 0; }\n",
                    .entry = ""};
  auto Compiled = ex::compile_program<int(int)>(
      Source, std::vector<std::string>{"half", "twice"}, how());
  ex::Program &Program = good(Compiled);
  EXPECT_EQ(Program.size(), 2u);
  auto Half = ex::executor<int(int)>(Program, "half");
  auto Twice = ex::executor<int(int)>(Program, "twice");
  EXPECT_EQ(good(Half)(6), 3);
  EXPECT_EQ(good(Twice)(6), 12);
  EXPECT_FALSE(ex::compile_program<int(int)>(
                   Source, std::vector<std::string>{"half", "no"}, how())
                   .ok());
}

TEST_F(ExecutorTest, ExecutorsAreValues) {
  std::map<int, ex::Executor<int(int)>> Mine;
  for (int A : {1, 2}) {
    auto Compiled = ex::compile<int(int)>(Add, how({ex::constant("a", A)}));
    Mine.emplace(A, good(Compiled));
  }
  EXPECT_EQ(Mine.at(1)(2), 3);
  EXPECT_EQ(Mine.at(2)(2), 4);
  EXPECT_EQ(Mine.at(1)(2), 3);
  ex::Executor<int(int)> Copy = Mine.at(1);
  Mine.clear();
  EXPECT_EQ(Copy(3), 4);
}

// As the caching example counts them: 1, 1, 2.
TEST_F(ExecutorTest, InstancesAreCompiledOnce) {
  ex::Function<int(int)> F(Add, how());
  auto One = F.get({ex::constant("a", 1)});
  EXPECT_EQ(good(One)(2), 3);
  EXPECT_EQ(compiles(), 1u);
  auto Again = F.get({ex::constant("a", 1)});
  EXPECT_EQ(good(Again)(2), 3);
  EXPECT_EQ(compiles(), 1u);
  auto Two = F.get({ex::constant("a", 2)});
  EXPECT_EQ(good(Two)(2), 4);
  EXPECT_EQ(compiles(), 2u);
  EXPECT_TRUE(One->program() == Again->program());
  EXPECT_FALSE(One->program() == Two->program());
  auto Explicit = ex::compile<int(int)>(Add, how({ex::constant("a", 2)}));
  EXPECT_TRUE(good(Explicit).program() == Two->program())
      << "explicit and implicit are one";
}

TEST_F(ExecutorTest, TheFirstCallCompilesOnceForAllThreads) {
  ex::Function<int(int)> F(Add, how({ex::constant("a", 40)}));
  std::atomic<int> Right{0};
  std::vector<std::thread> Threads;
  for (int I = 0; I < 8; ++I)
    Threads.emplace_back([&] { Right += F(2) == 42; });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Right, 8);
  EXPECT_EQ(compiles(), 1u);
}

TEST_F(ExecutorTest, FirstCallReportsTheError) {
  ex::Function<int(int)> F({.text = "int f(int) { return x; }", .entry = "f"},
                           how());
  for (int I = 0; I < 2; ++I)
    try {
      F(1);
      ADD_FAILURE() << "was called";
    } catch (const std::runtime_error &Error) {
      EXPECT_NE(std::strstr(Error.what(), "use of undeclared identifier 'x'"),
                nullptr)
          << Error.what();
    }
}

TEST_F(ExecutorTest, TryGetNeverCompiles) {
  ex::Function<int(int)> F(Add, how());
  std::vector<ex::Constant> One{ex::constant("a", 1)};
  EXPECT_FALSE(F.try_get(One));
  EXPECT_EQ(compiles(), 0u);
  auto Compiled = F.get(One);
  ASSERT_TRUE(F.try_get(One));
  EXPECT_TRUE(F.try_get(One)->program() == good(Compiled).program());
}

TEST_F(ExecutorTest, SourcesAreCompiledTogether) {
  std::vector<ex::Source> Sources;
  for (int I = 0; I < 5; ++I)
    Sources.push_back({.text = I == 3 ? std::string("error")
                                      : "int f(int x) { return x + " +
                                            std::to_string(I) + "; }",
                       .entry = "f"});
  auto All = ex::compile_all<int(int)>(Sources, how());
  ASSERT_EQ(All.size(), 5u);
  for (int I = 0; I < 5; ++I)
    if (I == 3)
      EXPECT_FALSE(All[3].ok());
    else
      EXPECT_EQ(good(All[I])(10), 10 + I);
}

TEST_F(ExecutorTest, RefreshIsAnotherProgram) {
  ex::Options Options = how({ex::constant("a", 1)});
  auto Old = ex::compile<int(int)>(Add, Options);
  Options.refresh = true;
  auto New = ex::compile<int(int)>(Add, Options);
  EXPECT_FALSE(good(Old).program() == good(New).program());
  EXPECT_EQ((*Old)(1), 2);
  EXPECT_EQ(compiles(), 2u);
}

TEST_F(ExecutorTest, ConstantsKeepEveryBit) {
  auto Check = [&](auto Value) {
    using T = decltype(Value);
    ex::Source Source{.text = "void get(" + ex::detail::typeName<T>() +
                              " *to) { *to = value; }",
                      .entry = "get"};
    auto Compiled =
        ex::compile<void(T *)>(Source, how({ex::constant("value", Value)}));
    T Read{};
    good(Compiled)(&Read);
    EXPECT_EQ(std::memcmp(&Read, &Value, sizeof(T)), 0)
        << ex::constant("value", Value).value;
  };
  Check(true);
  Check(char('x'));
  Check(std::numeric_limits<signed char>::min());
  Check(std::numeric_limits<unsigned char>::max());
  Check(std::numeric_limits<short>::min());
  Check(std::numeric_limits<int>::min());
  Check(-5);
  Check(std::numeric_limits<unsigned>::max());
  Check(std::numeric_limits<long>::min());
  Check(std::numeric_limits<long long>::max());
  Check(std::numeric_limits<unsigned long>::max());
  Check(0.1f);
  Check(-0.0f);
  Check(std::numeric_limits<float>::denorm_min());
  Check(std::numeric_limits<float>::infinity());
  Check(std::nextafter(1.0, 2.0));
  Check(-std::numeric_limits<double>::infinity());
  Check(__builtin_bit_cast(double, 0x7ff8000000000123ull)); // a NaN's payload
  Check(__builtin_bit_cast(float, 0xffc00123u));
}

TEST_F(ExecutorTest, StringsAndEnumerationsAreConstants) {
  enum class Color : short { Red = -3 };
  ex::Source Source{.text = "const char *text() { return name; }\n",
                    .entry = "text"};
  for (const char *Text : {"", "plain",
                           "a \"b\" \\n \n \t ?"
                           "?/ \x7f \xc3\xa4"}) {
    auto Compiled = ex::compile<const char *()>(
        Source, how({ex::constant("name", std::string(Text))}));
    EXPECT_STREQ(good(Compiled)(), Text);
  }
  ex::Source ShortSource{.text = "short number() { return color; }",
                         .entry = "number"};
  auto Compiled = ex::compile<short()>(
      ShortSource, how({ex::constant("color", Color::Red)}));
  EXPECT_EQ(good(Compiled)(), -3);
}

TEST_F(ExecutorTest, TypesAreCheckedByBothCompilers) {
  ex::Source Source{.text =
                        "void f(const float *a, unsigned long n, float *b);\n"
                        "void f(const float *, unsigned long, float *) {}\n",
                    .entry = "f"};
  auto Good =
      ex::compile<void(const float *, unsigned long, float *)>(Source, how());
  EXPECT_TRUE(Good.ok()) << Good.status().message();
  auto Says = [&](const Status &Why, const char *Declared) {
    EXPECT_EQ(Why.code(), StatusCode::InvalidArgument);
    EXPECT_NE(
        Why.message().find(std::string("the caller declared ") + Declared),
        std::string::npos)
        << Why.message();
  };
  Says(ex::compile<void(float *, unsigned long, float *)>(Source, how())
           .status(),
       "void (float *, unsigned long, float *)");
  Says(ex::compile<void(const float *, unsigned, float *)>(Source, how())
           .status(),
       "void (const float *, unsigned int, float *)");
  Says(ex::compile<int(const float *, unsigned long, float *)>(Source, how())
           .status(),
       "int (const float *, unsigned long, float *)");
  Says(ex::compile<void(const float *, unsigned long)>(Source, how()).status(),
       "void (const float *, unsigned long)");
  EXPECT_EQ(ex::detail::typeName<const char *const *>(), "const char *const *");
}

TEST_F(ExecutorTest, OptionsReachTheCompiler) {
  ex::Source Source{.text = "#include \"x.h\"\n"
                            "int f() { return X + __FAST_MATH__ + D; }",
                    .entry = "f",
                    .headers = {{"x.h", "#define X 1\n"}},
                    .display_name = "mine.cpp"};
  ex::Options Options = how();
  Options.fast_math = true;
  Options.defines = {"D=40"};
  auto Compiled = ex::compile<int()>(Source, Options);
  EXPECT_EQ(good(Compiled)(), 42);
  Options.warnings_as_errors = true;
  Options.flags = {"-Wunused-variable"};
  Source.text = "int f() { int unused; return 1; }";
  auto Bad = ex::compile<int()>(Source, Options);
  EXPECT_NE(
      Bad.status().message().find("mine.cpp:1:15: error: unused variable"),
      std::string::npos)
      << Bad.status().message();
}

TEST_F(ExecutorTest, DefinesAreForTheTextAlone) {
  ex::Options Options = how();
  Options.defines = {"two(v)=(v + v)"};
  // Names inside of what stands around a text; x, y and z are HIP's.
  for (const char *Name : {"A",      "F",        "N",
                           "R",      "S",        "T",
                           "U",      "n",        "w",
                           "of",     "offset",   "items",
                           "size",   "blocks",   "packet16",
                           "grid",   "block",    "kernel",
                           "power",  "m",        "p",
                           "r",      "t",        "s",
                           "data",   "type",     "same",
                           "yes",    "function", "first",
                           "count",  "at",       "element_type",
                           "device", "used",     "global",
                           "shared"})
    Options.defines.push_back(std::string(Name) + "=21");
  auto Compiled = ex::compile<int()>(
      {.text = "int f() { return two(T); }", .entry = "f"}, Options);
  EXPECT_EQ(good(Compiled)(), 42);
  std::string Entry = "k";
  for (const char *Target : {"gfx90a", "sm_90"}) {
    Options.target = Target;
    auto Kernel = ex::compile_program(
        {.text = "__global__ void k(float *to, kpack::jit::Span<float> of_it) {"
                 "  __shared__ float all[64];"
                 "  all[threadIdx.x] = expf(to[0]) + tanhf(1.0f) + logf(2.0f) +"
                 "    sqrt(2.0f) + sinf(0.5f) + __expf(1.0f) + T;"
                 "  __syncthreads();"
                 "  of_it[0] = all[0] + __builtin_expf(to[1]); }",
         .entry = ""},
        {&Entry, 1}, Options);
    EXPECT_TRUE(Kernel.ok()) << Target << Kernel.status().message();
  }
}

TEST_F(ExecutorTest, KernelsOfATextAreOneImage) {
  ex::Source Source{.text = "template <int N> __global__ void k(int *x) {\n"
                            "  x[threadIdx.x] = N;\n"
                            "}\n",
                    .entry = ""};
  ex::Options Options = how();
  Options.target = "gfx1100";
  auto Compiled = ex::compile_program(
      Source, std::vector<std::string>{"k<1>", "k<2>"}, Options);
  ex::Program &Program = good(Compiled);
  EXPECT_EQ(Program.size(), 2u);
  EXPECT_STREQ(Program.symbol(0), "_Z1kILi1EEvPi");
  EXPECT_STREQ(Program.symbol(1), "_Z1kILi2EEvPi");
  EXPECT_STREQ(Program.type(1), "void (int *)");
  EXPECT_EQ(Program.image().substr(0, 4), "\x7f"
                                          "ELF");
  EXPECT_FALSE(ex::Executor<void(int *)>::of(Program).ok());
}

TEST_F(ExecutorTest, AFileIsASource) {
  write(Folder + "/a.cpp", "int f() { return 7; }\n");
  auto Read = ex::Source::file(Folder + "/a.cpp", "f");
  auto Compiled = ex::compile<int()>(good(Read), how());
  EXPECT_EQ(good(Compiled)(), 7);
  EXPECT_EQ(ex::Source::file(Folder + "/none", "f").status().message(),
            Folder + "/none: cannot be read; name a file");
}

TEST_F(ExecutorTest, InvalidVariablesAreErrors) {
  auto Opens = [] {
    Result<ex::Cache> Found = ex::Cache::process();
    Result<ex::Cache> Again = ex::Cache::process();
    return Found.ok()
               ? std::string("opened")
               : Found.status().message() + (Again.ok() ? ", then opened" : "");
  };
  EXPECT_EQ(inChild("KPACK_JIT_MODE", "fast", Opens),
            "KPACK_JIT_MODE=fast: is not rw, ro, off or strict");
  EXPECT_EQ(inChild("KPACK_JIT_FILE_CACHING_CAPACITY", "many", Opens),
            "KPACK_JIT_FILE_CACHING_CAPACITY=many: is not a number");
  EXPECT_EQ(
      inChild("KPACK_JIT_DISABLE_FILE_CACHING", "yes", Opens),
      "KPACK_JIT_DISABLE_FILE_CACHING=yes: is not 1, True, true, 0, False "
      "or false");
  EXPECT_EQ(inChild("KPACK_JIT_CACHE_DIR", "here", Opens),
            "KPACK_JIT_CACHE_DIR=here: is not an absolute path");
  EXPECT_EQ(inChild("KPACK_JIT_ROUTE", "thread", Opens),
            "KPACK_JIT_ROUTE=thread: neither serve nor fork");
  EXPECT_EQ(inChild("KPACK_JIT_MODE", "rw", Opens), "opened");
}

// The switch of the caching example: nothing is read or written, and a program
// is compiled once in a process all the same.
TEST_F(ExecutorTest, FilesCanBeSwitchedOff) {
  std::string Place = Folder + "/process";
  ::setenv("KPACK_JIT_CACHE_DIR", Place.c_str(), 1);
  auto Runs = [&] {
    ex::Options Options{.constants = {ex::constant("a", 1)}};
    auto Compiled = ex::compile<int(int)>(Add, Options);
    if (!Compiled.ok())
      return Compiled.status().message();
    auto Again = ex::compile<int(int)>(Add, Options);
    return std::to_string((*Compiled)(2)) +
           (Again->program() == Compiled->program() ? " once" : " twice");
  };
  EXPECT_EQ(inChild("KPACK_JIT_DISABLE_FILE_CACHING", "True", Runs), "3 once");
  EXPECT_FALSE(std::filesystem::exists(Place));
  EXPECT_EQ(inChild("KPACK_JIT_MODE", "strict", Runs)
                .find("source.cpp: not in "
                      "the cache"),
            0u);
  EXPECT_EQ(inChild("KPACK_JIT_MODE", "rw", Runs), "3 once");
  EXPECT_TRUE(std::filesystem::exists(Place + "/objects"));
  EXPECT_EQ(inChild("KPACK_JIT_MODE", "strict", Runs), "3 once");
  ::unsetenv("KPACK_JIT_CACHE_DIR");
}

// What a process has compiled another one may keep as it likes.
TEST_F(ExecutorTest, ProgramsAreSerialisable) {
  auto Compiled = ex::compile<int(int)>(Add, how({ex::constant("a", 1)}));
  auto Bytes = good(Compiled).program().serialize();
  std::string Said = inChild("KPACK_JIT_MODE", "strict", [&] {
    auto Program = ex::Program::deserialize(good(Bytes));
    auto Again = ex::executor<int(int)>(good(Program), "add");
    return std::to_string(good(Again)(2));
  });
  EXPECT_EQ(Said, "3");
  auto Program = ex::Program::deserialize(good(Bytes));
  Status Wrong = ex::executor<long(int)>(good(Program), "add").status();
  EXPECT_EQ(Wrong.detail(), Errc::SignatureMismatch);
  EXPECT_EQ(Wrong.message(),
            "entry 'add' has type int (int), the caller declared long (int)");
  EXPECT_EQ(ex::executor<int(int)>(good(Program), "sub").status().detail(),
            Errc::UnknownEntry);
  Bytes->pop_back();
  EXPECT_EQ(ex::Program::deserialize(*Bytes).status().code(),
            StatusCode::InvalidFormat);
}

} // namespace
