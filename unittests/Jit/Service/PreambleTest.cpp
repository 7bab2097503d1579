//===- PreambleTest.cpp - tests of a source's first directives ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../../lib/Jit/Helper/PchInstantiations.h"
#include "Jit/Executor/Cache/PchSafety.h"

#include "Jit/Service/Preamble.h"

#include <cxxabi.h>
#include <gtest/gtest.h>

using namespace kpack::jit;

namespace {

/// The part of a source that its preamble is, and its text.
std::string getPart(const std::string &Source) {
  return Source.substr(0, parsePreamble(Source).Bytes);
}
std::string textOf(const std::string &Source) {
  return parsePreamble(Source).Text;
}

TEST(PreambleTest, EndsBehindTheLastInclude) {
  const std::string Start = "// a comment\n\n#include \"a.h\"\n/* b\n */\n"
                            "  #  include <b>\n";
  EXPECT_EQ(getPart(Start + "\n#define AFTER\nint X;\n#include <c>\n"), Start);
  EXPECT_EQ(textOf(Start + "int X;\n"), "#include \"a.h\"\n#  include <b>\n");
}

TEST(PreambleTest, CommentsAreNotInTheText) {
  EXPECT_EQ(textOf("// one\n#include \"a.h\" // why\n"),
            textOf("/* two */ #include \"a.h\"\n"));
}

TEST(PreambleTest, HasMacrosAndWholeConditionals) {
  const std::string Start = "#pragma once\n#define A \"//\" /* 1 */ 2\n#if A\n"
                            "#include <a>\n#else\n#include <b>\n#endif\n";
  EXPECT_EQ(getPart(Start + "int X;\n"), Start);
  EXPECT_EQ(textOf(Start), "#define A \"//\"   2\n#if A\n#include <a>\n#else\n"
                           "#include <b>\n#endif\n");
}

TEST(PreambleTest, EndsBeforeUnsupportedLines) {
  const std::string Start = "#include <a>\n";
  for (const char *Rest :
       {"#pragma pack(1)\n#include <b>\n",
        "#if X\n#include <b>\nint Y;\n#endif\n", "#endif\n#include <b>\n",
        "int X;\n#include <b>\n", "#include_next <b>\n#include <c>\n",
        "_Pragma(\"once\")\n#include <b>\n", "/* no end\n#include <b>\n",
        "#include <b>", "// a \\\nb\n#include <b>\n",
        "#define Q '\n#include <b>\n", "#line 7\n#include <b>\n",
        "R\"(x)\"\n#include <b>\n"})
    EXPECT_EQ(getPart(Start + Rest), Start) << Rest;
  EXPECT_EQ(getPart(Start + std::string("\0\n#include <b>\n", 15)), Start);
  EXPECT_EQ(getPart("\xEF\xBB\xBF#include <a>\n"), "");
  EXPECT_EQ(getPart(""), "");
}

TEST(PchSafetyTest, GeneratedBlobsAreSafe) {
  for (const char *Source :
       {"", "\n// comment\nusing a = b<1, '}'>;\n",
        "#if X\nusing a = int;\ntemplate <> float f<a>(int I) { return {I}; "
        "}\n#endif\n",
        "namespace {\ntemplate <class T> struct s { int X = 1'000; };\n}\n"
        "template<>\nint f<s<int>>();\nstatic_assert(1, \"};\");",
        "template <> constexpr bool v<int> = sizeof(char[2]) == 2;",
        "#define A \\\n struct s;\n/* x */ using b = c;",
        "using a = b;\n#include <iostream>\n# include<string>\r\nusing c = d;"})
    EXPECT_TRUE(isSafeForSharedInstantiations(Source)) << Source;
}

TEST(PchSafetyTest, TemplateChangesAreUnsafe) {
  for (const char *Source : {"template <class T> struct a<b<T>> {};",
                             "template <> struct a<b> {};",
                             "int f(a);",
                             "namespace n { int f(a); }",
                             "struct s;",
                             "int X;",
                             "#include <a>\n",
                             "#include <vector.h>",
                             "#include \"iostream\"",
                             "#include <iostream> // x",
                             "#include <iostream",
                             "#include_next <map>",
                             "#include STD",
                             "#include <>",
                             "#include <ring>",
                             "#pragma x\n",
                             "/* no end",
                             "using a = \"",
                             "MACRO(x)",
                             "template <> int f<a>(",
                             "template class a<b>;",
                             "namespace { ) }",
                             "using a = b; }",
                             "template <> R\"(",
                             "extern \"C\" int f();",
                             "inline namespace { }",
                             "template <> int f<a>() {}\nint g() {}"})
    EXPECT_FALSE(isSafeForSharedInstantiations(Source)) << Source;
}

TEST(PchInstantiationsTest, FindsKernelsInIr) {
  EXPECT_EQ(
      kernelOfIrLine("define protected amdgpu_kernel void @_Z1kIiEvT_(i32 "
                     "noundef %0) #0 {"),
      "_Z1kIiEvT_");
  for (const char *Line :
       {"", "define void @_Z1k() {",
        "define void @a("
        "ptr amdgpu_kernel )",
        "define amdgpu_kernel ", "declare amdgpu_kernel void @k()"})
    EXPECT_EQ(kernelOfIrLine(Line), "") << Line;
}

char *demangle(const char *Mangled) {
  int Failed = 0;
  return abi::__cxa_demangle(Mangled, nullptr, nullptr, &Failed);
}

constexpr const char *Entry =
    "namespace a { int f();\n"
    "template <int N, class... T> __attribute__((amdgpu_waves_per_eu(N), "
    "x(1))) __attribute__((global)) void entry(T... V) { g('}', \"}\"); }\n"
    "int g() { return entry(1); } }";

TEST(PchInstantiationsTest, CopiesTheTemplateAndUsesIt) {
  // void a::entry<3, int, a::s<(bool)1> >(int, a::s<(bool)1>)
  const std::string Text = kernelInstantiations(
      Entry, {"_ZN1a5entryILi3EJiNS_1sILb1EEEEEEvDpT0_"}, demangle);
  EXPECT_NE(Text.find("namespace a { \ntemplate <int N, class... T>  "
                      "__attribute__((device)) inline void "
                      "entry_kpack_copy(T... V) { g('}', \"}\"); }\n }\n"),
            std::string::npos)
      << Text;
  EXPECT_NE(Text.find("static_cast<void (*)(int, a::s<true>)>"
                      "(&::a::entry_kpack_copy<3, int, a::s<true> >)"),
            std::string::npos)
      << Text;
  EXPECT_EQ(Text.find("waves_per_eu"), std::string::npos);
}

TEST(PchInstantiationsTest, UnsupportedKernelsAreLeftOut) {
  for (const char *Kernel :
       {"", "entry", "_Z5entryi", "_ZN1a5otherILi3EEEvv",
        "_ZN1a5entryIN12_GLOBAL__N_11sEEEvT_", "_ZN1aIiE5entryIiEEvT_"})
    EXPECT_EQ(kernelInstantiations(Entry, {Kernel}, demangle), "") << Kernel;
  // Cut off anywhere.
  const std::string Whole = Entry;
  for (size_t Length = 0; Length < Whole.size(); ++Length)
    (void)kernelInstantiations(Whole.substr(0, Length),
                               {"_ZN1a5entryILi3EJiNS_1sILb1EEEEEEvDpT0_"},
                               demangle);
}

} // namespace
