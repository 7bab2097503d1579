//===- ManifestTest.cpp - tests of the manifest's reader and writer -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CkJit/Manifest/Manifest.h"

#include <gtest/gtest.h>

using namespace kpack;
using namespace kpack::ckjit;

using Texts = std::vector<std::string>;

namespace {

ManifestEntry built() {
  ManifestEntry E;
  E.Source = "m/blob/a \"b\".cpp";
  E.Output = "a.o";
  E.Directory = "/b";
  E.IsDispatcher = true;
  E.ApiKind = "fwd";
  E.Module = "m";
  E.Compiler = "/bin/hipcc";
  E.Words = {"-c", E.Source, "-DX=\n"};
  return E;
}

TEST(ManifestTest, ReadsTheLinesOfABuild) {
  std::string Line = built().toJson();
  EXPECT_EQ(Line, R"({"source":"m/blob/a \"b\".cpp","output":"a.o","cwd":"/b",)"
                  R"("kind":"dispatcher","api_kind":"fwd","module":"m",)"
                  R"("compiler":"/bin/hipcc",)"
                  R"("argv":["-c","m/blob/a \"b\".cpp","-DX=\u000a"]})");
  Result<Manifest> M = Manifest::parse(Line + "\n\n[" + Line + "]\n", "m");
  ASSERT_TRUE(M.ok()) << M.status().message();
  ASSERT_EQ(M->Entries.size(), 2u);
  for (const ManifestEntry &E : M->Entries) {
    EXPECT_TRUE(E.HasWords);
    EXPECT_TRUE(E.IsDispatcher);
    EXPECT_EQ(E.Words, built().Words);
    EXPECT_EQ(E.toJson(), Line);
  }
}

TEST(ManifestTest, ListsOfArgumentsAreShared) {
  Manifest M;
  M.Name = "n";
  M.Root = "r";
  M.LinkFlags = Texts{"-lx"};
  for (const char *Source : {"a.cpp", "b.cpp", "c.cpp"}) {
    M.Entries.emplace_back().Source = Source;
    M.Entries.back().Words = {"-O2"};
    M.Entries.back().Symbols = {"f"};
  }
  M.Entries.back().Words = {};
  EXPECT_EQ(M.toJson(/*SharesWords=*/true),
            R"({"version":1,"name":"n","root":"r","link_flags":["-lx"],)"
            R"("lists":[["-O2"],[]],"blobs":[)"
            R"({"source":"a.cpp","argv":0,"symbols":["f"]},)"
            R"({"source":"b.cpp","argv":0,"symbols":["f"]},)"
            R"({"source":"c.cpp","argv":1,"symbols":["f"]}]})");
  for (bool SharesWords : {true, false}) {
    Result<Manifest> Read = Manifest::parse(M.toJson(SharesWords), "m");
    ASSERT_TRUE(Read.ok()) << Read.status().message();
    EXPECT_EQ(Read->toJson(true), M.toJson(true));
  }
}

TEST(ManifestTest, MissingFieldsAreReported) {
  Result<Manifest> M = Manifest::parse(R"([{"source": "a"}, {}])", "m");
  ASSERT_TRUE(M.ok() && M->Entries.size() == 2);
  EXPECT_FALSE(M->Entries[0].HasWords);
  EXPECT_TRUE(M->Entries[1].Source.empty());
  EXPECT_FALSE(M->LinkFlags);
  EXPECT_EQ(Manifest::parse("{\"argv\": 0}", "m", "do this").status().message(),
            "m: no manifest: wrong at byte 9; do this");
}

TEST(ManifestTest, BlobsHaveTheirSourceApart) {
  BlobRecord Blob = getBlob(built());
  EXPECT_EQ(Blob.Stem, "a \"b\"");
  EXPECT_EQ(Blob.Source, "/b/m/blob/a \"b\".cpp");
  EXPECT_EQ(Blob.Directory, "/b");
  EXPECT_EQ(Blob.Flags, (Texts{"-c", "-DX=\n"}));
  for (const char *Fixed : {"/x/a.b.cpp", "{root}/a.b.cpp"}) {
    ManifestEntry E;
    E.Source = Fixed;
    E.Directory = "/b";
    EXPECT_EQ(getBlob(E).Source, Fixed);
    EXPECT_EQ(getBlob(E).Stem, "a.b");
  }
}

TEST(ManifestTest, ReplacesWholeFolders) {
  EXPECT_EQ(withFolder("-I/src/ck/include", "/src/ck", "{root}"),
            "-I{root}/include");
  EXPECT_EQ(withFolder("/src/ck2:/src/ck", "/src/ck", "{root}"),
            "/src/ck2:{root}");
  EXPECT_EQ(withFolder("/a/a/a", "/a", "/a/a"), "/a/a/a/a/a/a");
  EXPECT_EQ(withFolder("/src", "", "{root}"), "/src");
}

} // namespace
