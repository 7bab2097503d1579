//===- RewritePlanTest.cpp - tests of edits in a source text --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How planned edits become text, without a parser: what a dispatcher becomes is
// shown in test/CkJit/Rewrite.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/CkJit/Rewrite/RewritePlan.h"

#include "gtest/gtest.h"

using namespace kpack::ckjit;

namespace {

using Edits = std::map<unsigned, Edit>;

void add(Edits &All, Range Place, std::vector<Piece> Pieces) {
  All[Place.Begin] = {Place, std::move(Pieces)};
}

std::string rendered(llvm::StringRef Text, Range Place, const Edits &With) {
  return render(Text, Place, With,
                [](int Slot) { return "slot" + std::to_string(Slot); });
}

TEST(RenderTest, JoinsTextAndEdits) {
  Edits With;
  EXPECT_EQ(rendered("0123456789", {0, 10}, With), "0123456789");
  add(With, {2, 4}, {{"<"}, {"", 7}, {">"}});
  add(With, {4, 4}, {{"+"}}); // an insertion
  add(With, {9, 10}, {});     // a deletion
  EXPECT_EQ(rendered("0123456789", {0, 10}, With), "01<slot7>+45678");
}

/// A helper that is replaced as a whole has the calls in it replaced with it.
TEST(RenderTest, OuterEditCoversANestedOne) {
  Edits With;
  add(With, {2, 8}, {{"outer"}});
  add(With, {3, 5}, {{"inner"}});
  add(With, {8, 9}, {{"next"}});
  EXPECT_EQ(rendered("0123456789", {0, 10}, With), "01outernext9");
  EXPECT_EQ(rendered("0123456789", {3, 8}, With), "inner567")
      << "of the part that is the inner one's alone";
}

TEST(RenderTest, EditsOfOtherPartsStayOut) {
  Edits With;
  add(With, {0, 2}, {{"before"}});
  add(With, {6, 9}, {{"across"}});
  EXPECT_EQ(rendered("0123456789", {2, 8}, With), "234567");
}

TEST(PieceTest, AddressesOfSlotsAreWrittenShort) {
  auto Name = [](int Slot) {
    return std::string(Slot == 0 ? "ck_jit_stub::a" : "*Row.Slot");
  };
  EXPECT_EQ((Piece{"text"}).write(Name), "text");
  EXPECT_EQ((Piece{"", 0}).write(Name), "ck_jit_stub::a");
  EXPECT_EQ((Piece{"", 0, /*Address=*/true}).write(Name), "&ck_jit_stub::a");
  EXPECT_EQ((Piece{"", 1}).write(Name), "*Row.Slot");
  EXPECT_EQ((Piece{"", 1, /*Address=*/true}).write(Name), "Row.Slot");
}

TEST(ToIdentifierTest, ReplacesInvalidCharacters) {
  EXPECT_EQ(toIdentifier("fmha_fwd_d128"), "fmha_fwd_d128");
  EXPECT_EQ(toIdentifier("a-b.c d\xc3"), "a_b_c_d_");
  EXPECT_EQ(toIdentifier("3d"), "_3d");
  EXPECT_EQ(toIdentifier(""), "_");
}

} // namespace
