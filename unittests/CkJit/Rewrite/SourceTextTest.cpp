//===- SourceTextTest.cpp - tests of removed source text ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts in, texts out. What a short text must not change, the index, is
// compared in test/CkJit/Rewrite (--thorough).
//
//===----------------------------------------------------------------------===//
#include "../../../lib/CkJit/Rewrite/SourceReduction.h"

#include "gtest/gtest.h"

using namespace kpack::ckjit;

namespace {

TEST(WithOwnNamesTest, RenamesAliasesAndUnnamedClasses) {
  EXPECT_EQ(withOwnNames("using t = int;\n"
                         "namespace { struct s { t x; }; class c final {}; }\n"
                         "float f(t, s, c);\n",
                         3),
            "using t_blob3 = int;\n"
            "namespace { struct s_blob3 { t_blob3 x; }; class c_blob3 final "
            "{}; }\n"
            "float f(t_blob3, s_blob3, c_blob3);\n");
}

/// What others can see has the same name in all blobs.
TEST(WithOwnNamesTest, KeepsVisibleNames) {
  for (const char *Text :
       {"struct s {}; s f();", "namespace n { struct s {}; } n::s f();",
        "namespace { struct s; } s &f();", "using std::max; int x = max(1, 2);",
        "namespace { } struct s {}; s f();", "// using t = int;\nint t;"})
    EXPECT_EQ(withOwnNames(Text, 1), Text);
}

TEST(WithoutBodiesTest, LeavesSpecializationsWithoutTheirBodies) {
  EXPECT_EQ(withoutBodies("using t = traits<8>;\n"
                          "using u = other<t>;\n"
                          "template <> float run<8>(args a) {\n"
                          "  using k = kernel<u>;\n"
                          "  return k::go(a);\n"
                          "}\n"
                          "int after;\n"),
            "\n"
            "\n"
            "template <> float run<8>(args a) {\n"
            "  \n"
            "\n"
            "}\n"
            "int after;\n");
}

/// Both aliases are needed by the type, one of them through the other.
TEST(WithoutBodiesTest, KeepsAliasesThatTypesNeed) {
  EXPECT_EQ(withoutBodies("using t = traits<8>;\n"
                          "using u = other<t>;\n"
                          "using v = int;\n"
                          "template <> float run<u>(args) { v x = 1; go(x); }"),
            "using t = traits<8>;\n"
            "using u = other<t>;\n"
            "\n"
            "template <> float run<u>(args) {  }");
}

TEST(WithoutBodiesTest, KeepsBodiesThatAreNeeded) {
  for (const char *Text :
       {"template <> int size<8>() { return 64; }",          // a constant
        "template <> auto run<8>(args a) { go(a); }",        // the type
        "template <> constexpr int f<8>() { go(); }",        // used as it is
        "int plain() { go(); }",                             // nobody's else
        "template <class T> void run(T a) { go(a); }",       // instantiated
        "#define G go\ntemplate <> void f<8>() { G(); }",    // macros
        "#if X\ntemplate <> void f<8>() { go(); }\n#endif"}) // conditions
    EXPECT_EQ(withoutBodies(Text), Text);
}

std::string cut(llvm::StringRef Text, std::vector<unsigned> &Where) {
  Where.clear();
  return withoutElse(Text, Where);
}

TEST(WithoutElseTest, CutsChainsOfPlainConditions) {
  std::vector<unsigned> Where;
  EXPECT_EQ(cut("void f() { if (a) g(); else if (b) h(); else if (c) i(); "
                "else j(); }",
                Where),
            "void f() { if (a) g();      if (b) h();      if (c) i(); "
            "else j(); }");
  EXPECT_EQ(Where, (std::vector<unsigned>{23, 40}));
}

TEST(WithoutElseTest, KeepsElseOfSharedOrConstexprConditions) {
  std::vector<unsigned> Where;
  for (const char *Text :
       {"void f() { if (int x = g()) {} else if (x) {} }",
        "void f() { if (int x{g()}; x) {} else if (h()) {} }",
        "void f() { if constexpr (a) g(); else if (b) h(); }",
        "void f() { while (a) if (b) g(); else if (c) h(); }",
        "auto l = [] { if (a) g(); else if (b) h(); };",
        "#define E\nvoid f() { if (a) g(); else if (b) h(); }"}) {
    EXPECT_EQ(cut(Text, Where), Text);
    EXPECT_TRUE(Where.empty()) << Text;
  }
}

} // namespace
