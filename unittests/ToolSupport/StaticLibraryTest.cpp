//===- StaticLibraryTest.cpp - tests of damaged static libraries ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/StaticLibrary.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace kpack;
using namespace llvm;

static std::string padded(StringRef Text, size_t Width) {
  std::string Field = Text.str();
  Field.resize(Width, ' ');
  return Field;
}

static std::string member(StringRef Name, size_t Size, StringRef Bytes) {
  return padded(Name, 16) + padded("0", 12) + padded("0", 6) + padded("0", 6) +
         padded("644", 8) + padded(std::to_string(Size), 10) + "`\n" +
         Bytes.str();
}

static Expected<StaticLibrary> read(const std::string &Bytes) {
  return StaticLibrary::read(MemoryBufferRef(Bytes, "lib.a"));
}

TEST(StaticLibrary, ListsMembers) {
  std::string Bytes =
      "!<arch>\n" + member("a.o/", 2, "AB") + member("b.o/", 4, "CDEF");
  EXPECT_TRUE(startsStaticLibrary(Bytes));
  EXPECT_FALSE(startsThinLibrary(Bytes));
  StaticLibrary Library = cantFail(read(Bytes));
  ASSERT_EQ(Library.members().size(), 2u);
  EXPECT_EQ(Library.members()[0].Name, "a.o");
  EXPECT_EQ(Library.members()[1].Bytes, "CDEF");
}

TEST(StaticLibrary, RefusesAMemberThatIsCutOff) {
  std::string Bytes =
      "!<arch>\n" + member("a.o/", 2, "AB") + member("b.o/", 400, "CDEF");
  Expected<StaticLibrary> Library = read(Bytes);
  ASSERT_FALSE(Library);
  EXPECT_EQ(toString(Library.takeError()), "its member b.o is cut off");
}

// One text that all members have as their name would be copied for each.
TEST(StaticLibrary, RefusesNamesThatAreTooLong) {
  std::string Long(5000, 'n');
  std::string Names = Long + "/\n";
  std::string Bytes =
      "!<arch>\n" + member("//", Names.size(), Names) + member("/0", 2, "AB");
  Expected<StaticLibrary> Library = read(Bytes);
  ASSERT_FALSE(Library);
  EXPECT_EQ(toString(Library.takeError()), "the name of a member is too long");
}
