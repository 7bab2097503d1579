//===- SourceTextTest.cpp - tests of sources compiled from memory ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Executor/Cache/SourceCache.h"
#include "Jit/Executor/Load.h"
#include "Jit/Executor/Programs/SourceUnit.h"
#include "Jit/Service/HostProcessor.h"
#include "Jit/Service/SourceText.h"

#include <cstdlib>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

using namespace kpack;
using namespace kpack::jit;

namespace {

/// What a test has of a source.
struct Unit {
  std::string Text;
  std::vector<UnitEntry> Entries;
  std::vector<UnitConstant> Constants = {};
  std::vector<MemoryFile> Headers = {};
};

class SourceTextTest : public TestFolder {
protected:
  CompileRequest request(const Unit &Source, UnitKind Kind = UnitKind::Host) {
    CompileRequest Request;
    Request.Name = "unit";
    Request.Compiler = JIT_TEST_COMPILER;
    Request.Source = Kind == UnitKind::Host ? "unit.cpp" : "unit.hip";
    Result<SourceText> Text = makeUnit(Source.Text, Source.Headers,
                                       Source.Constants, Source.Entries, Kind);
    EXPECT_TRUE(Text.ok()) << Text.status().message();
    Request.Text = std::move(*Text);
    for (const UnitEntry &Entry : Source.Entries)
      Request.Entries.push_back(Entry.Expression);
    Request.Flags = {"-O1", "-std=c++20"};
    if (Kind == UnitKind::Kernel) {
      Request.Lang = Language::Hip;
      Request.Target = "gfx90a";
      Request.Output = CompileOutput::CodeObject;
      Request.Flags.insert(Request.Flags.end(), {"-nogpuinc", "-nogpulib"});
    } else {
      Request.LinkFlags = {"-fuse-ld=lld"};
      Request.Symbols = {EntryTableSymbol};
    }
    return Request;
  }

  std::unique_ptr<SourceCache> open(const std::string &Helper) {
    CacheOptions Options;
    Options.Directory = Folder + "/cache";
    Options.OnEvent = [](const CacheEvent &) {};
    return std::move(
        *SourceCache::open(std::move(Options), CompileService(Helper)));
  }

  /// The I-th function of an entry's table.
  template <typename Function>
  static Function *function(Result<StoredEntry> Entry, size_t I = 0) {
    if (!Entry.ok()) {
      ADD_FAILURE() << Entry.status().message();
      return nullptr;
    }
    Result<LoadedCode> Code = LoadedCode::load(std::move(*Entry));
    EXPECT_TRUE(Code.ok()) << Code.status().message();
    Result<void *> Table = Code->symbol(EntryTableSymbol);
    EXPECT_TRUE(Table.ok()) << Table.status().message();
    return reinterpret_cast<Function *>(static_cast<void **>(*Table)[I]);
  }

  /// What is said of a source that does not compile.
  std::string getError(const Unit &Source) {
    Result<StoredEntry> Entry = open(JIT_TEST_HELPER)->get(request(Source));
    EXPECT_FALSE(Entry.ok());
    return Entry.status().message();
  }
  /// Empty: it compiles.
  std::string computeOutcome(const Unit &Source,
                             UnitKind Kind = UnitKind::Host) {
    return open(JIT_TEST_HELPER)->get(request(Source, Kind)).status().message();
  }
};

TEST_F(SourceTextTest, CompilesTextWithHeadersConstantsAndTemplates) {
  Unit Source{
      "#include \"ops/scale.h\"\n"

      "int add(int A, int B) {\n"
      "  if constexpr (IsNegative) return -(A + B) * factor();\n"
      "  else return A + B;\n"
      "}\n"
      "float add(float A, float B) { return A + B; }\n"
      "namespace ns { template <int N, class T> T times(T V) noexcept {\n"
      "  return V * N; } }\n",
      {{"add", "int (int, int)"}, {"ns::times<3, double>", ""}},
      {{"IsNegative", "bool", "true"}},
      {{"ops/scale.h",
        "#include <same.h>\ninline int factor() { return SAME; }\n"},
       {"same.h", "#define SAME 10\n"}}};
  auto Sources = open(JIT_TEST_HELPER);
  Result<StoredEntry> Entry = Sources->get(request(Source));
  ASSERT_TRUE(Entry.ok()) << Entry.status().message();
  ASSERT_EQ(Entry->Info.Functions.size(), 2u);
  EXPECT_EQ(Entry->Info.Functions[0].Name, "add");
  EXPECT_EQ(Entry->Info.Functions[0].Symbol, "_Z3addii");
  EXPECT_EQ(Entry->Info.Functions[0].Type, "int (int, int)");
  EXPECT_EQ(Entry->Info.Functions[1].Symbol, "_ZN2ns5timesILi3EdEET0_S1_");
  EXPECT_EQ(Entry->Info.Functions[1].Type, "double (double)");
  EXPECT_EQ(function<int(int, int)>(std::move(Entry))(1, 2), -30);
  Result<StoredEntry> Again = open(JIT_TEST_HELPER)->get(request(Source));
  ASSERT_TRUE(Again.ok());
  EXPECT_EQ(Again->Info.Functions.size(), 2u) << "kept in the entry";
  EXPECT_EQ(function<double(double)>(std::move(Again), 1)(1.5), 4.5);
}

// No helper and no compiler has to be asked, whatever the text is.
TEST_F(SourceTextTest, HitRunsNothing) {
  Unit Source{"int four() { return 4; }\n", {{"four", ""}}};
  ASSERT_TRUE(open(JIT_TEST_HELPER)->get(request(Source)).ok());
  EXPECT_EQ(function<int()>(open("/no/helper")->get(request(Source)))(), 4);
}

TEST_F(SourceTextTest, TextWithoutHeadersIsNotScanned) {
  auto Is = [&](const std::string &Text) {
    return isSelfContained(request({Text, {{"f", ""}}}));
  };
  EXPECT_TRUE(Is("int f() { return 0; }"));
  for (const char *Text :
       {"#include <cstdio>", "# /* */ include FILE", "#embed \"x\"",
        "import x;", "asm(\".incbin \\\"x\\\"\");", "__DATE__",
        "#inc\\\nlude <x>", "#inc\\ \nlude <x>", "#pragma GCC dependency \"x\"",
        "#if __has_include(<x>)"})
    EXPECT_FALSE(Is(Text)) << Text;
  CompileRequest Request = request({"int f();", {{"f", ""}}});
  for (const char *Flag :
       {"-include", "-Ix", "@x", "-fplugin=x", "-fprofile-use=x", "--config=x",
        "-fno-integrated-as", "-Wa,-Ix", "-save-temps", "-gcc-toolchain"}) {
    Request.Flags.push_back(Flag);
    EXPECT_FALSE(isSelfContained(Request)) << Flag;
    Request.Flags.pop_back();
  }
  CompileRequest Kernel = request({"", {{"f", ""}}}, UnitKind::Kernel);
  EXPECT_TRUE(isSelfContained(Kernel));
  Kernel.Flags.pop_back(); // device libraries
  EXPECT_FALSE(isSelfContained(Kernel));
}

TEST_F(SourceTextTest, EveryPartIsInTheKey) {
  auto Sources = open(JIT_TEST_HELPER);
  Unit Source{"int f() { return Value; }\n",
              {{"f", ""}},
              {{"Value", "int", "1"}},
              {{"unused.h", "1"}}};
  KeyRecord Before = *Sources->key(request(Source));
  auto Changed = [&](const Unit &Variant) {
    std::vector<KeyDifference> Differences =
        explain(Before, *Sources->key(request(Variant)));
    return Differences.size() == 1 ? Differences[0].Name
                                   : std::to_string(Differences.size());
  };
  Unit Variant = Source;
  Variant.Text += "\n";
  EXPECT_EQ(Changed(Variant), "source");
  Variant = Source;
  Variant.Constants[0].Value = "2";
  EXPECT_EQ(Changed(Variant), "constants");
  Variant = Source;
  Variant.Headers[0].Text = "2";
  EXPECT_EQ(Changed(Variant), "header unused.h");
  Variant = Source;
  Variant.Entries[0].Type = "int ()";
  EXPECT_EQ(Changed(Variant), "entries");

  CompileRequest Named = request(Source);
  Named.Source = "other.cpp";
  EXPECT_EQ(Sources->key(Named)->Id, Before.Id);
  Source.Text = "const char *f() { return __FILE__; }\n";
  CompileRequest Shows = request(Source);
  KeyRecord First = *Sources->key(Shows);
  Shows.Source = "other.cpp";
  EXPECT_NE(Sources->key(Shows)->Id, First.Id);
}

TEST_F(SourceTextTest, BytesDoNotDependOnTheTemporaryFolder) {
  Unit Source{"#include \"a.h\"\nint f() { return N; }\n"
              "const char *Where() { return __FILE__; }\n",
              {{"f", ""}, {"Where", ""}},
              {},
              {{"a.h", "inline const char *Here() { return __FILE__; }\n"
                       "#define N (Here()[0] == '/')\n"}}};
  CompileRequest Request = request(Source);
  Request.Flags.push_back("-g");
  std::string Payloads[2];
  for (int I = 0; I < 2; ++I) {
    std::string Place = Folder + (I ? "/a longer folder" : "/t");
    std::filesystem::create_directories(Place);
    ::setenv("TMPDIR", Place.c_str(), 1);
    Result<Product> Compiled = CompileService(JIT_TEST_HELPER).compile(Request);
    ::unsetenv("TMPDIR");
    ASSERT_TRUE(Compiled.ok()) << Compiled.status().message();
    Payloads[I] = Compiled->Payload;
    EXPECT_TRUE(std::filesystem::is_empty(Place));
  }
  EXPECT_EQ(Payloads[0], Payloads[1]);
}

TEST_F(SourceTextTest, WrongTypesAndNamesAreErrorsInTheSourcesTerms) {
  Unit Source{"int add(int A, int B) { return A + B; }\n",
              {{"add", "int (int, long)"}}};
  EXPECT_NE(getError(Source).find("entry 'add' has type int (int, int), the "
                                  "caller declared int (int, long)"),
            std::string::npos);
  Source.Text += "float add(float A) { return A; }\n";
  EXPECT_NE(getError(Source).find("entry 'add' is overloaded, and none has the "
                                  "type that the caller declared: int (int, "
                                  "long)"),
            std::string::npos);
  Source.Entries[0].Type.clear();
  EXPECT_NE(
      getError(Source).find("entry 'add' is overloaded; declare which type "
                            "is wanted"),
      std::string::npos);
  Source.Entries[0].Expression = "sub";
  EXPECT_NE(getError(Source).find("use of undeclared identifier 'sub'"),
            std::string::npos);
  Source = {"int f() {\n  return x;\n}\n", {{"f", ""}}};
  std::string Said = getError(Source);
  EXPECT_NE(Said.find("\nunit.cpp:2:10: error:"), std::string::npos) << Said;
  Source = {"int f() { return N; }\n", {{"f", ""}}, {{"N", "bool", "x"}}};
  EXPECT_NE(getError(Source).find("constants:1:"), std::string::npos);
}

TEST_F(SourceTextTest, UnclosedCommentIsReported) {
  std::string Said =
      getError({"int f() { return 1; }\n/* and\n", {{"f", "int ()"}}});
  EXPECT_NE(Said.find("unterminated /* comment"), std::string::npos) << Said;
  Said = getError({"int f() { return 1; }\n#if 0\n", {{"f", "int ()"}}});
  EXPECT_NE(Said.find("unterminated conditional directive"), std::string::npos)
      << Said;
}

TEST_F(SourceTextTest, InvalidUnitsAreRefused) {
  auto Refusal = [](const Unit &Source) {
    Result<SourceText> Text =
        makeUnit(Source.Text, Source.Headers, Source.Constants, Source.Entries,
                 UnitKind::Host);
    return Text.ok() ? "" : Text.status().message();
  };
  std::vector<UnitEntry> F{{"f", ""}};
  EXPECT_EQ(Refusal({"", {}}),
            "entries: there are none; name a function of the source");
  EXPECT_EQ(Refusal({"", {{"f\ng", ""}}}),
            "entry 'f\ng': is no expression of one line");
  EXPECT_EQ(Refusal({"", F, {{"1x", "int", "1"}}}),
            "constant '1x': is no identifier; give it a name of C++");
  EXPECT_EQ(Refusal({"", F, {{"x", "int", ""}}}),
            "constant 'x': has no type or no value, or one of more than a "
            "line");
  EXPECT_EQ(Refusal({"", F, {{"x", "int", "1"}, {"x", "int", "2"}}}),
            "constant 'x': is given twice; leave one out");
}

/// Macros of all names that one might give something in a text, and of ours.
static std::string manyMacros() {
  std::string Text;
  for (char C = 'A'; C <= 'Z'; ++C)
    Text += std::string("#define ") + C + " nothing\n#define " +
            char(C + 'a' - 'A') + " nothing\n";
  for (const char *Name :
       {"yes",    "no",       "same",    "text",       "spell",
        "type",   "function", "deduce",  "overloaded", "declared",
        "plain",  "plain_of", "words",   "add",        "data",
        "size",   "silence",  "differs", "entry",      "at",
        "end",    "value",    "Fits",    "Size",       "Declared",
        "Actual", "used",     "unused",  "visibility", "device",
        "host",   "global",   "shared",  "constant"})
    Text += std::string("#define ") + Name + " nothing\n";
  return Text;
}

TEST_F(SourceTextTest, MacrosOfATextDoNotReachTheWrapper) {
  Unit Source{"int twice(int number) { return 2 * number; }\n" + manyMacros(),
              {{"twice", "int (int)"}, {"twice", ""}}};
  EXPECT_EQ(computeOutcome(Source), "");
  // The wrong type is found and said as ever.
  Source.Entries = {{"twice", "long (int)"}};
  EXPECT_NE(
      getError(Source).find("entry 'twice' has type int (int), the caller "
                            "declared long (int)"),
      std::string::npos)
      << getError(Source);
  Unit OfGpu{"__attribute__((global)) void one(int *to) { *to = 1; }\n" +
                 manyMacros(),
             {{"one", "void (int *)"}}};
  EXPECT_EQ(computeOutcome(OfGpu, UnitKind::Kernel), "");
}

TEST_F(SourceTextTest, AByteOrderMarkIsNoLetter) {
  const std::string Mark = "\xef\xbb\xbf";
  EXPECT_EQ(computeOutcome({Mark + "int f() { return 1; }\n", {{"f", ""}}}),
            "");
  std::string Said = getError({Mark + "int f() { return a; }\n", {{"f", ""}}});
  EXPECT_NE(Said.find("unit.cpp:1:18: error"), std::string::npos) << Said;
}

TEST_F(SourceTextTest, MemberWithoutObjectIsNotCalledOverloaded) {
  const std::string Text = "struct S { int m(); static int s(); int d; };\n"
                           "int S::s() { return 1; }\n";
  for (const char *Type : {"", "int ()"}) {
    std::string Said = getError({Text, {{"S::m", Type}}});
    EXPECT_NE(Said.find("entry 'S::m' is a member that needs an object"),
              std::string::npos)
        << Said;
    EXPECT_EQ(computeOutcome({Text, {{"S::s", Type}}}), "");
  }
}

TEST_F(SourceTextTest, MissingEntryIsReportedOnce) {
  const std::string Text = "namespace ns { int inner(int A) { return A; }\n"
                           "template <int N> int scale() { return N; } }\n";
  for (const char *Type : {"", "int (int)"})
    for (const char *Name :
         {"outer", "outer<4>", "ns::iner", "ns::scalee<2>"}) {
      std::string Said = getError({Text, {{Name, Type}}});
      std::string Message =
          "error: no function '" + std::string(Name) + "' in the text: ";
      size_t First = Said.find(Message);
      ASSERT_NE(First, std::string::npos) << Said;
      EXPECT_EQ(Said.find("error: ", First + 1), std::string::npos) << Said;
      EXPECT_EQ(Said.find("overloaded"), std::string::npos) << Said;
      EXPECT_EQ(Said.find("kpack_jit"),
                Said.find("kpack_jit", Said.find("\n  command: ")))
          << Said;
    }
  // The argument of a template is not the function.
  std::string Said = getError({Text, {{"ns::scale<Count>", ""}}});
  EXPECT_NE(Said.find("error: entry 'ns::scale<Count>': use of undeclared "
                      "identifier 'Count'"),
            std::string::npos)
      << Said;
  EXPECT_NE(Said.find("\n1 error generated."), std::string::npos) << Said;
}

TEST_F(SourceTextTest, HeadersStayInTheirFolder) {
  for (const char *Name : {"../x.h", "/x.h", "a/../x.h", "a//x.h", "", "a\"b",
                           "./x.h", "source.cpp", "a/"}) {
    Unit Source{"int f() { return 1; }\n", {{"f", ""}}, {}, {{Name, ""}}};
    std::string Said = getError(Source);
    EXPECT_NE(Said.find("unit: '" + std::string(Name) + "' is "),
              std::string::npos)
        << Said;
  }
}

TEST_F(SourceTextTest, CodeObjectNamesItsKernels) {
  Unit Source{
      "template <int N, class T> __attribute__((global)) void\n"
      "scale(T *X) { X[0] *= N; }\n"
      "namespace { __attribute__((global)) void one(int *X) { *X = 1; } }\n",
      {{"scale<2, float>", "void (float *)"}, {"one", ""}}};
  Result<StoredEntry> Entry =
      open(JIT_TEST_HELPER)->get(request(Source, UnitKind::Kernel));
  ASSERT_TRUE(Entry.ok()) << Entry.status().message();
  EXPECT_EQ(Entry->Info.Kind, "code-object");
  EXPECT_EQ(Entry->Info.Target, "gfx90a");
  ASSERT_EQ(Entry->Info.Functions.size(), 2u);
  EXPECT_EQ(Entry->Info.Functions[0].Symbol, "_Z5scaleILi2EfEvPT0_");
  EXPECT_EQ(Entry->Info.Functions[1].Symbol, "_ZN12_GLOBAL__N_13oneEPi");
  EXPECT_EQ(Entry->Info.Functions[1].Type, "void (int *)");
  char Magic[4];
  ASSERT_EQ(::pread(Entry->File.get(), Magic, 4, 0), 4);
  EXPECT_EQ(std::string(Magic, 4), "\x7f"
                                   "ELF");
}

// A header on disk that a text includes is followed as for files.
TEST_F(SourceTextTest, HeadersOnDiskAreInputs) {
  std::filesystem::create_directories(Folder + "/include");
  write(Folder + "/include/value.h", "#define VALUE 1\n");
  Unit Source{"#include <value.h>\nint f() { return VALUE; }\n", {{"f", ""}}};
  CompileRequest Request = request(Source);
  Request.Flags.insert(Request.Flags.end(), {"-I", Folder + "/include"});
  auto Sources = open(JIT_TEST_HELPER);
  EXPECT_EQ(function<int()>(Sources->get(Request))(), 1);
  Result<std::vector<std::string>> Files = Sources->files(Request);
  ASSERT_TRUE(Files.ok());
  EXPECT_EQ(*Files, std::vector<std::string>{Folder + "/include/value.h"});
  write(Folder + "/include/value.h", "#define VALUE 2\n");
  EXPECT_EQ(function<int()>(Sources->get(Request))(), 2);
}

// The script that is kept about a failure compiles the same text again.
TEST_F(SourceTextTest, FailureIsKeptWithItsText) {
  Unit Source{"#include \"a/b.h\"\nint f() { return NOTHING; }\n",
              {{"f", ""}},
              {},
              {{"a/b.h", "#define NOTHING nothing\n"}}};
  std::string Said = getError(Source);
  size_t Offset = Said.find("  again: ");
  ASSERT_NE(Offset, std::string::npos) << Said;
  std::string Command = Said.substr(Offset + 9) + " >" + Folder + "/out 2>&1";
  EXPECT_NE(std::system(Command.c_str()), 0);
  std::string Again = read(Folder + "/out");
  EXPECT_NE(Again.find("unit.cpp:2:18: error: use of undeclared identifier "
                       "'nothing'"),
            std::string::npos)
      << Again;
}

// The processor's abilities are in the key one by one: what was compiled with
// all of them is none of a machine that lacks one.
TEST_F(SourceTextTest, MissingProcessorFeatureIsAMiss) {
  std::string Whole = hostProcessor();
  ASSERT_FALSE(Whole.empty());
#ifdef __x86_64__
  uint32_t A, B, C, D;
  if (__get_cpuid_count(7, 0, &A, &B, &C, &D)) { // AVX2 and what followed
    const auto *Bytes = reinterpret_cast<const char *>(&B);
    EXPECT_NE(Whole.find(std::string(Bytes, sizeof(B))), std::string::npos);
  }
#endif
  size_t Offset = Whole.size();
  while (!Whole[--Offset])
    ASSERT_NE(Offset, 0u);
  std::string Masked = Whole;
  Masked[Offset] =
      char(Masked[Offset] & (Masked[Offset] - 1)); // its lowest bit

  CompileRequest Native = request({"int get() { return 1; }", {{"get", ""}}});
  CompileRequest Named = Native;
  Native.Flags.push_back("-march=native");
  auto Sources = open(JIT_TEST_HELPER);
  EXPECT_EQ(function<int()>(Sources->get(Native))(), 1);
  EXPECT_EQ(function<int()>(Sources->get(Named))(), 1);
  CompileService Nobody("/no/such/helper");
  SourceCache Same(Sources->cache(), Nobody, Whole),
      Less(Sources->cache(), Nobody, Masked);
  EXPECT_TRUE(Same.get(Native).ok());
  EXPECT_EQ(Less.get(Native).status().code(), StatusCode::FileNotFound);
  EXPECT_TRUE(Less.get(Named).ok());
  auto Near = Less.nearest(Native);
  ASSERT_TRUE(Near.ok() && Near->second);
  ASSERT_EQ(Near->second->Differences.size(), 1u);
  EXPECT_EQ(Near->second->Differences[0].Name, "processor");
}

} // namespace
