//===- KeyTest.cpp - tests of keys and of their differences ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include <atomic>
#include <sys/stat.h>
#include <thread>

using namespace kpack;
using namespace kpack::jit;

namespace {

class KeyTest : public TestFolder {};

// FIPS 180-4, and `printf '' | sha256sum`.
TEST_F(KeyTest, Sha256MatchesKnownDigests) {
  EXPECT_EQ(toHex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223"
                                  "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(toHex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb924"
                               "27ae41e4649b934ca495991b7852b855");
}

TEST_F(KeyTest, HexRoundTripsAndRefusesBadText) {
  Digest D{};
  const std::string Text(64, 'a');
  EXPECT_TRUE(fromHex(Text, D));
  EXPECT_EQ(toHex(D), Text);
  for (const std::string &Bad :
       {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'),
        std::string(63, 'a') + "g", std::string()})
    EXPECT_FALSE(fromHex(Bad, D)) << Bad;
}

// The same bytes, cut into fields in another way, are another key.
TEST_F(KeyTest, FieldsDoNotRunTogether) {
  auto One = KeyBuilder("t").add("a", "bc").add("d", "e").finish();
  auto Two = KeyBuilder("t").add("ab", "c").add("d", "e").finish();
  auto Three = KeyBuilder("t").add("a", "bcd").add("d", "e").finish();
  auto Four = KeyBuilder("t").add("d", "e").add("a", "bc").finish();
  auto Five = KeyBuilder("u").add("a", "bc").add("d", "e").finish();
  EXPECT_NE(One.Id, Two.Id);
  EXPECT_NE(One.Id, Three.Id);
  EXPECT_NE(One.Id, Four.Id);
  EXPECT_NE(One.Id, Five.Id);
  EXPECT_EQ(One.Id, KeyBuilder("t").add("a", "bc").add("d", "e").finish().Id);
}

// Compilers read what editors write.
TEST_F(KeyTest, FilesThatChangeWhileTheyAreRead) {
  const std::string Path = Folder + "/changing";
  const std::string Long(1 << 20, 'x');
  write(Path, Long);
  std::atomic<bool> Done{false};
  std::thread Editor([&] {
    for (int I = 0; !Done; ++I) {
      std::filesystem::resize_file(Path, I % 2 ? Long.size() : 1);
      if (I % 64 == 0) {
        write(Path + ".new", Long);
        std::filesystem::rename(Path + ".new", Path);
      }
    }
  });
  for (int I = 0; I != 200; ++I) {
    auto Content = sha256OfFile(Path);
    if (!Content.ok())
      EXPECT_NE(Content.status().message().find("is written to all the time"),
                std::string::npos)
          << Content.status().message();
  }
  Done = true;
  Editor.join();
  write(Path, Long);
  EXPECT_EQ(toHex(*sha256OfFile(Path)), toHex(sha256(Long)));
}

TEST_F(KeyTest, EmptyFilesAreHashedAndFifosRefused) {
  write(Folder + "/empty", "");
  EXPECT_EQ(toHex(*sha256OfFile(Folder + "/empty")), toHex(sha256("")));
  ASSERT_EQ(::mkfifo((Folder + "/fifo").c_str(), 0600), 0);
  for (const std::string &Path : {Folder, Folder + "/fifo"})
    EXPECT_EQ(sha256OfFile(Path).status().code(), StatusCode::IoError) << Path;
}

TEST_F(KeyTest, FilesCountByContent) {
  write(Folder + "/one.h", "same");
  write(Folder + "/two.h", "same");
  write(Folder + "/three.h", "other");
  auto keyOfFile = [&](const char *Name) {
    KeyBuilder Builder("t");
    EXPECT_TRUE(Builder.addFile("header", Folder + Name).ok());
    return Builder.finish().Id;
  };
  EXPECT_EQ(keyOfFile("/one.h"), keyOfFile("/two.h"));
  EXPECT_NE(keyOfFile("/one.h"), keyOfFile("/three.h"));
  KeyBuilder Builder("t");
  EXPECT_EQ(Builder.addFile("header", Folder + "/none.h").code(),
            StatusCode::FileNotFound);
}

TEST_F(KeyTest, ExplainNamesWhatDiffers) {
  auto Before = KeyBuilder("t")
                    .add("compiler", "clang 22.1.7")
                    .add("flag", "-O2")
                    .add("flag", "-g")
                    .add("gone", "x")
                    .finish();
  auto After = KeyBuilder("t")
                   .add("compiler", "clang 22.1.8")
                   .add("flag", "-O2")
                   .add("flag", "-g1")
                   .add("new", std::string(500, 'n'))
                   .finish();
  auto Found = explain(Before, After);
  ASSERT_EQ(Found.size(), 4u);
  EXPECT_EQ(Found[0].Name + Found[0].Before + Found[0].After,
            "compilerclang 22.1.7clang 22.1.8");
  EXPECT_EQ(Found[1].Name + Found[1].Before + Found[1].After, "flag-g-g1");
  EXPECT_EQ(Found[2].Name + Found[2].Before + Found[2].After, "gonex");
  EXPECT_EQ(Found[3].Name + Found[3].Before + Found[3].After, "new500 bytes");
  EXPECT_TRUE(explain(Before, Before).empty());
}

TEST_F(KeyTest, ExplainOfAFlagBetweenOthersIsOneDifference) {
  auto Before = KeyBuilder("t").add("flag", "-O2").add("flag", "-g").finish();
  auto After = KeyBuilder("t")
                   .add("flag", "-O2")
                   .add("flag", "-DX")
                   .add("flag", "-g")
                   .finish();
  auto Found = explain(Before, After);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Before, "");
  EXPECT_EQ(Found[0].After, "-DX");
  Found = explain(After, Before);
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Before, "-DX");
}

} // namespace
