//===- ProgramApiTest.cpp - tests of programs through the C API -----------===//
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

#include "Jit/Store/Entry.h"
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
  static bool wasCompiled(const kpack_jit_program *Program) {
    kpack_jit_program_info Info{};
    Info.size = sizeof(Info);
    EXPECT_EQ(kpack_jit_program_get_info(Program, &Info), KPACK_JIT_SUCCESS);
    return Info.was_compiled;
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
  EXPECT_TRUE(wasCompiled(First));
  kpack_jit_cache_close(Where);
  EXPECT_EQ(call(First, 5), 6) << "it outlives its cache";
  Where = open();
  kpack_jit_program *Second = compile(One.Source);
  EXPECT_EQ(call(Second, 5), 6);
  EXPECT_EQ(compiles(), 0u);
  EXPECT_FALSE(wasCompiled(Second));
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

TEST_F(ProgramApiTest, OnlyCachedLoadsFromDisk) {
  Add One("1"), Two("2");
  kpack_jit_program *Program = nullptr;
  // Not even what is known of no compiler yet is asked for.
  EXPECT_EQ(
      kpack_jit_compile(Where, &One.Source, KPACK_JIT_ONLY_CACHED, &Program),
      KPACK_JIT_PENDING);
  kpack_jit_program_release(compile(One.Source));
  kpack_jit_cache_close(Where);
  Where = open();
  EXPECT_EQ(
      kpack_jit_compile(Where, &Two.Source, KPACK_JIT_ONLY_CACHED, &Program),
      KPACK_JIT_PENDING);
  kpack_jit_program *Found = compile(One.Source, KPACK_JIT_ONLY_CACHED);
  EXPECT_FALSE(wasCompiled(Found));
  EXPECT_EQ(call(Found, 2), 3);
  EXPECT_EQ(compile(One.Source, KPACK_JIT_ONLY_LOADED), Found);
  EXPECT_EQ(compiles(), 0u);
  kpack_jit_program_release(Found);
  kpack_jit_program_release(Found);
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

TEST_F(ProgramApiTest, ReportsProgramInformation) {
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

TEST_F(ProgramApiTest, RefusalsGiveARemedy) {
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

// What is in memory is found by what the caller says, and by nothing less.
TEST_F(ProgramApiTest, EveryWordOfASourceCounts) {
  kpack_jit_header Header{"value.h", "#define VALUE 1\n"};
  kpack_jit_constant Constant{"a", "int", "1"};
  kpack_jit_entry_point Entry{"value", "int (int)"};
  kpack_jit_type Type{"T", 4, 4, nullptr, 0};
  const char *Flags[] = {"-O0", nullptr};
  kpack_jit_program_source Base{};
  Base.size = sizeof(Base);
  Base.text = "#include <value.h>\nstruct T { int x; };\n"
              "int value(int) { return VALUE + a; }\n";
  Base.headers = &Header;
  Base.header_count = 1;
  Base.constants = &Constant;
  Base.constant_count = 1;
  Base.entries = &Entry;
  Base.entry_count = 1;
  Base.types = &Type;
  Base.type_count = 1;
  Base.flags = Flags;
  kpack_jit_program *Program = compile(Base);
  auto IsLoaded = [&](const kpack_jit_program_source &Source) {
    kpack_jit_program *Found = nullptr;
    bool Is = kpack_jit_compile(Where, &Source, KPACK_JIT_ONLY_LOADED,
                                &Found) == KPACK_JIT_SUCCESS;
    EXPECT_TRUE(!Is || Found == Program);
    kpack_jit_program_release(Found);
    return Is;
  };
  auto IsKnownWith = [&](auto &Place, auto Value) {
    auto Old = std::exchange(Place, Value);
    bool Is = IsLoaded(Base);
    Place = Old;
    return Is;
  };
  EXPECT_TRUE(IsLoaded(Base));
  EXPECT_FALSE(IsKnownWith(Base.text, "struct T { int x; };\n"
                                      "int value(int) { return a; }\n"));
  EXPECT_FALSE(IsKnownWith(Base.name, "other.cpp"));
  EXPECT_FALSE(IsKnownWith(Base.target, "x86-64"));
  EXPECT_FALSE(IsKnownWith(Base.compiler, "/usr/bin/other-clang++"));
  EXPECT_FALSE(IsKnownWith(Header.name, "other.h"));
  EXPECT_FALSE(IsKnownWith(Header.text, "#define VALUE 2\n"));
  EXPECT_FALSE(IsKnownWith(Constant.name, "b"));
  EXPECT_FALSE(IsKnownWith(Constant.type, "long"));
  EXPECT_FALSE(IsKnownWith(Constant.value, "2"));
  EXPECT_FALSE(IsKnownWith(Entry.expression, "::value"));
  EXPECT_FALSE(IsKnownWith(Entry.type, nullptr));
  EXPECT_FALSE(IsKnownWith(Type.name, "::T"));
  EXPECT_FALSE(IsKnownWith(Type.size, size_t{8}));
  EXPECT_FALSE(IsKnownWith(Type.alignment, size_t{8}));
  EXPECT_FALSE(IsKnownWith(Base.type_count, size_t{0}));
  EXPECT_FALSE(IsKnownWith(Flags[0], "-O1"));
  ::setenv("KPACK_JIT_TARGET", "x86-64", 1);
  EXPECT_FALSE(IsLoaded(Base));
  ::unsetenv("KPACK_JIT_TARGET");
  ::setenv("KPACK_JIT_COMPILER", "/usr/bin/other-clang++", 1);
  EXPECT_FALSE(IsLoaded(Base));
  ::setenv("KPACK_JIT_COMPILER", JIT_TEST_COMPILER, 1);
  EXPECT_TRUE(IsLoaded(Base));
  EXPECT_EQ(call(Program, 0), 2);
  kpack_jit_program_release(Program);
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

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

class ProgramBytesTest : public ProgramApiTest {
protected:
  static std::string bytesOf(const kpack_jit_program *Program) {
    std::string Bytes;
    EXPECT_EQ(kpack_jit_program_serialize(
                  Program,
                  [](const void *Data, size_t Size, void *Context) {
                    static_cast<std::string *>(Context)->assign(
                        static_cast<const char *>(Data), Size);
                  },
                  &Bytes),
              KPACK_JIT_SUCCESS)
        << kpack_jit_last_error();
    return Bytes;
  }
  /// Null: it was refused, with this detail.
  static kpack_jit_program *
  getProgram(const std::string &Bytes,
             kpack_jit_error_detail Detail = KPACK_JIT_DETAIL_NONE) {
    kpack_jit_program *Program = nullptr;
    kpack_jit_status Code =
        kpack_jit_program_deserialize(Bytes.data(), Bytes.size(), &Program);
    EXPECT_EQ(Code, Detail == KPACK_JIT_DETAIL_NONE
                        ? KPACK_JIT_SUCCESS
                        : KPACK_JIT_ERROR_INVALID_FORMAT)
        << kpack_jit_last_error();
    if (Code)
      EXPECT_EQ(kpack_jit_last_error_detail(), Detail)
          << kpack_jit_last_error();
    return Program;
  }
  /// The entry that \p Bytes are, with another description.
  static std::string changed(const std::string &Bytes,
                             void (*Change)(EntryInfo &)) {
    auto Entry = decodeEntry(Bytes);
    EXPECT_TRUE(Entry.ok());
    Change(Entry->Info);
    return std::string(Entry->Payload) +
           *encodeEntryTail(Entry->Info, Entry->Payload);
  }
  /// Those of a kernel, which are few.
  std::string kernelBytes() {
    kpack_jit_entry_point Entry{"k", "void (float *)"};
    kpack_jit_program_source Source{};
    Source.size = sizeof(Source);
    Source.kind = KPACK_JIT_KERNEL;
    Source.text = "__global__ void k(float *x) { *x = 1; }\n";
    Source.entries = &Entry;
    Source.entry_count = 1;
    Source.target = "gfx90a";
    kpack_jit_program *Program = compile(Source);
    std::string Bytes = bytesOf(Program);
    kpack_jit_program_release(Program);
    return Bytes;
  }
};

TEST_F(ProgramBytesTest, RoundTrip) {
  Add One("1");
  kpack_jit_program *First = compile(One.Source);
  std::string Bytes = bytesOf(First);
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  EXPECT_EQ(kpack_jit_program_get_info(First, &Info), KPACK_JIT_SUCCESS);
  std::string Key = Info.key;
  EXPECT_EQ(Bytes, read(Directory + "/objects/" + Key.substr(0, 2) + "/" + Key +
                        ".entry"));
  kpack_jit_program_release(First);
  std::filesystem::remove_all(Directory);

  kpack_jit_program *Again = getProgram(Bytes);
  EXPECT_EQ(call(Again, 2), 3);
  const char *Expression = "", *Type = "";
  EXPECT_EQ(kpack_jit_program_entry(Again, 0, &Expression, nullptr, &Type),
            KPACK_JIT_SUCCESS);
  EXPECT_STREQ(Expression, "add");
  EXPECT_STREQ(Type, "int (int)");
  EXPECT_EQ(bytesOf(Again), Bytes);
  // Each time a program of its own.
  kpack_jit_program *Other = getProgram(Bytes);
  EXPECT_NE(Other, Again);
  EXPECT_EQ(call(Other, 3), 4);
  kpack_jit_program_release(Again);
  EXPECT_EQ(call(Other, 4), 5);
  kpack_jit_program_release(Other);
}

// Where a program was kept nowhere, these are all that there is.
TEST_F(ProgramBytesTest, RoundTripOfUncachedPrograms) {
  Add One("1");
  kpack_jit_program *Own = compile(One.Source, KPACK_JIT_UNCACHED);
  std::string Bytes = bytesOf(Own);
  kpack_jit_program_release(Own);
  kpack_jit_program *Again = getProgram(Bytes);
  EXPECT_EQ(call(Again, 2), 3);
  kpack_jit_program_release(Again);

  kpack_jit_program *Kept = compile(One.Source);
  std::filesystem::remove_all(Directory + "/objects");
  EXPECT_EQ(kpack_jit_program_serialize(
                Kept, [](const void *, size_t, void *) {}, nullptr),
            KPACK_JIT_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(kpack_jit_last_error_detail(), KPACK_JIT_DETAIL_CACHE_UNUSABLE);
  EXPECT_EQ(call(Kept, 2), 3);
  kpack_jit_program_release(Kept);
}

TEST_F(ProgramBytesTest, RoundTripOfKernelsAndImages) {
  std::string Bytes = kernelBytes();
  kpack_jit_program *Kernel = getProgram(Bytes);
  kpack_jit_program_info Info{};
  Info.size = sizeof(Info);
  EXPECT_EQ(kpack_jit_program_get_info(Kernel, &Info), KPACK_JIT_SUCCESS);
  EXPECT_STREQ(Info.target, "gfx90a");
  std::string Image(static_cast<const char *>(Info.image), Info.image_size);
  kpack_jit_program *OfImage = nullptr;
  EXPECT_EQ(kpack_jit_program_of_image(Image.data(), Image.size(), "image.co",
                                       &OfImage),
            KPACK_JIT_SUCCESS);
  kpack_jit_program *Again = getProgram(bytesOf(OfImage));
  EXPECT_EQ(kpack_jit_program_get_info(Again, &Info), KPACK_JIT_SUCCESS);
  EXPECT_EQ(Info.entry_count, 1u);
  EXPECT_EQ(std::string(static_cast<const char *>(Info.image), Info.image_size),
            Image);
  for (kpack_jit_program *Each : {Kernel, OfImage, Again})
    kpack_jit_program_release(Each);
}

TEST_F(ProgramBytesTest, BytesOfAnotherMachineAreRefused) {
  Add One("1");
  kpack_jit_program *Program = compile(One.Source);
  std::string Bytes = bytesOf(Program);
  kpack_jit_program_release(Program);
  EXPECT_EQ(decodeEntry(Bytes)->Info.Machine.size(), 64u);
  getProgram(changed(Bytes, [](EntryInfo &I) { I.Machine[5] ^= 1; }),
             KPACK_JIT_DETAIL_WRONG_ISA);
  EXPECT_NE(std::string(kpack_jit_last_error())
                .find("is compiled for the processor of another machine"),
            std::string::npos);
  // An object of another architecture: EM_ARM where this machine's is.
  std::string Arm = Bytes;
  Arm[18] = 40;
  auto Entry = decodeEntry(Bytes);
  Arm.resize(Entry->Payload.size());
  Arm += *encodeEntryTail(Entry->Info, Arm);
  getProgram(Arm, KPACK_JIT_DETAIL_WRONG_ISA);
  // With a processor that is named it is the caller's word.
  Add Named("1");
  Named.Source.target = "x86-64";
#ifdef __x86_64__
  Program = compile(Named.Source);
  EXPECT_EQ(decodeEntry(bytesOf(Program))->Info.Machine, "");
  kpack_jit_program_release(Program);
#endif
}

// No byte of them may be another one; and what says of itself what it is not
// leads nowhere.
TEST_F(ProgramBytesTest, DamagedBytesAreRefused) {
  std::string Bytes = kernelBytes();
  for (size_t Offset = 0; Offset < Bytes.size(); ++Offset) {
    std::string Altered = Bytes;
    Altered[Offset] = char(Altered[Offset] ^ 0x41);
    kpack_jit_program *Program = nullptr;
    EXPECT_NE(
        kpack_jit_program_deserialize(Altered.data(), Altered.size(), &Program),
        KPACK_JIT_SUCCESS)
        << Offset;
    EXPECT_NE(kpack_jit_program_deserialize(Bytes.data(), Offset, &Program),
              KPACK_JIT_SUCCESS)
        << Offset;
  }
  kpack_jit_program *Created = nullptr;
  EXPECT_EQ(kpack_jit_program_deserialize("", 0, &Created),
            KPACK_JIT_ERROR_INVALID_FORMAT);
  EXPECT_EQ(kpack_jit_program_deserialize(nullptr, 0, &Created),
            KPACK_JIT_ERROR_INVALID_ARGUMENT);
  for (auto *Change :
       {+[](EntryInfo &I) { I.Functions.clear(); },
        +[](EntryInfo &I) { I.Kind = "recipe"; },
        +[](EntryInfo &I) { I.Kind = "shared-object"; },
        +[](EntryInfo &I) { I.Functions[0].Symbol = "j"; },
        +[](EntryInfo &I) { I.Functions[0].Type = "void (float *, int)"; }}) {
    std::string Altered = changed(Bytes, Change);
    EXPECT_NE(
        kpack_jit_program_deserialize(Altered.data(), Altered.size(), &Created),
        KPACK_JIT_SUCCESS);
  }
  Add One("1");
  kpack_jit_program *Program = compile(One.Source);
  Bytes = bytesOf(Program);
  kpack_jit_program_release(Program);
  getProgram(
      changed(Bytes,
              [](EntryInfo &I) { I.Functions.resize(1000, I.Functions[0]); }),
      KPACK_JIT_DETAIL_LOAD_FAILED);
  getProgram(changed(Bytes, [](EntryInfo &I) { I.Kind = "code-object"; }),
             KPACK_JIT_DETAIL_LOAD_FAILED);
}

} // namespace
