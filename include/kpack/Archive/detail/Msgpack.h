//===- detail/Msgpack.h - reader and writer of MessagePack ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only implementation of MessagePack: for tables of contents (TocParser.h,
// lib/Archive/TocWriter.cpp), markers (lib/Archive/Marker.cpp), descriptions of
// cache entries (lib/Jit/Store/Entry.cpp) and plans of graphs
// (lib/JitGraph/Graph/PlanFile.cpp). The reader returns a value at a time, and
// for a container only its head, like LLVM's reader
// (llvm/BinaryFormat/MsgPackReader.h, MsgPackWriter.h), which can replace it in
// code with LLVM. The input is hostile: each length is compared with the
// remaining bytes before use, nesting is bounded, no claimed size is allocated,
// and strings are views of the input.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_MSGPACK_H
#define KPACK_ARCHIVE_DETAIL_MSGPACK_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace kpack {
namespace detail {

/// A value, or the head of a container. Negative numbers, fractions, booleans,
/// nil and extensions are Other: no format of kpack uses them.
struct MsgpackValue {
  enum KindType { Uint, Str, Bin, Array, Map, Other } Kind = Other;
  uint64_t Number = 0;   ///< of Uint; for Array and Map the count
  std::string_view Text; ///< of Str and Bin

  bool isContainer() const { return Kind == Array || Kind == Map; }
};

/// Reads from the front. A function that returns false has refused the input;
/// reason() and offset() describe the error, and no further read is allowed.
class MsgpackReader {
public:
  /// The limit of nesting; kpack itself needs four levels.
  static constexpr unsigned MaxDepth = 32;

  explicit MsgpackReader(std::string_view Bytes) : Bytes(Bytes) {}

  const std::string &reason() const { return Reason; }
  /// The offset after the last value; after an error that of the last byte of
  /// the refused value, or of the end of truncated input.
  size_t offset() const { return At - (Reason.empty() || isCutOff() ? 0 : 1); }
  bool isCutOff() const { return Reason == "cut off"; }

  /// Keeps the first reason. Always returns false, for `return refuse(...)`.
  bool refuse(std::string Why) {
    if (Reason.empty())
      Reason = std::move(Why);
    return false;
  }

  /// Reads one value, or the head of one, whose items follow.
  bool read(MsgpackValue &V) {
    V = MsgpackValue();
    uint64_t Tag = 0;
    if (!number(1, Tag))
      return false;
    if (Tag < 0x80)
      return uint(Tag, V);
    if (Tag < 0x90)
      return open(MsgpackValue::Map, Tag & 0x0f, V);
    if (Tag < 0xa0)
      return open(MsgpackValue::Array, Tag & 0x0f, V);
    if (Tag < 0xc0)
      return text(MsgpackValue::Str, Tag & 0x1f, V);
    if (Tag >= 0xe0) // a small negative number
      return true;
    return readLong(static_cast<unsigned>(Tag), V);
  }

  /// Reads the pairs of map \p V; \p OnKey(std::string_view Key) reads the
  /// value.
  template <typename Function> bool map(const MsgpackValue &V, Function OnKey) {
    if (V.Kind != MsgpackValue::Map)
      return refuse("not a map");
    return items(V, [&](const MsgpackValue &Key) {
      if (Key.Kind != MsgpackValue::Str)
        return refuse("a map key is not a str");
      return OnKey(Key.Text);
    });
  }

  /// The same for the keys \p Names, each at most once; skips others. Sets bit
  /// I of \p Seen if Names[I] is there. \p OnField(size_t I, const MsgpackValue
  /// &V) reads the contents of V.
  template <size_t Count, typename Function>
  bool fields(const MsgpackValue &V, const std::string_view (&Names)[Count],
              uint32_t &Seen, Function OnField) {
    return map(V, [&](std::string_view Key) {
      auto I = static_cast<size_t>(
          std::find(std::begin(Names), std::end(Names), Key) - Names);
      if (I != Count && (Seen >> I & 1))
        return refuse("key '" + std::string(Key) + "' occurs twice");
      MsgpackValue Value;
      if (!read(Value))
        return false;
      if (I == Count)
        return skip(Value);
      Seen |= 1u << I;
      return OnField(I, Value);
    });
  }

  /// Reads the items of \p V; \p OnItem(const MsgpackValue &Item) reads the
  /// contents of the item. The items of a map are its keys, and OnItem reads
  /// the value, too.
  template <typename Function>
  bool items(const MsgpackValue &V, Function OnItem) {
    ++Depth;
    MsgpackValue Item;
    for (uint64_t Left = V.Number; Left; --Left)
      if (!read(Item) || !OnItem(Item))
        return false;
    --Depth;
    return true;
  }

  /// Skips the contents of \p V.
  bool skip(const MsgpackValue &V) {
    if (!V.isContainer())
      return true;
    return items(V, [&](const MsgpackValue &Item) {
      MsgpackValue Value;
      return skip(Item) &&
             (V.Kind != MsgpackValue::Map || (read(Value) && skip(Value)));
    });
  }

private:
  /// Reads a value with a length or a number after its tag.
  bool readLong(unsigned Tag, MsgpackValue &V) {
    // The bytes of the number, in a family of tags that begins with First.
    auto Width = [&](unsigned First) { return 1u << (Tag - First); };
    uint64_t Size = 0;
    if (Tag == 0xc1)
      return refuse("not MessagePack");
    if (Tag < 0xc4) // nil, false, true
      return true;
    if (Tag < 0xc7)
      return number(Width(0xc4), Size) && text(MsgpackValue::Bin, Size, V);
    if (Tag < 0xca) // an extension with a byte for its type
      return number(Width(0xc7), Size) &&
             text(MsgpackValue::Other, Size + 1, V);
    if (Tag < 0xcc) // fractions
      return number(Width(0xc8), Size);
    if (Tag < 0xd0)
      return number(Width(0xcc), Size) && uint(Size, V);
    if (Tag < 0xd4) // signed numbers
      return number(Width(0xd0), Size);
    if (Tag < 0xd9) // extensions of a fixed size
      return text(MsgpackValue::Other, Width(0xd4) + 1, V);
    if (Tag < 0xdc)
      return number(Width(0xd9), Size) && text(MsgpackValue::Str, Size, V);
    if (Tag < 0xde)
      return number(Width(0xdb), Size) && open(MsgpackValue::Array, Size, V);
    return number(Width(0xdd), Size) && open(MsgpackValue::Map, Size, V);
  }

  /// Reads \p Size bytes, big-endian.
  bool number(unsigned Size, uint64_t &Value) {
    if (Bytes.size() - At < Size)
      return refuse("cut off");
    for (unsigned I = 0; I != Size; ++I)
      Value = Value << 8 | static_cast<unsigned char>(Bytes[At++]);
    return true;
  }

  static bool uint(uint64_t Value, MsgpackValue &V) {
    V.Kind = MsgpackValue::Uint;
    V.Number = Value;
    return true;
  }

  bool text(MsgpackValue::KindType Kind, uint64_t Size, MsgpackValue &V) {
    if (Bytes.size() - At < Size)
      return refuse("cut off");
    V.Kind = Kind;
    V.Text = Bytes.substr(At, Size);
    At += Size;
    return true;
  }

  bool open(MsgpackValue::KindType Kind, uint64_t Count, MsgpackValue &V) {
    if (Depth == MaxDepth)
      return refuse("nested deeper than " + std::to_string(MaxDepth) +
                    " levels");
    V.Kind = Kind;
    V.Number = Count;
    return true;
  }

  std::string_view Bytes;
  size_t At = 0;
  unsigned Depth = 0;
  std::string Reason;
};

/// Appends to a string, each value in its shortest form. The callers' counts
/// and lengths are far below the 32 bits of the encoding.
class MsgpackWriter {
public:
  explicit MsgpackWriter(std::string &Out) : Out(Out) {}

  void map(size_t Pairs) { head(Pairs, 0x80, 16, 0xdd, 1); }
  void array(size_t Items) { head(Items, 0x90, 16, 0xdb, 1); }
  void uint(uint64_t Value) { head(Value, 0, 0x80, 0xcc, 0); }
  void str(std::string_view Text) {
    head(Text.size(), 0xa0, 32, 0xd9, 0);
    Out += Text;
  }
  void bin(std::string_view Bytes) {
    head(Bytes.size(), 0, 0, 0xc4, 0);
    Out += Bytes;
  }
  /// Appends a pair of a map.
  void field(std::string_view Key, uint64_t Value) {
    str(Key);
    uint(Value);
  }
  void field(std::string_view Key, std::string_view Text) {
    str(Key);
    str(Text);
  }

private:
  /// Appends \p Value. A number below \p Limit is part of the tag \p Short. A
  /// larger one follows the tag \p Long + W and has 2^W bytes, with W at least
  /// \p Least.
  void head(uint64_t Value, unsigned Short, unsigned Limit, unsigned Long,
            unsigned Least) {
    if (Value < Limit)
      return put(Short | Value, 1);
    unsigned W = Least;
    while (W != 3 && Value >> (8u << W))
      ++W;
    put(Long + W, 1);
    put(Value, 1u << W);
  }

  /// Appends \p Size bytes, big-endian.
  void put(uint64_t Value, unsigned Size) {
    while (Size--)
      Out += static_cast<char>(Value >> (8 * Size));
  }

  std::string &Out;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_MSGPACK_H
