//===- ProgramApiTest.cpp - programs through the C API --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The examples of the documentation's kind: constants, instances, a type that
// is wrong. What is behind the API: ProgramCacheTest.cpp, SourceTextTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "kpack/kpack_jit.h"

#include <cstring>

using namespace kpack::jit;

namespace {

class ProgramApiTest : public TestFolder {
protected:
  ProgramApiTest() {
    Directory = Folder + "/cache";
    ::setenv("KPACK_JIT_COMPILER", JIT_TEST_COMPILER, 1);
    Where = open();
  }
  ~ProgramApiTest() override {
    kpack_jit_cache_close(Where);
    ::unsetenv("KPACK_JIT_COMPILER");
  }

  kpack_jit_cache *open(uint64_t MaxPrograms = 0) {
    kpack_jit_cache_options Options{};
    Options.size = sizeof(Options);
    Options.directory = Directory.c_str();
    Options.compile_helper = JIT_TEST_HELPER;
    Options.max_programs = MaxPrograms;
    Options.on_event = [](const kpack_jit_event *, void *) {};
    kpack_jit_cache *Opened = nullptr;
    EXPECT_EQ(kpack_jit_cache_open(&Options, &Opened), KPACK_JIT_SUCCESS)
        << kpack_jit_last_error();
    return Opened;
  }

  /// "int add(int b) { return a + b; }" with a constant a.
  struct Add {
    explicit Add(const char *Value) : Constant{"a", "int", Value} {
      Source.size = sizeof(Source);
      Source.text = "int add(int b) { return a + b; }\n";
      Source.constants = &Constant;
      Source.constant_count = 1;
      Source.entries = &Entry;
      Source.entry_count = 1;
    }
    kpack_jit_constant Constant;
    kpack_jit_entry_point Entry{"add", "int (int)"};
    kpack_jit_program_source Source{};
  };

  kpack_jit_program *compile(const kpack_jit_program_source &Source,
                             unsigned Flags = 0) {
    kpack_jit_program *Program = nullptr;
    EXPECT_EQ(kpack_jit_compile(Where, &Source, Flags, &Program),
              KPACK_JIT_SUCCESS)
        << kpack_jit_last_error();
    return Program;
  }
  static int call(const kpack_jit_program *Program, int Value) {
    void *Address = nullptr;
    EXPECT_EQ(kpack_jit_program_function(Program, 0, &Address),
              KPACK_JIT_SUCCESS)
        << kpack_jit_last_error();
    return Address ? reinterpret_cast<int (*)(int)>(Address)(Value) : -1;
  }
  uint64_t compiles() {
    kpack_jit_statistics Sum{};
    Sum.size = sizeof(Sum);
    EXPECT_EQ(kpack_jit_cache_get_statistics(Where, &Sum), KPACK_JIT_SUCCESS);
    return Sum.compiles;
  }

  std::string Directory;
  kpack_jit_cache *Where = nullptr;
};

// As of the caching example: one instance, one, and two.
TEST_F(ProgramApiTest, ConstantsMakeInstances) {
  Add One("1"), Two("2");
  kpack_jit_program *First = compile(One.Source);
  EXPECT_EQ(call(First, 2), 3);
  EXPECT_EQ(compiles(), 1u);
  kpack_jit_program *Again = compile(One.Source);
  EXPECT_EQ(Again, First);
  EXPECT_EQ(compiles(), 1u);
  kpack_jit_program *Second = compile(Two.Source);
  EXPECT_EQ(call(Second, 2), 4);
  EXPECT_EQ(compiles(), 2u);
  for (kpack_jit_program *Program : {First, Again, Second})
    kpack_jit_program_release(Program);
}

TEST_F(ProgramApiTest, AnotherCacheFindsItOnDisk) {
  Add One("1");
  kpack_jit_program *First = compile(One.Source);
  kpack_jit_cache_close(Where);
  EXPECT_EQ(call(First, 5), 6) << "it outlives its cache";
  Where = open();
  kpack_jit_program *Second = compile(One.Source);
  EXPECT_EQ(call(Second, 5), 6);
  EXPECT_EQ(compiles(), 0u);
  kpack_jit_program_release(First);
  EXPECT_EQ(call(Second, 6), 7);
  kpack_jit_program_release(Second);
}

TEST_F(ProgramApiTest, OnlyLoadedNeverCompiles) {
  Add One("1");
  kpack_jit_program *Program = nullptr;
  EXPECT_EQ(
      kpack_jit_compile(Where, &One.Source, KPACK_JIT_ONLY_LOADED, &Program),
      KPACK_JIT_PENDING);
  EXPECT_EQ(Program, nullptr);
  kpack_jit_program *First = compile(One.Source);
  EXPECT_EQ(compile(One.Source, KPACK_JIT_ONLY_LOADED), First);
  kpack_jit_program_release(First);
  kpack_jit_program_release(First);
}

TEST_F(ProgramApiTest, RefreshCompilesAnew) {
  Add One("1");
  kpack_jit_program *Old = compile(One.Source);
  kpack_jit_program *New = compile(One.Source, KPACK_JIT_REFRESH);
  EXPECT_NE(New, Old);
  EXPECT_EQ(compiles(), 2u);
  EXPECT_EQ(compile(One.Source), New);
  EXPECT_EQ(call(Old, 1), 2);
  for (kpack_jit_program *Program : {Old, New, New})
    kpack_jit_program_release(Program);
}

TEST_F(ProgramApiTest, SaysWhatAProgramIs) {
  Add One("1");
  One.Entry.type = nullptr;
  kpack_jit_program *Program = compile(One.Source);
  const char *Expression = nullptr, *Symbol = nullptr, *Type = nullptr;
  ASSERT_EQ(kpack_jit_program_entry(Program, 0, &Expression, &Symbol, &Type),
            KPACK_JIT_SUCCESS);
  EXPECT_STREQ(Expression, "add");
  EXPECT_STREQ(Symbol, "_Z3addi");
  EXPECT_STREQ(Type, "int (int)");
  EXPECT_EQ(kpack_jit_program_entry(Program, 1, nullptr, nullptr, nullptr),
            KPACK_JIT_ERROR_INVALID_ARGUMENT);
  void *Address = nullptr;
  EXPECT_EQ(kpack_jit_program_function(Program, 1, &Address),
            KPACK_JIT_ERROR_NOT_FOUND);
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  ASSERT_EQ(kpack_jit_program_get_info(Program, &Info), KPACK_JIT_SUCCESS);
  EXPECT_EQ(Info.entry_count, 1u);
  EXPECT_STREQ(Info.target, "");
  EXPECT_EQ(std::strlen(Info.key), 64u);
  EXPECT_EQ(Info.image, nullptr);
  kpack_jit_program_release(Program);
}

// The code object of kernels that include nothing, and what to look for in it.
TEST_F(ProgramApiTest, KernelsAreACodeObject) {
  Add Unused("1");
  kpack_jit_entry_point Entry{"scale<3, float>",
                              "void (float *, unsigned int)"};
  kpack_jit_program_source Source{};
  Source.size = sizeof(Source);
  Source.kind = KPACK_JIT_KERNEL;
  Source.text =
      "template <int N, class T> __global__ void scale(T *x, unsigned n) {\n"
      "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] *= N;\n"
      "}\n";
  Source.entries = &Entry;
  Source.entry_count = 1;
  Source.target = "gfx90a";
  kpack_jit_program *Program = compile(Source);
  ASSERT_NE(Program, nullptr);
  const char *Symbol = nullptr;
  kpack_jit_program_entry(Program, 0, nullptr, &Symbol, nullptr);
  EXPECT_STREQ(Symbol, "_Z5scaleILi3EfEvPT0_j");
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  ASSERT_EQ(kpack_jit_program_get_info(Program, &Info), KPACK_JIT_SUCCESS);
  EXPECT_STREQ(Info.target, "gfx90a");
  ASSERT_GT(Info.image_size, 64u);
  EXPECT_EQ(std::memcmp(Info.image,
                        "\x7f"
                        "ELF",
                        4),
            0);
  void *Address = nullptr;
  EXPECT_EQ(kpack_jit_program_function(Program, 0, &Address),
            KPACK_JIT_ERROR_NOT_FOUND);
  kpack_jit_program_release(Program);
}

TEST_F(ProgramApiTest, RefusalsSayWhatToDo) {
  auto Refused = [&](const kpack_jit_program_source &Source,
                     kpack_jit_status Code) {
    kpack_jit_program *Program = nullptr;
    EXPECT_EQ(kpack_jit_compile(Where, &Source, 0, &Program), Code);
    EXPECT_EQ(Program, nullptr);
    return std::string(kpack_jit_last_error());
  };
  Add Bad("1");
  Bad.Entry.type = "int (long)";
  EXPECT_NE(Refused(Bad.Source, KPACK_JIT_ERROR_COMPILE)
                .find("entry 'add' has type int (int), the caller declared int "
                      "(long)"),
            std::string::npos);
  Bad = Add("1");
  Bad.Source.constants = &Bad.Constant;
  Bad.Source.entries = &Bad.Entry;
  const char *Flags[] = {"-o", "x", nullptr};
  Bad.Source.flags = Flags;
  EXPECT_EQ(Refused(Bad.Source, KPACK_JIT_ERROR_INVALID_ARGUMENT),
            "flag '-o': is none that a source in memory can be given; take "
            "flags that say how code is made (-O, -D, -f, -m, -I)");
  Flags[0] = "-I";
  Flags[1] = "include";
  EXPECT_EQ(Refused(Bad.Source, KPACK_JIT_ERROR_INVALID_ARGUMENT),
            "flag '-I': needs a folder with an absolute path; the source is "
            "compiled somewhere else");
  Bad.Source.flags = nullptr;
  Bad.Source.kind = KPACK_JIT_KERNEL;
  Bad.Source.target = "sm_9x";
  EXPECT_EQ(Refused(Bad.Source, KPACK_JIT_ERROR_INVALID_ARGUMENT),
            "target 'sm_9x': is no target id; write one like gfx90a:xnack-");
  Bad.Source.target = "sm_90"; // of which 'add' is no kernel
  EXPECT_NE(Refused(Bad.Source, KPACK_JIT_ERROR_COMPILE)
                .find("'add' is no kernel; make it a __global__ function"),
            std::string::npos);
  Bad.Source.entry_count = 0;
  Refused(Bad.Source, KPACK_JIT_ERROR_INVALID_ARGUMENT);
}

TEST_F(ProgramApiTest, FlagsAndHeadersReachTheCompiler) {
  kpack_jit_header Header{"value.h", "#define VALUE (FROM_FLAG * 2)\n"};
  kpack_jit_entry_point Entry{"value", nullptr};
  const char *Flags[] = {"-DFROM_FLAG=21", "-O0", nullptr};
  kpack_jit_program_source Source{};
  Source.size = sizeof(Source);
  Source.text = "#include <value.h>\nint value(int) { return VALUE; }\n";
  Source.headers = &Header;
  Source.header_count = 1;
  Source.entries = &Entry;
  Source.entry_count = 1;
  Source.flags = Flags;
  kpack_jit_program *Program = compile(Source);
  EXPECT_EQ(call(Program, 0), 42);
  kpack_jit_program_release(Program);
}

} // namespace
