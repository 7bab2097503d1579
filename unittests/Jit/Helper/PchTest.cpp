//===- PchTest.cpp - tests of compiles with precompiled headers -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Real compiles of small HIP sources: the outcome must be the same, byte for
// byte, whatever was compiled before.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/Jit/Helper/AvailableMemory.h"
#include "../TestFolder.h"

#include "Jit/Executor/Cache/SourceCache.h"

#include <algorithm>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr const char *Header = R"(
#pragma once
#include <hip_mini.h>
namespace lib {
template <int N> struct steps {
  __device__ static float run(float X) { return steps<N - 1>::run(X) * N; }
};
template <> struct steps<0> {
  __device__ static float run(float X) { return X; }
};
template <class T> __device__ __attribute__((noinline)) T called(T X) {
  return X + 1;
}
template <int N> struct body {
  __device__ void operator()(float *P) const {
    static __attribute__((shared)) float Kept[N + 1];
    Kept[0] = *P;
    *P = called(steps<N>::run(Kept[0]));
  }
};
template <int Size, class Body, class... Args>
__attribute__((amdgpu_flat_work_group_size(1, Size))) __global__
    void entry(Args... A) {
  Body{}(A...);
}
template <class Body> float launch(hipStream_t S, float *P) {
  entry<256, Body><<<1, 256, 0, S>>>(P);
  return 1;
}
} // namespace lib
template <int N> float scale(hipStream_t, float *);
)";

std::string blob(int N) {
  const std::string Ordinal = std::to_string(N);
  return "// variant " + Ordinal +
         "\n#include \"lib.h\"\n\nusing body_0 = lib::body<" + Ordinal +
         ">;\ntemplate <> float scale<" + Ordinal +
         ">(hipStream_t S, float *P) {\n  return lib::launch<body_0>(S, P);\n"
         "}\n";
}

class PchTest : public TestFolder {
protected:
  PchTest() {
    write(Folder + "/lib.h", Header);
    // What the helper leaves behind would be found here.
    std::filesystem::create_directories(Folder + "/tmp");
    if (const char *Value = ::getenv("TMPDIR"))
      OldTemporary = Value;
    ::setenv("TMPDIR", (Folder + "/tmp").c_str(), 1);
  }
  ~PchTest() override {
    if (OldTemporary)
      ::setenv("TMPDIR", OldTemporary->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
  }

  CompileRequest request(const std::string &Name, const std::string &Text) {
    write(Folder + "/" + Name + ".hip", Text);
    CompileRequest Request;
    Request.Name = Name;
    Request.Compiler = JIT_TEST_COMPILER;
    Request.Source = Folder + "/" + Name + ".hip";
    Request.Lang = Language::Hip;
    Request.Target = "gfx90a";
    Request.Flags = {"-O2",       "-std=c++17",          "-nogpulib",
                     "-nogpuinc", "-fvisibility=hidden", "-I",
                     JIT_TEST_HIP};
    Request.LinkFlags = {"-Wl,--allow-shlib-undefined"};
    return Request;
  }

  /// The object, through the cache in that folder.
  std::string compile(CompileRequest Request, const std::string &Directory,
                      PchPolicy Policy) {
    CacheOptions Options;
    Options.Directory = Folder + "/" + Directory;
    Options.OnEvent = [](const CacheEvent &) {};
    auto Where = std::move(*Cache::open(std::move(Options)));
    Request.Pch = Policy;
    SourceCache Sources(*Where, CompileService(JIT_TEST_HELPER));
    Result<StoredEntry> Entry = Sources.get(Request);
    if (!Entry.ok()) {
      Log = Entry.status().message();
      return "";
    }
    Log = Entry->Info.Log;
    std::string Bytes(Entry->PayloadSize, '\0');
    EXPECT_EQ(::pread(Entry->File.get(), Bytes.data(), Bytes.size(), 0),
              ssize_t(Bytes.size()));
    return Bytes;
  }

  /// Sizes of the precompiled headers in a cache.
  std::vector<uint64_t> headersIn(const std::string &Directory) {
    StoreOptions Options;
    Options.Directory = Folder + "/" + Directory;
    auto Opened = Store::open(Options);
    std::vector<uint64_t> Sizes;
    if (Opened.ok())
      for (const StoreItem &Item : (*Opened)->list())
        if (auto Entry = (*Opened)->find(Item.Id);
            Entry && Entry->Info.Kind == "pch")
          Sizes.push_back(Entry->PayloadSize);
    std::sort(Sizes.begin(), Sizes.end());
    return Sizes;
  }
  bool usedHeaders() const {
    return Log.find("without its precompiled") == std::string::npos;
  }
  bool temporaryFilesAreGone() {
    return std::filesystem::is_empty(Folder + "/tmp");
  }

  std::string Log; ///< of the last compile
  std::optional<std::string> OldTemporary;
};

TEST_F(PchTest, MachineCodeIsTheSame) {
  const CompileRequest First = request("a", blob(4)),
                       Next = request("b", blob(6));
  const std::string Plain = compile(Next, "off", PchPolicy::Off);
  EXPECT_TRUE(headersIn("off").empty());
  EXPECT_EQ(compile(First, "off", PchPolicy::Off),
            compile(First, "on", PchPolicy::On));
  EXPECT_TRUE(usedHeaders()) << Log;
  // Made for the first, used for both; the sibling's kernel is not in it.
  ASSERT_EQ(headersIn("on").size(), 1u);
  const std::string WithHeaders = compile(Next, "on", PchPolicy::On);
  EXPECT_TRUE(usedHeaders()) << Log;
  EXPECT_EQ(headersIn("on").size(), 1u);
  EXPECT_FALSE(Plain.empty());
  EXPECT_EQ(Plain, WithHeaders);
  EXPECT_NE(Plain.find("bodyILi6E"), std::string::npos);
  EXPECT_TRUE(temporaryFilesAreGone());

  // They have more in them than those made for a source without a kernel.
  compile(request("c", "#include \"lib.h\"\nusing nothing = int;\n"), "empty",
          PchPolicy::On);
  EXPECT_TRUE(usedHeaders()) << Log;
  ASSERT_EQ(headersIn("empty").size(), 1u);
  EXPECT_LT(headersIn("empty")[0], headersIn("on")[0]);
}

// Types that GCC's demangler does not know, and a header where generators put
// one, between the aliases and the function.
TEST_F(PchTest, KernelsOfTypesOfTheirOwn) {
  write(Folder + "/lib.h", std::string(Header) + R"(
template <int N, class... Ts> struct typed {
  __device__ void operator()(float *P) const {
    ((*P = lib::steps<N>::run(float(Ts(*P)))), ...);
  }
};)");
  auto typed = [](int N) {
    std::string Text = blob(N);
    const size_t Offset = Text.find("lib::body<");
    Text.replace(Offset, Text.find('>', Offset) - Offset,
                 "typed<" + std::to_string(N) + ", _Float16, __bf16");
    Text.insert(Text.find("template <>"), "#include <cstddef>\n");
    return Text;
  };
  compile(request("a", typed(4)), "on", PchPolicy::On);
  const CompileRequest Next = request("b", typed(6));
  const std::string Plain = compile(Next, "off", PchPolicy::Off);
  EXPECT_FALSE(Plain.empty()) << Log;
  EXPECT_EQ(Plain, compile(Next, "on", PchPolicy::On));
  EXPECT_TRUE(usedHeaders()) << Log;
  compile(request("c", "#include \"lib.h\"\nusing nothing = int;\n"), "empty",
          PchPolicy::On);
  ASSERT_EQ(headersIn("on").size(), 1u);
  ASSERT_EQ(headersIn("empty").size(), 1u);
  // LLVM 19's demangler knows them no better than GCC's: without the kernels.
#if JIT_TEST_LLVM >= 22
  EXPECT_LT(headersIn("empty")[0], headersIn("on")[0]);
#else
  EXPECT_EQ(headersIn("empty")[0], headersIn("on")[0]);
#endif
}

TEST_F(PchTest, KeysDoNotDependOnPch) {
  const CompileRequest Request = request("a", blob(4));
  compile(Request, "cache", PchPolicy::On);
  CacheOptions Options;
  Options.Directory = Folder + "/cache";
  Options.OnEvent = [](const CacheEvent &) {};
  auto Where = std::move(*Cache::open(std::move(Options)));
  CompileRequest Other = Request;
  Other.Pch = PchPolicy::Off;
  ASSERT_TRUE(
      SourceCache(*Where, CompileService(JIT_TEST_HELPER)).get(Other).ok());
  EXPECT_EQ(Where->statistics().Hits, 1u);
}

// A specialisation of what the sibling has instantiated already.
TEST_F(PchTest, SourceThatDoesNotFitIsCompiledWithout) {
  compile(request("a", blob(4)), "on", PchPolicy::On);
  std::string Text = blob(5);
  Text.insert(Text.find("using"),
              "template <> float __device__ lib::called<float>(float X) {\n"
              "  return X + 2;\n}\n");
  const CompileRequest Special = request("b", Text);
  EXPECT_EQ(compile(Special, "off", PchPolicy::Off),
            compile(Special, "on", PchPolicy::On));
  EXPECT_FALSE(usedHeaders()) << Log;
}

// A partial specialisation of what the sibling has instantiated: compilers take
// the instantiation that is there and say nothing.
TEST_F(PchTest, PartialSpecialisationsAreSeen) {
  write(Folder + "/lib.h", std::string(Header) + R"(
template <class T> struct factor { static constexpr int value = 2; };
template <class T> struct wrap {};
template <int N> struct same { using type = int; };
template <int N> struct scaled {
  __device__ void operator()(float *P) const {
    *P *= factor<wrap<typename same<N>::type>>::value + N;
  }
};)");
  std::string First = blob(4), Next = blob(5);
  First.replace(First.find("lib::body"), 9, "scaled");
  Next.replace(Next.find("lib::body"), 9, "scaled");
  compile(request("a", First), "on", PchPolicy::On);
  Next.insert(Next.find("using"), "template <class T> struct factor<wrap<T>> { "
                                  "static constexpr int value = 3; };\n");
  const CompileRequest Request = request("b", Next);
  const std::string Plain = compile(Request, "off", PchPolicy::Off);
  EXPECT_FALSE(Plain.empty());
  EXPECT_EQ(Plain, compile(Request, "on", PchPolicy::On));
  EXPECT_TRUE(usedHeaders()) << Log;
}

// What the compiler says of a source is what it says without.
TEST_F(PchTest, MessagesAreTheSameWithPch) {
  compile(request("a", blob(4)), "on", PchPolicy::On);
  EXPECT_EQ(compile(request("b", "#include \"lib.h\"\nint X = Y;\n"), "on",
                    PchPolicy::On),
            "");
  EXPECT_NE(Log.find("use of undeclared identifier 'Y'"), std::string::npos);
  EXPECT_EQ(Log.find(".pch"), std::string::npos) << Log;
}

// Another header, flag or preamble has headers of its own; a damaged entry is
// made again.
TEST_F(PchTest, FamiliesHaveSeparateHeaders) {
  compile(request("a", blob(4)), "on", PchPolicy::On);
  CompileRequest Other = request("b", blob(5));
  Other.Flags.push_back("-DMORE");
  compile(Other, "on", PchPolicy::On);
  EXPECT_TRUE(usedHeaders()) << Log;
  EXPECT_EQ(headersIn("on").size(), 2u);

  write(Folder + "/lib.h", std::string(Header) + "// edited\n#define EDITED\n");
  const CompileRequest Edited = request("a", blob(4) + "#ifndef EDITED\n#error "
                                                       "old header\n#endif\n");
  EXPECT_EQ(compile(Edited, "off", PchPolicy::Off),
            compile(Edited, "on", PchPolicy::On));
  EXPECT_TRUE(usedHeaders()) << Log;
  EXPECT_EQ(headersIn("on").size(), 3u);
}

TEST_F(PchTest, DamagedHeadersAreMadeAgain) {
  compile(request("a", blob(4)), "on", PchPolicy::On);
  for (const auto &File :
       std::filesystem::recursive_directory_iterator(Folder + "/on/objects"))
    if (File.is_regular_file() && File.file_size() > 200000)
      std::filesystem::resize_file(File.path(), File.file_size() / 2);
  const CompileRequest Next = request("b", blob(5));
  EXPECT_EQ(compile(Next, "off", PchPolicy::Off),
            compile(Next, "on", PchPolicy::On));
  EXPECT_TRUE(usedHeaders()) << Log;
  EXPECT_EQ(headersIn("on").size(), 1u);
}

TEST_F(PchTest, NoPchWhereTheResultCouldChange) {
  CompileRequest Debug = request("a", blob(4));
  Debug.Flags.push_back("-g");
  compile(Debug, "on", PchPolicy::On);
  write(Folder + "/lib.h", std::string(Header) +
                               "inline const char *base() { return "
                               "__BASE_FILE__; }\n");
  compile(request("b", blob(4)), "on", PchPolicy::On);
  compile(request("c", "struct S;\n" + blob(4)), "on", PchPolicy::On);
  EXPECT_TRUE(headersIn("on").empty());
}

// One that cannot be precompiled is remembered as such, and no error.
TEST_F(PchTest, HeaderThatCannotBePrecompiledIsRemembered) {
  write(Folder + "/open.h", std::string(Header) + "namespace open {\n");
  std::string Text = blob(4);
  Text.replace(Text.find("lib.h"), 5, "open.h");
  const CompileRequest Request = request("a", Text + "}\n");
  EXPECT_EQ(compile(Request, "off", PchPolicy::Off),
            compile(Request, "on", PchPolicy::On));
  EXPECT_TRUE(usedHeaders());
  EXPECT_EQ(headersIn("on"), std::vector<uint64_t>{8});
}

// The first miss leaves a note, the second one has them made when the reply is
// there already.
TEST_F(PchTest, AreMadeInTheBackground) {
  auto miss = [&](int N) {
    CompileRequest Request = request("a" + std::to_string(N), blob(N));
    Request.PchSeconds = 0;
    EXPECT_NE(compile(Request, "auto", PchPolicy::Auto), "");
  };
  miss(3);
  EXPECT_EQ(headersIn("auto"), std::vector<uint64_t>{0});
  // Further misses begin no second time.
  for (int N = 4; headersIn("auto").size() < 2; ++N) {
    if (availableMemory() < (uint64_t(5) << 30))
      GTEST_SKIP() << "not done where there is little memory";
    miss(N);
  }
  const CompileRequest Next = request("b", blob(2));
  EXPECT_EQ(compile(Next, "off", PchPolicy::Off),
            compile(Next, "auto", PchPolicy::Auto));
  EXPECT_TRUE(usedHeaders()) << Log;
  EXPECT_EQ(headersIn("auto").size(), 2u);
}

} // namespace
