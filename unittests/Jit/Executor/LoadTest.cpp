//===- LoadTest.cpp - tests of cache entries as loaded code ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../TestFolder.h"

#include "Jit/Executor/Load.h"

#include <sys/mman.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

class LoadTest : public TestFolder {
protected:
  /// What answer() gives: 42, or \p Value after it was put into the machine
  /// code (a 32-bit immediate of that value occurs once).
  static std::string codeThatAnswers(char Value) {
    std::string Code = read(JIT_TEST_CODE);
    const std::string Old("\x2a\0\0\0\xc3", 5);
    const size_t Offset = Code.find(Old);
    EXPECT_NE(Offset, std::string::npos);
    if (Offset != std::string::npos)
      Code[Offset] = Value;
    return Code;
  }
  static int call(StoredEntry Entry) {
    auto Code = LoadedCode::load(std::move(Entry));
    EXPECT_TRUE(Code.ok()) << Code.status().message();
    auto Symbol = Code->symbol("answer");
    EXPECT_TRUE(Symbol.ok()) << Symbol.status().message();
    return reinterpret_cast<int (*)()>(*Symbol)();
  }
};

TEST_F(LoadTest, EntriesAreMappedInPlace) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), read(JIT_TEST_CODE)).ok());
  EXPECT_EQ(call(*S->find(key("a").Id)), 42);
}

// The dynamic linker knows objects by name: these must not be one to it.
TEST_F(LoadTest, EvictedEntriesAreNotMixedUp) {
  auto S = open();
  for (char Value : {1, 2, 3}) {
    const std::string Name(1, Value);
    ASSERT_TRUE(S->publish(info(Name), codeThatAnswers(Value)).ok());
    auto Entry = S->find(key(Name).Id);
    ASSERT_TRUE(S->remove(key(Name).Id).ok());
    EXPECT_EQ(call(std::move(*Entry)), Value);
  }
}

TEST_F(LoadTest, ReplacedFileIsNotLoaded) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), codeThatAnswers(4)).ok());
  auto Entry = S->find(key("a").Id);
  ASSERT_TRUE(S->publish(info("a"), codeThatAnswers(5)).ok());
  EXPECT_EQ(call(std::move(*Entry)), 4);
}

TEST_F(LoadTest, MissingSymbolIsAnError) {
  auto S = open();
  ASSERT_TRUE(S->publish(info("a"), codeThatAnswers(6)).ok());
  auto Code = LoadedCode::load(std::move(*S->find(key("a").Id)));
  ASSERT_TRUE(Code.ok());
  auto Symbol = Code->symbol("question");
  ASSERT_FALSE(Symbol.ok());
  EXPECT_EQ(Symbol.status().message(),
            "kernel of a: the compiled kernel has no symbol 'question'; its "
            "source does not define what the caller wants");
}

TEST_F(LoadTest, ForeignFilesAreRefused) {
  auto S = open();
  std::string Foreign = read(JIT_TEST_CODE);
  Foreign[18] = char(183); // EM_AARCH64
  Foreign[19] = 0;
  for (const std::string &Code : {std::string("text"), std::string(100, '\0'),
                                  Foreign, read(JIT_TEST_CODE).substr(0, 64)}) {
    ASSERT_TRUE(S->publish(info("a"), Code).ok());
    EXPECT_FALSE(LoadedCode::load(std::move(*S->find(key("a").Id))).ok());
  }
}

} // namespace
