//===- BlobPredicateTest.cpp - tests of --where and of parsed names -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names taken apart, and what --where makes of them. The option itself is
// tested in test/CkJit/Prebuild/blobs.test.
//
//===----------------------------------------------------------------------===//
#include "../../../lib/CkJit/Prebuild/BlobPredicate.h"

#include "gtest/gtest.h"

using namespace kpack::ckjit;
using namespace llvm;

namespace {

using Texts = std::vector<std::string>;

constexpr const char *Name =
    "fmha_fwd_d128_fp16_batch_b64x32_qr_vr_nlogits_alibi_nmask_lse_gfx950";

bool holds(StringRef Text, StringRef Stem = Name) {
  Expected<Predicate> P = parsePredicate(Text);
  EXPECT_TRUE(bool(P)) << toString(P.takeError());
  return P && (*P)(getFields(Stem));
}

TEST(FieldsTest, SplitsANameIntoFields) {
  Fields Values = getFields(Name);
  EXPECT_EQ(Values["stem"], Texts{Name});
  EXPECT_EQ(Values["api"], Texts{"fmha_fwd"});
  EXPECT_EQ(Values["hdim"], Texts{"128"});
  EXPECT_EQ(Values["dtype"], Texts{"fp16"});
  EXPECT_EQ(Values["mode"], Texts{"batch"});
  EXPECT_EQ(Values["pipeline"], Texts{"qr"});
  EXPECT_EQ(Values["vlayout"], Texts{"row"});
  EXPECT_EQ(Values["logits"], Texts{"no"});
  EXPECT_EQ(Values["bias"], Texts{"alibi"});
  EXPECT_EQ(Values["mask"], Texts{"no"});
  EXPECT_EQ(Values["lse"], Texts{"yes"});
  EXPECT_EQ(Values["arch"], Texts{"gfx950"});
  EXPECT_EQ(Values["word"].size(), 13u) << "also those that nobody knows";
}

/// "batch" is a mode, but not where it is the name of the API.
TEST(FieldsTest, ApiNameMayContainTheWordOfAField) {
  Fields Values = getFields("fmha_batch_prefill_d64_group_nobias");
  EXPECT_EQ(Values["api"], Texts{"fmha_batch_prefill"});
  EXPECT_EQ(Values["mode"], Texts{"group"});
  EXPECT_EQ(Values["bias"], Texts{"no"});
  EXPECT_EQ(getFields("x_d64_d128")["hdim"], (Texts{"64", "128"}));
}

TEST(PredicateTest, ComparesNumbersAndTexts) {
  EXPECT_TRUE(holds("hdim==128"));
  EXPECT_TRUE(holds("hdim = \"128\""));
  EXPECT_TRUE(holds("hdim<=128 && hdim>=128"));
  EXPECT_FALSE(holds("hdim<128 || hdim>128"));
  EXPECT_TRUE(holds("hdim>64")) << "as numbers: as texts it would not";
  EXPECT_TRUE(holds("stem~\"d[0-9]+_fp16\"")) << "anywhere in it";
  EXPECT_FALSE(holds("stem~\"^d128\""));
  EXPECT_TRUE(holds("stem!~fp8"));
}

/// A missing field equals nothing.
TEST(PredicateTest, UnequalIsTheOppositeOfEqual) {
  EXPECT_TRUE(holds("dropout!=yes"));
  EXPECT_FALSE(holds("dropout==no"));
  EXPECT_FALSE(holds("word!=qr"));
  EXPECT_TRUE(holds("hdim==64 && hdim==128", "x_d64_d128"));
  EXPECT_FALSE(holds("hdim!=64", "x_d64_d128"));
}

TEST(PredicateTest, AndBindsTighterThanOr) {
  EXPECT_TRUE(holds("mode==batch || mode==group && hdim==1"));
  EXPECT_FALSE(holds("(mode==batch || mode==group) && hdim==1"));
  EXPECT_TRUE(holds("!(mode==group) && !!lse==yes"));
  EXPECT_FALSE(holds("!mode==batch || hdim==1"));
}

TEST(PredicateTest, ErrorsPointAtThePlace) {
  auto Message = [](StringRef Text) {
    Expected<Predicate> P = parsePredicate(Text);
    return P ? "none" : toString(P.takeError());
  };
  EXPECT_EQ(Message("dtyp==fp16"),
            "--where: no field 'dtyp'; did you mean 'dtype'?\n"
            "  dtyp==fp16\n"
            "  ^");
  EXPECT_EQ(Message("hdim<many"), "--where: a number expected\n"
                                  "  hdim<many\n"
                                  "       ^");
  EXPECT_EQ(Message("(lse==yes"), "--where: '&&', '||' or ')' expected\n"
                                  "  (lse==yes\n"
                                  "           ^");
  EXPECT_EQ(Message("lse==yes mask==no"), "--where: '&&' or '||' expected\n"
                                          "  lse==yes mask==no\n"
                                          "           ^");
  EXPECT_EQ(Message("stem~\"(\"").rfind("--where: no regular expression: ", 0),
            0u);
  EXPECT_EQ(Message("stem==\"x").rfind("--where: this text has no end", 0), 0u);
  std::string Deep(65, '(');
  EXPECT_EQ(
      Message(Deep + "lse==yes").rfind("--where: too many parentheses", 0), 0u);
}

} // namespace
