//===- EntryComplaintsTest.cpp - tests of errors of named functions -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../../../lib/Jit/Helper/EntryComplaints.h"

#include "gtest/gtest.h"

using namespace kpack::jit;

static const std::string Failed =
    "entries:30:5: error: static assertion failed due to requirement "
    "'kpack_jit_has_type_0<";
static const std::string Said = "entries:30:5: error: static assertion failed";

TEST(EntryComplaintsTest, TypesAreSpelled) {
  EXPECT_EQ(spellEntryTypes(
                "before\n" + Failed +
                "int (Y<Y<int>> *), kpack_jit_unit::kpack_unit_declared<int "
                "(Y<X>)>>': entry 'f<2>'\nafter"),
            "before\n" + Said +
                ": entry 'f<2>' has type int (Y<Y<int>> *), the caller "
                "declared int (Y<X>)\nafter");
}

TEST(EntryComplaintsTest, OverloadsAreNamed) {
  EXPECT_EQ(spellEntryTypes(
                Failed + "kpack_jit_unit::kpack_unit_overloaded<int (long)>, "
                         "kpack_jit_unit::kpack_unit_declared<int (long)>>': "
                         "entry 'f'\n"),
            Said + ": entry 'f' is overloaded, and none has the type that the "
                   "caller declared: int (long)\n");
}

TEST(EntryComplaintsTest, OtherLinesAreUnchanged) {
  for (const std::string &Text :
       {std::string(), std::string("\n\n"), Failed, Failed + "int ()>': e",
        std::string("t.cpp:1:1: error: static assertion failed due to "
                    "requirement 'same<int, "
                    "kpack_jit_unit::kpack_unit_declared<int>>': "
                    "entry 'f'")})
    EXPECT_EQ(spellEntryTypes(Text), Text);
}
