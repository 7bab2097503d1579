//===- DevicePayloadTest.cpp - tests of device code in objects ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Offload/DevicePayload.h"

#include "TestSupport.h"
#include "llvm/Object/OffloadBinary.h"
#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace kpack::offload;
using namespace kpack::test;

namespace {

const std::string Code1("\x7f"
                        "ELF one\0two",
                        12);
const std::string Code2(300, 'x');

/// The result points into \p Section, so that must not be a temporary.
std::vector<DevicePayload> read(const std::string &Section) {
  Expected<std::vector<DevicePayload>> Payloads = readPayloads(Section, "a.o");
  if (Payloads)
    return std::move(*Payloads);
  ADD_FAILURE() << toString(Payloads.takeError());
  return {};
}

std::vector<DevicePayload> read(std::string &&) = delete;

/// One image whose token is 1 to 16 digits long when printed as a number.
std::string small() {
  return writePayload(
      {0x00c0ffee, PayloadKind::Image, {{"gfx90a:xnack+", Code1}}});
}

TEST(DevicePayload, RoundTrip) {
  std::string Section = writePayload({0x3fc15a68e0db35d,
                                      PayloadKind::Image,
                                      {{"gfx1100", Code1},
                                       {"gfx90a:sramecc+:xnack-", Code2},
                                       {"gfx9-4-generic", ""}}});
  EXPECT_EQ(Section.size() % 8, 0u);
  std::vector<DevicePayload> Payloads = read(Section);
  ASSERT_EQ(Payloads.size(), 1u);
  EXPECT_EQ(Payloads[0].Token, 0x3fc15a68e0db35du);
  EXPECT_EQ(Payloads[0].Kind, PayloadKind::Image);
  ASSERT_EQ(Payloads[0].Images.size(), 3u);
  EXPECT_EQ(Payloads[0].Images[0].Target, "gfx1100");
  EXPECT_EQ(Payloads[0].Images[0].Bytes, Code1);
  EXPECT_EQ(Payloads[0].Images[1].Target, "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(Payloads[0].Images[1].Bytes, Code2);
  EXPECT_EQ(Payloads[0].Images[2].Target, "gfx9-4-generic");
  EXPECT_EQ(Payloads[0].Images[2].Bytes, "");
}

TEST(DevicePayload, RdcWithAndWithoutToken) {
  std::string Section =
      writePayload({std::nullopt, PayloadKind::Rdc, {{"gfx1100", Code1}}}) +
      writePayload({7, PayloadKind::Rdc, {{"gfx1100", "BC\xC0\xDE...."}}});
  std::vector<DevicePayload> Payloads = read(Section);
  ASSERT_EQ(Payloads.size(), 2u);
  EXPECT_EQ(Payloads[0].Token, std::nullopt);
  EXPECT_EQ(Payloads[0].Kind, PayloadKind::Rdc);
  EXPECT_EQ(Payloads[1].Token, 7u);
  EXPECT_EQ(Payloads[1].Kind, PayloadKind::Rdc);
}

// What an image is called does not depend on what its bytes look like.
TEST(DevicePayload, CodeObjectThatStartsLikeBitcode) {
  std::string Section =
      writePayload({1, PayloadKind::Image, {{"gfx1100", "BC\xC0\xDE"}}});
  std::vector<DevicePayload> Payloads = read(Section);
  ASSERT_EQ(Payloads.size(), 1u);
  EXPECT_EQ(Payloads[0].Kind, PayloadKind::Image);
}

TEST(DevicePayload, EmptyPayloadIsEmpty) {
  EXPECT_EQ(writePayload({1, PayloadKind::Image, {}}), "");
  const std::string Nothing, Padding(8, '\0');
  EXPECT_TRUE(read(Nothing).empty());
  EXPECT_TRUE(read(Padding).empty());
}

TEST(DevicePayload, WritesTheSameBytesTwice) { EXPECT_EQ(small(), small()); }

// ld -r puts the sections of several TUs one behind the other.
TEST(DevicePayload, SeveralTusInOneSection) {
  std::string Two = writePayload(
      {2, PayloadKind::Image, {{"gfx1100", Code2}, {"gfx1101", Code1}}});
  std::string Section = small() + std::string(16, '\0') + Two + small();
  std::vector<DevicePayload> Payloads = read(Section);
  ASSERT_EQ(Payloads.size(), 3u);
  EXPECT_EQ(Payloads[0].Token, 0xc0ffeeu);
  EXPECT_EQ(Payloads[1].Token, 2u);
  EXPECT_EQ(Payloads[1].Images.size(), 2u);
  EXPECT_EQ(Payloads[2].Token, 0xc0ffeeu);
}

// Nothing but the repeated target tells two TUs without a wrapper apart.
TEST(DevicePayload, TwoRdcTusWithoutWrapper) {
  std::string One = writePayload({std::nullopt,
                                  PayloadKind::Rdc,
                                  {{"gfx1100", Code1}, {"gfx1101", Code1}}});
  std::string Two = One + One;
  std::vector<DevicePayload> Payloads = read(Two);
  ASSERT_EQ(Payloads.size(), 2u);
  EXPECT_EQ(Payloads[0].Images.size(), 2u);
  EXPECT_EQ(Payloads[1].Images.size(), 2u);
}

TEST(DevicePayload, LlvmReadsIt) {
  std::string Section = small();
  auto Binary = object::OffloadBinary::create(MemoryBufferRef(Section, ""));
  ASSERT_TRUE(bool(Binary)) << toString(Binary.takeError());
  EXPECT_EQ((*Binary)->getTriple(), "amdgcn-amd-amdhsa");
  EXPECT_EQ((*Binary)->getArch(), "gfx90a:xnack+");
  EXPECT_EQ((*Binary)->getString("kpack.token"), "0000000000c0ffee");
  EXPECT_EQ((*Binary)->getImageKind(), object::IMG_Object);
  EXPECT_EQ((*Binary)->getOffloadKind(), object::OFK_HIP);
  EXPECT_EQ((*Binary)->getFlags(), 0u);
  EXPECT_EQ((*Binary)->getImage(), Code1);
  EXPECT_EQ((*Binary)->getSize(), Section.size());
}

TEST(DevicePayload, EveryTruncationIsRefused) {
  forEachTruncation(small(), [](StringRef Cut) {
    if (Cut.empty())
      return;
    EXPECT_NE(getMessage(readPayloads(Cut, "a.o")), "") << Cut.size();
  });
}

TEST(DevicePayload, MutationsDoNoHarm) {
  std::string Good =
      small() + writePayload({std::nullopt, PayloadKind::Rdc, {{"gfx1", "x"}}});
  unsigned Refused = 0;
  forEachMutation(Good, 20000, [&](StringRef Bad) {
    Expected<std::vector<DevicePayload>> Payloads = readPayloads(Bad, "a.o");
    if (!Payloads) {
      ++Refused;
      consumeError(Payloads.takeError());
      return;
    }
    for (const DevicePayload &Payload : *Payloads)
      for (const DeviceImage &Image : Payload.Images) {
        EXPECT_GE(Image.Bytes.begin(), Bad.begin());
        EXPECT_LE(Image.Bytes.end(), Bad.end());
      }
  });
  EXPECT_GT(Refused, 5000u);
}

/// \p Good with one number replaced.
template <typename T> std::string with(std::string Good, size_t At, T Value) {
  return Good.replace(At, sizeof(T), bytesOf<T>(Value));
}

std::string refusal(const std::string &Section) {
  return getMessage(readPayloads(Section, "a.o"));
}

TEST(DevicePayload, DamagedPayloadMessagesAreExact) {
  const std::string
      Good = small(),
      Where = "a.o: .kpack.devobj at offset 0: ",
      Fix = "; compile its source again with kpack-clang++ or hipcc";
  EXPECT_EQ(refusal("rubbish"), Where + "device code is cut off" + Fix);
  EXPECT_EQ(refusal(with<char>(Good, 0, 'x')), Where + "not device code" + Fix);
  EXPECT_EQ(refusal(with<uint32_t>(Good, 4, 9)),
            Where + "unknown version 9" + Fix);
  EXPECT_EQ(refusal(with<uint64_t>(Good, 8, Good.size() + 1)),
            Where + "device code is cut off" + Fix);
  EXPECT_EQ(refusal(with<uint64_t>(Good, 16, ~uint64_t(0))),
            Where + "entry lies outside" + Fix);
  EXPECT_EQ(refusal(with<uint16_t>(Good, 32, 3)),
            Where + "image kind 3 is neither object nor bitcode" + Fix);
  EXPECT_EQ(refusal(with<uint16_t>(Good, 32, 2)),
            Where + "bitcode is not a linked code object" + Fix);
  EXPECT_EQ(refusal(with<uint64_t>(Good, 32 + 32, ~uint64_t(0))),
            Where + "image lies outside" + Fix);
  EXPECT_EQ(refusal(with<uint64_t>(Good, 32 + 16, ~uint64_t(0))),
            Where + "string table lies outside" + Fix);
  EXPECT_EQ(refusal(with<uint64_t>(Good, 72, ~uint64_t(0))),
            Where + "string lies outside" + Fix);
  EXPECT_EQ(refusal(with<uint64_t>(Good, 32 + 16, 0)),
            Where + "no triple" + Fix);

  std::string Other = Good;
  size_t At = Other.find("amdgcn-amd-amdhsa");
  Other.replace(At, 5, "nvptx");
  EXPECT_EQ(refusal(Other),
            Where + "device code is for nvptxn-amd-amdhsa" + Fix);
  Other = Good;
  At = Other.find("0000000000c0ffee");
  Other[At] = 'x';
  EXPECT_EQ(refusal(Other), Where + "token is not 16 hex digits" + Fix);
  Other = Good;
  At = Other.find("arch");
  Other[At] = 'x';
  EXPECT_EQ(refusal(Other), Where + "no target id" + Fix);
  // The first of the three string entries stands for the second as well.
  Other = Good;
  Other.replace(72 + 16, 16, Other.substr(72, 16));
  EXPECT_NE(refusal(Other).find(" occurs twice" + Fix), std::string::npos);
  Other = Good;
  At = Other.find("kpack.token");
  Other[At] = 'x';
  EXPECT_EQ(refusal(Other), Where + "no token" + Fix);

  DevicePayload Many{1, PayloadKind::Image, {}};
  for (int I = 0; I != 1025; ++I)
    Many.Images.push_back({"gfx" + std::to_string(I), "x"});
  EXPECT_EQ(refusal(writePayload(Many)),
            "a.o: .kpack.devobj: more than 1024 targets for one source file" +
                Fix);

  // The offset is that of the second one.
  EXPECT_EQ(refusal(Good + "rubbish"), "a.o: .kpack.devobj at offset " +
                                           std::to_string(Good.size()) +
                                           ": device code is cut off" + Fix);
}

// A megabyte of entries that all name one unterminated string.
TEST(DevicePayload, HostileStringTableTakesLinearTime) {
  std::string Good = small();
  uint64_t Table = Good.size(), Count = 1 << 16;
  std::string Bad = Good;
  for (uint64_t I = 0; I != Count; ++I)
    Bad += bytesOf<uint64_t>(Table) + bytesOf<uint64_t>(Table);
  Bad = with<uint64_t>(Bad, 8, Bad.size());
  Bad = with<uint64_t>(Bad, 32 + 8, Table);
  Bad = with<uint64_t>(Bad, 32 + 16, Count);
  EXPECT_NE(refusal(Bad), "");
}

} // namespace
