//===- AssemblyPayloadTest.cpp - tests of device code in assembly text ----===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Driver/AssemblyPayload.h"

#include <gtest/gtest.h>

using kpack::driver::appendPayload;

TEST(AssemblyPayload, EmitsDirectives) {
  EXPECT_EQ(appendPayload("\tret", llvm::StringRef("\x00\x7f\xff", 3), false),
            "\tret\n"
            "\t.pushsection .kpack.devobj,\"e\",@progbits\n"
            "\t.p2align 3, 0\n"
            "\t.byte 0,127,255\n"
            "\t.popsection\n");
}

TEST(AssemblyPayload, EmitsModuleAssembly) {
  EXPECT_EQ(appendPayload("; ModuleID = 'x'\n", "A", true),
            "; ModuleID = 'x'\n"
            "module asm \".pushsection .kpack.devobj,\\22e\\22,@progbits\"\n"
            "module asm \".p2align 3, 0\"\n"
            "module asm \".byte 65\"\n"
            "module asm \".popsection\"\n");
}

TEST(AssemblyPayload, LongPayloadsTakeSeveralLines) {
  std::string Text = appendPayload("", std::string(65, '\1'), false);
  size_t Lines = 0;
  for (size_t Offset = Text.find(".byte"); Offset != std::string::npos;
       Offset = Text.find(".byte", Offset + 1))
    ++Lines;
  EXPECT_EQ(Lines, 3u);
}
