//===- TuningTest.cpp - tests of files of measured algorithms -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files come from anywhere: each thing that can be wrong with one, by its line.
// Writers come in any number at once.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Tuning.h"
#include "kpack/ConvBuilder/ResolveSignature.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kpack;
using namespace kpack::conv;

namespace {

const std::string Head = "kpack-conv-tune 1\n";
const std::string Sig = "{spatial_dim=1,data_type=FP16}";
const std::string Sizes = "{c=8,k=8,image=[16],filter=[3]}";
const std::string How = "{kind=DIRECT,isa=VALU,block_size=64}";

std::string line(const std::string &Us = "12.5", const std::string &N = "3",
                 const std::string &By = "kpack/00",
                 const std::string &Algo = How) {
  return "gfx942 " + Sig + " " + Sizes + " " + Algo + " " + Us + " " + N + " " +
         By + "\n";
}

TEST(TuningTest, RoundTripAndOrder) {
  Result<TuningTable> Table = TuningTable::parse(Head + line());
  ASSERT_TRUE(Table.ok()) << Table.status().message();
  EXPECT_EQ(Table->size(), 1U);
  Result<TuningTable> Again = TuningTable::parse(Table->text());
  ASSERT_TRUE(Again.ok()) << Again.status().message();
  EXPECT_EQ(Again->text(), Table->text());
  // The signature is that of any other spelling.
  Signature Wanted;
  Wanted.spatial_dim = 1;
  Wanted.data_type = DataType::FP16;
  Problem P{.c = 8, .k = 8, .image = {16}, .filter = {3}};
  auto Found = Table->find("gfx942", resolveSignature(Wanted), P, "kpack/00");
  ASSERT_EQ(Found.size(), 1U);
  EXPECT_EQ(Found[0].Microseconds, 12.5);
  EXPECT_TRUE(
      Table->find("gfx90a", resolveSignature(Wanted), P, "kpack/00").empty());
  P.c = 9;
  EXPECT_TRUE(
      Table->find("gfx942", resolveSignature(Wanted), P, "kpack/00").empty());
}

TEST(TuningTest, MergesBySamplesAndTime) {
  auto TableOf = [](const std::string &Lines) {
    return *TuningTable::parse(Head + Lines);
  };
  TuningTable All = TableOf(line("9", "3"));
  All.merge(TableOf(line("10", "5")));
  EXPECT_EQ(All.text().find(" 9 3 "), std::string::npos) << "more samples";
  All.merge(TableOf(line("9.5", "5")));
  All.merge(TableOf(line("11", "5")));
  EXPECT_NE(All.text().find(" 9.5 5 "), std::string::npos) << All.text();
  EXPECT_EQ(All.size(), 1U);
  // Those of the kernels that there are come first.
  All.merge(
      TableOf(line("1", "5", "kpack/old", "{kind=REFERENCE,block_size=64}")));
  EXPECT_EQ(All.size(), 2U);
  Signature S;
  S.spatial_dim = 1;
  S.data_type = DataType::FP16;
  Problem P{.c = 8, .k = 8, .image = {16}, .filter = {3}};
  auto Found = All.find("gfx942", resolveSignature(S), P, "kpack/00");
  ASSERT_EQ(Found.size(), 2U);
  EXPECT_EQ(Found[0].Producer, "kpack/00");
  // In any order it is the same file.
  TuningTable Other =
      TableOf(line("1", "5", "kpack/old", "{kind=REFERENCE,block_size=64}"));
  Other.merge(TableOf(line("9.5", "5")));
  EXPECT_EQ(Other.text(), All.text());
  // As cat joins files.
  Result<TuningTable> Joined =
      TuningTable::parse(TableOf(line("9.5", "5")).text() + All.text(), "f");
  ASSERT_TRUE(Joined.ok()) << Joined.status().message();
  EXPECT_EQ(Joined->text(), All.text());
}

TEST(TuningTest, RefusesMalformedFiles) {
  struct {
    std::string Text;
    const char *Says;
  } Rows[] = {
      {"", "f:1: is empty"},
      {"kpack-conv-tune 2\n", "f:1: does not begin with 'kpack-conv-tune 1'"},
      {"kpack-conv-tune 1", "f:1: the line has no end"},
      {Head + line() + "gfx942", "f:3: the line has no end"},
      {Head + "\n", "f:2: has 1 words, not 7"},
      {Head + "gfx942 " + Sig + "\n", "f:2: has 2 words, not 7"},
      {Head + " " + line(), "f:2: has an empty word"},
      {Head + line("1", "3", "a b"), "f:2: has more than 7 words"},
      {Head + "sm_90" + line().substr(6), "f:2: 'sm_90' is no processor"},
      {Head + line("0"), "f:2: '0' is no time"},
      {Head + line("-1"), "f:2: '-1' is no time"},
      {Head + line("nan"), "f:2: 'nan' is no time"},
      {Head + line("inf"), "f:2: 'inf' is no time"},
      {Head + line("1e13"), "f:2: '1e13' is no time"},
      {Head + line("1x"), "f:2: '1x' is no time"},
      {Head + line("1", "0"), "f:2: '0' is no number of samples"},
      {Head + line("1", "1000001"), "f:2: '1000001' is no number"},
      {Head + line("1", "99999999999"), "f:2: '99999999999' is no number"},
      {Head + line("1", "-3"), "f:2: '-3' is no number"},
      {Head + line("1", "3", "a\tb"), "f:2: its producer is no plain word"},
      {Head + line("1", "3", std::string(97, 'a')), "f:2: its producer"},
      {Head + line("1", "3", std::string("a\0b", 3)), "f:2: its producer"},
      {Head + line("1", "3", "a", "{kind=DIRCT}"), "f:2: algorithm: at 6"},
      {Head + "gfx942 {spatial_dim=9} " + Sizes + " " + How + " 1 1 a\n",
       "f:2: signature: at"},
      {Head + "gfx942 " + Sig + " {c=x} " + How + " 1 1 a\n",
       "f:2: problem: at"},
      {Head + std::string(TuningTable::MaxLine + 1, 'x') + "\n",
       "f:2: has more than"},
      {Head + std::string(TuningTable::MaxLines, '\n'), "f:2: has 1 words"},
      {Head + std::string(TuningTable::MaxBytes, '\n'), "f:1: has more than"},
  };
  for (const auto &Row : Rows) {
    Result<TuningTable> Read = TuningTable::parse(Row.Text, "f");
    ASSERT_FALSE(Read.ok()) << Row.Says;
    EXPECT_EQ(Read.status().code(), StatusCode::InvalidFormat);
    EXPECT_EQ(Read.status().message().rfind(Row.Says, 0), 0U)
        << Read.status().message() << "\nnot: " << Row.Says;
  }
}

TEST(TuningTest, LinesAreLimited) {
  std::string Text = Head;
  for (size_t I = 1; I < TuningTable::MaxLines; ++I)
    Text += "cpu {} {} {} 1 1 a\n";
  EXPECT_TRUE(TuningTable::parse(Text, "f").ok());
  Result<TuningTable> More = TuningTable::parse(Text + "x\n", "f");
  ASSERT_FALSE(More.ok());
  EXPECT_EQ(More.status().message(),
            "f:16385: there are more than 16384 lines");
}

/// Records of a writer of its own, one after the other.
bool writeAll(const std::string &Path, int Writer, int Records) {
  for (int I = 0; I < Records; ++I) {
    std::string By = std::to_string(Writer) + "/" + std::to_string(I);
    if (!TuningTable::parse(Head + line("1", "1", By))->writeTo(Path).ok())
      return false;
  }
  return true;
}

/// Threads of several processes, which all read, add a record and replace.
TEST(TuningTest, WritersAtOnceLoseNothing) {
  constexpr int Processes = 3, Threads = 3, Records = 8;
  std::string Pattern = testing::TempDir() + "kpack-tune-XXXXXX";
  std::string Folder = ::mkdtemp(Pattern.data());
  std::string Path = Folder + "/conv-tune.txt";
  std::vector<pid_t> Children;
  for (int P = 0; P < Processes; ++P) {
    Children.push_back(::fork());
    ASSERT_GE(Children.back(), 0);
    if (Children.back() != 0)
      continue;
    std::atomic<bool> IsRight{true};
    std::vector<std::thread> All;
    for (int T = 0; T < Threads; ++T)
      All.emplace_back([&, Writer = P * Threads + T] {
        if (!writeAll(Path, Writer, Records))
          IsRight = false;
      });
    for (std::thread &T : All)
      T.join();
    ::_exit(IsRight ? 0 : 1);
  }
  for (pid_t Child : Children) {
    int Outcome = -1;
    EXPECT_EQ(::waitpid(Child, &Outcome, 0), Child);
    EXPECT_EQ(Outcome, 0);
  }
  Result<TuningTable> Table = TuningTable::read(Path);
  ASSERT_TRUE(Table.ok()) << Table.status().message();
  EXPECT_EQ(Table->size(), size_t(Processes * Threads * Records));
  std::filesystem::remove_all(Folder);
}

TEST(TuningTest, UpdateKeepsRecordsOfOthers) {
  std::string Pattern = testing::TempDir() + "kpack-tune-XXXXXX";
  std::string Folder = ::mkdtemp(Pattern.data());
  std::string Path = Folder + "/conv-tune.txt";
  EXPECT_EQ(TuningTable::read(Path).status().code(), StatusCode::FileNotFound);
  ASSERT_TRUE(TuningTable::parse(Head + line())->writeTo(Path).ok());
  ASSERT_TRUE(
      TuningTable::parse(Head + line("7", "3", "other/1"))->writeTo(Path).ok());
  Result<TuningTable> Both = TuningTable::read(Path);
  ASSERT_TRUE(Both.ok()) << Both.status().message();
  EXPECT_EQ(Both->size(), 2U);
  // One that is damaged is not replaced.
  std::filesystem::resize_file(Path, 30);
  EXPECT_EQ(TuningTable::parse(Head + line())->writeTo(Path).code(),
            StatusCode::InvalidFormat);
  EXPECT_EQ(std::filesystem::file_size(Path), 30U);
  std::filesystem::remove_all(Folder);
}

} // namespace
