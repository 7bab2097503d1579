//===- CxxTexts.cpp - test tool: C++ of random descriptors ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// conv-cxx-texts SEED COUNT: C++ that compiles if cxxText() of COUNT random
// signatures and as many algorithms is what it was made of. The other side is
// the full text, which has each field.
//
//===----------------------------------------------------------------------===//
#include "RandomValue.h"

#include "kpack/ConvBuilder/Describe.h"

#include <cstdio>
#include <cstdlib>

using namespace kpack::conv;

template <typename T> static void printOne(const T &Value) {
  std::printf("static_assert(textOf(%s,\nTextForm::Full).view() ==\n\"%s\");\n",
              cxxText(Value).c_str(), text(Value, TextForm::Full).c_str());
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  RandomValue Random(unsigned(std::atoi(Argv[1])));
  std::puts("#include \"kpack/ConvBuilder/Problem.h\"\n"
            "#include \"kpack/ConvBuilder/Text.h\"\n"
            "using namespace kpack::conv;");
  for (int Left = std::atoi(Argv[2]); Left; --Left) {
    printOne(Random.make<Signature>());
    printOne(Random.make<Algorithm>());
    printOne(Random.make<Problem>());
  }
  printOne(LongestValue::make<Algorithm>());
  printOne(LongestValue::make<Problem>());
  printOne(Signature{});
}
