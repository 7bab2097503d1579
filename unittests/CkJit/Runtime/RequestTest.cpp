//===- RequestTest.cpp - tests of a blob's compile request ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CkJit/Runtime/BlobRequest.h"
#include "gtest/gtest.h"

#include <filesystem>

using namespace kpack;
using namespace kpack::ckjit;

namespace {

using Texts = std::vector<std::string>;

class RequestTest : public testing::Test {
protected:
  RequestTest() {
    std::string Pattern = testing::TempDir() + "kpack-request-XXXXXX";
    Folder = ::mkdtemp(Pattern.data());
    Context.Root = Folder;
    Context.Compiler = "/usr/bin/clang++";
    std::fclose(std::fopen((Folder + "/a.hip").c_str(), "w"));
  }
  ~RequestTest() override {
    std::error_code Ignored;
    std::filesystem::remove_all(Folder, Ignored);
  }

  std::string Folder;
  RequestContext Context;
};

TEST_F(RequestTest, RootAndFlags) {
  Context.LinkFlags = {"-L{root}/lib", "-lx"};
  Result<BlobRequest> R = makeRequest(
      {"a",
       "a.hip",
       "{root}/sub",
       {"-O2", "-c", "-I{root}/x{root}", "-o", "o",
        "--offload-arch=gfx90a:xnack-,gfx942", "--offload-arch=native", "-ly"},
       {}},
      Context);
  ASSERT_TRUE(R.ok()) << R.status().message();
  EXPECT_EQ(R->Compile.Source, Folder + "/a.hip");
  EXPECT_EQ(R->Compile.Directory, Folder + "/sub");
  EXPECT_EQ(R->Compile.Flags, (Texts{"-O2", "-I" + Folder + "/x" + Folder}));
  EXPECT_EQ(R->Compile.LinkFlags,
            (Texts{"-ly", "-L" + Folder + "/lib", "-lx"}));
  EXPECT_EQ(R->BuiltFor, (Texts{"gfx90a:xnack-", "gfx942"}));
  EXPECT_TRUE(R->Compile.Symbols.empty());
  EXPECT_EQ(R->Compile.Lang, jit::Language::Hip);
  R = makeRequest({"b", "b.hip", "", {}, {}}, Context);
  EXPECT_EQ(R.status().code(), StatusCode::FileNotFound);
}

TEST(BlobManifestTest, SharedFieldsApplyToAllBlobs) {
  Result<BlobManifest> M = BlobManifest::parse(
      R"({"version": 1, "name": "n", "root": "r", "compiler": "c",
          "link_flags": ["-lx"], "lists": [["-O1"], ["-O2", "b.cpp"]],
          "blobs": [{"source": "a.cpp", "argv": 0, "name": "not the name"},
                    {"source": "b.cpp", "cwd": "{root}", "argv": 1}]})",
      "m");
  ASSERT_TRUE(M.ok()) << M.status().message();
  EXPECT_EQ(M->Name, "n");
  EXPECT_EQ(M->Root, "r");
  EXPECT_EQ(M->Compiler, "c");
  EXPECT_EQ(M->LinkFlags, Texts{"-lx"});
  ASSERT_TRUE(M->find("b"));
  EXPECT_EQ(M->find("b")->Flags, Texts{"-O2"});
  EXPECT_EQ(M->find("b")->Source, "{root}/b.cpp");
  EXPECT_EQ(M->find("a")->Source, "a.cpp");
  EXPECT_FALSE(M->find("c"));
  for (
      const char *Bad :
      {R"({"lists": [[]], "blobs": [{"source": "a", "argv": 1}]})",
       R"({"lists": [[]], "blobs": [{"source": "a", "argv": -1}]})",
       R"({"lists": [[]], "blobs": [{"source": "a", "argv": 0x}]})",
       R"({"lists": [[1]]})", R"({"link_flags": 1, "blobs": []})",
       R"({"lists":[[]],"blobs":[{"source":"a","argv":99999999999999999999}]})"})
    EXPECT_FALSE(BlobManifest::parse(Bad, "m").ok()) << Bad;
}

} // namespace
