//===- EntryTableTest.cpp - tests of tables of named functions ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What becomes of good tables: SourceTextTest.cpp. Here: files that have none,
// or that are damaged, which a sanitizer looks at.
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "../../../lib/Jit/Helper/EntryTable.h"

#include "Jit/Executor/Programs/SourceUnit.h"
#include "Jit/Service/Compile.h"

#include <cstring>

using namespace kpack;
using namespace kpack::jit;

namespace {

class EntryTableTest : public TestFolder {
protected:
  static std::string linked() {
    CompileRequest Request;
    Request.Name = Request.Source = "unit.cpp";
    Request.Compiler = JIT_TEST_COMPILER;
    Request.Text = *makeUnit("int f() { return 1; }\nint g() { return 2; }\n",
                             {}, {}, {{"f", ""}, {"g", ""}}, UnitKind::Host);
    Request.Entries = {"f", "g"};
    Request.LinkFlags = {"-fuse-ld=lld"};
    Request.Symbols = {EntryTableSymbol};
    Result<Product> Compiled = CompileService(JIT_TEST_HELPER).compile(Request);
    EXPECT_TRUE(Compiled.ok()) << Compiled.status().message();
    return Compiled ? Compiled->Payload : std::string();
  }
  static bool isFine(const std::string &Bytes) {
    // In a buffer of exactly this size.
    const std::vector<char> Copy(Bytes.begin(), Bytes.end());
    return readEntryTable({Copy.data(), Copy.size()}, {"f", "g"}).ok();
  }
};

TEST_F(EntryTableTest, FileWithoutATableIsRefused) {
  Result<std::vector<EntryFunction>> None =
      readEntryTable(read(JIT_TEST_CODE), {"f"});
  EXPECT_NE(None.status().message().find("no table of its entries"),
            std::string::npos)
      << None.status().message();
  EXPECT_NE(readEntryTable("no ELF", {"f"}).status().message().find("no ELF"),
            std::string::npos);
  EXPECT_FALSE(readEntryTable(linked(), {"f", "g", "h"}).ok())
      << "more are wanted than there are";
}

TEST_F(EntryTableTest, DamagedFilesAreReadWithinTheirBounds) {
  const std::string Whole = linked();
  ASSERT_TRUE(isFine(Whole));
  constexpr size_t HeaderSize = 64;
  for (size_t Size = 0; Size < Whole.size(); Size += Size < 256 ? 1 : 97)
    EXPECT_FALSE(isFine(Whole.substr(0, Size))) << "sections are at the end";
  for (size_t Offset = 0; Offset < HeaderSize; ++Offset)
    for (int Bit = 0; Bit < 8; ++Bit) {
      std::string Flipped = Whole;
      Flipped[Offset] = char(Flipped[Offset] ^ (1 << Bit));
      (void)isFine(Flipped);
    }
  uint64_t Sections = 0; // e_shoff
  std::memcpy(&Sections, Whole.data() + 40, sizeof(Sections));
  for (size_t Offset = Sections; Offset < Whole.size(); ++Offset)
    for (char Value : {char(0x00), char(0x7f), char(0xff)}) {
      std::string Changed = Whole;
      Changed[Offset] = Value;
      (void)isFine(Changed);
    }
}

} // namespace
