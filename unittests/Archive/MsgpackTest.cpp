//===- MsgpackTest.cpp - tests of the MessagePack reader and writer -------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes are those of MessagePack's specification, not of our own writer:
// each kind of value at the edges of each of its forms.
//
//===----------------------------------------------------------------------===//

#include "kpack/Archive/detail/Msgpack.h"

#include <gtest/gtest.h>
#include <memory>

using namespace kpack::detail;

namespace {

/// With zeros in it.
template <size_t N> std::string bytes(const char (&Literal)[N]) {
  return std::string(Literal, N - 1);
}

template <typename Function> std::string written(Function Write) {
  std::string Bytes;
  MsgpackWriter Out(Bytes);
  Write(Out);
  return Bytes;
}

/// The only value of \p Bytes, which ends where they end and no sooner.
MsgpackValue readAll(const std::string &Bytes) {
  MsgpackReader In(Bytes);
  MsgpackValue V;
  EXPECT_TRUE(In.read(V)) << In.reason();
  EXPECT_EQ(In.offset(), Bytes.size());
  for (size_t Size = 0; Size != Bytes.size(); ++Size) {
    // On the heap without slack, so that a byte too far is noticed.
    std::unique_ptr<char[]> Exactly(new char[Size]);
    std::copy_n(Bytes.data(), Size, Exactly.get());
    MsgpackReader Cut(std::string_view(Exactly.get(), Size));
    MsgpackValue Ignored;
    EXPECT_FALSE(Cut.read(Ignored));
    EXPECT_TRUE(Cut.isCutOff());
  }
  return V;
}

void expectUint(uint64_t Value, const std::string &Bytes) {
  EXPECT_EQ(written([&](MsgpackWriter &Out) { Out.uint(Value); }), Bytes);
  MsgpackValue V = readAll(Bytes);
  EXPECT_EQ(V.Kind, MsgpackValue::Uint);
  EXPECT_EQ(V.Number, Value);
}

void expectText(MsgpackValue::KindType Kind, size_t Size,
                const std::string &Head) {
  std::string Text(Size, 'x');
  std::string Bytes = written([&](MsgpackWriter &Out) {
    Kind == MsgpackValue::Str ? Out.str(Text) : Out.bin(Text);
  });
  EXPECT_EQ(Bytes.substr(0, Bytes.size() - Size), Head);
  MsgpackReader In(Bytes);
  MsgpackValue V;
  EXPECT_TRUE(In.read(V));
  EXPECT_EQ(V.Kind, Kind);
  EXPECT_EQ(V.Text, Text);
  EXPECT_EQ(In.offset(), Bytes.size());
  Bytes.pop_back();
  MsgpackReader Short(Bytes);
  EXPECT_FALSE(Short.read(V));
}

void expectHead(MsgpackValue::KindType Kind, size_t Count,
                const std::string &Head) {
  EXPECT_EQ(written([&](MsgpackWriter &Out) {
              Kind == MsgpackValue::Map ? Out.map(Count) : Out.array(Count);
            }),
            Head);
  MsgpackValue V = readAll(Head);
  EXPECT_EQ(V.Kind, Kind);
  EXPECT_EQ(V.Number, Count);
}

} // namespace

TEST(Msgpack, ReadsUnsignedIntegers) {
  expectUint(0, bytes("\x00"));
  expectUint(0x7f, bytes("\x7f"));
  expectUint(0x80, bytes("\xcc\x80"));
  expectUint(0xff, bytes("\xcc\xff"));
  expectUint(0x100, bytes("\xcd\x01\x00"));
  expectUint(0xffff, bytes("\xcd\xff\xff"));
  expectUint(0x10000, bytes("\xce\x00\x01\x00\x00"));
  expectUint(0xffffffff, bytes("\xce\xff\xff\xff\xff"));
  expectUint(0x100000000, bytes("\xcf\x00\x00\x00\x01\x00\x00\x00\x00"));
  expectUint(UINT64_MAX, "\xcf" + std::string(8, '\xff'));
  // Longer than need be.
  EXPECT_EQ(readAll(bytes("\xcf\x00\x00\x00\x00\x00\x00\x00\x07")).Number, 7u);
}

TEST(Msgpack, ReadsStringsAndBinaries) {
  expectText(MsgpackValue::Str, 0, "\xa0");
  expectText(MsgpackValue::Str, 31, "\xbf");
  expectText(MsgpackValue::Str, 32, "\xd9\x20");
  expectText(MsgpackValue::Str, 255, "\xd9\xff");
  expectText(MsgpackValue::Str, 256, bytes("\xda\x01\x00"));
  expectText(MsgpackValue::Str, 65536, bytes("\xdb\x00\x01\x00\x00"));
  expectText(MsgpackValue::Bin, 0, bytes("\xc4\x00"));
  expectText(MsgpackValue::Bin, 255, "\xc4\xff");
  expectText(MsgpackValue::Bin, 256, bytes("\xc5\x01\x00"));
  expectText(MsgpackValue::Bin, 65536, bytes("\xc6\x00\x01\x00\x00"));
}

TEST(Msgpack, ReadsArraysAndMaps) {
  expectHead(MsgpackValue::Array, 0, "\x90");
  expectHead(MsgpackValue::Array, 15, "\x9f");
  expectHead(MsgpackValue::Array, 16, bytes("\xdc\x00\x10"));
  expectHead(MsgpackValue::Array, 65536, bytes("\xdd\x00\x01\x00\x00"));
  expectHead(MsgpackValue::Map, 0, "\x80");
  expectHead(MsgpackValue::Map, 15, "\x8f");
  expectHead(MsgpackValue::Map, 16, bytes("\xde\x00\x10"));
  expectHead(MsgpackValue::Map, 65536, bytes("\xdf\x00\x01\x00\x00"));
}

// Read to their end, so that what follows is found.
TEST(Msgpack, SkipsOtherTypesToTheirEnd) {
  std::pair<const char *, size_t> Others[] = {
      {"\xc0", 0}, {"\xc2", 0}, {"\xc3", 0}, {"\xff", 0},
      {"\xe0", 0}, {"\xca", 4}, {"\xcb", 8}, {"\xd0", 1},
      {"\xd1", 2}, {"\xd2", 4}, {"\xd3", 8}, {"\xd4", 2},
      {"\xd5", 3}, {"\xd6", 5}, {"\xd7", 9}, {"\xd8", 17}};
  for (auto [Tag, Size] : Others)
    EXPECT_EQ(readAll(Tag + std::string(Size, '\1')).Kind, MsgpackValue::Other);
  for (std::string Head : {bytes("\xc7\x03"), bytes("\xc8\x00\x03"),
                           bytes("\xc9\x00\x00\x00\x03")})
    EXPECT_EQ(readAll(Head + "type").Kind, MsgpackValue::Other);
}

TEST(Msgpack, SkipsNestedContainers) {
  // {[1, "a"]: {nil: [[]]}}, then 7.
  std::string Bytes = bytes("\x81\x92\x01\xa1"
                            "a\x81\xc0\x91\x90\x07");
  MsgpackReader In(Bytes);
  MsgpackValue V;
  ASSERT_TRUE(In.read(V) && In.skip(V));
  EXPECT_EQ(In.offset(), Bytes.size() - 1);
  ASSERT_TRUE(In.read(V));
  EXPECT_EQ(V.Number, 7u);
}

TEST(Msgpack, RefusesDeepNestingWithItsOffset) {
  for (unsigned Depth : {32, 33}) {
    std::string Bytes = std::string(Depth, '\x91') + "\xc0";
    MsgpackReader In(Bytes);
    MsgpackValue V;
    EXPECT_EQ(In.read(V) && In.skip(V), Depth == 32);
    if (Depth == 33) {
      EXPECT_EQ(In.reason(), "nested deeper than 32 levels");
      EXPECT_EQ(In.offset(), 32u);
    }
  }
  MsgpackReader In("\xc1");
  MsgpackValue V;
  EXPECT_FALSE(In.read(V));
  EXPECT_EQ(In.reason(), "not MessagePack");
  EXPECT_EQ(In.offset(), 0u);
}
