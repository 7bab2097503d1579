//===- Entry.cpp - one compiled variant in one file -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Entry.h. The reader trusts nothing: the footer's numbers are compared
// with the file before they are used, and the checksum covers all bytes before
// it, so that a torn or altered file is never loaded.
//
//===----------------------------------------------------------------------===//
#include "kpack/Jit/Store/Entry.h"

#include "kpack/Archive/detail/MsgpackWriter.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr std::string_view Magic = "KPACKJIT";
constexpr uint32_t Schema = 1;

/// The last 64 bytes of an entry, little-endian.
struct Footer {
  uint64_t PayloadSize = 0;
  uint64_t InfoOffset = 0;
  uint64_t InfoSize = 0;
};
constexpr uint64_t SchemaAt = 0, PayloadSizeAt = 8, InfoOffsetAt = 16,
                   InfoSizeAt = 24, ChecksumAt = 40, MagicAt = 56;

void put(std::string &Out, uint64_t Value, unsigned Bytes) {
  for (unsigned I = 0; I != Bytes; ++I)
    Out += static_cast<char>(Value >> (8 * I));
}

uint64_t get(std::string_view Bytes, uint64_t Offset, unsigned Count) {
  uint64_t Value = 0;
  for (unsigned I = 0; I != Count; ++I)
    Value |= uint64_t(uint8_t(Bytes[Offset + I])) << (8 * I);
  return Value;
}

/// XXH3-128 of pieces, as 16 bytes.
class Checksum {
public:
  Checksum() { XXH3_128bits_reset(&State); }
  void add(std::string_view Bytes) {
    XXH3_128bits_update(&State, Bytes.data(), Bytes.size());
  }
  std::string finish() const {
    XXH128_canonical_t Canonical;
    XXH128_canonicalFromHash(&Canonical, XXH3_128bits_digest(&State));
    return std::string(reinterpret_cast<const char *>(Canonical.digest),
                       sizeof(Canonical.digest));
  }

private:
  XXH3_state_t State;
};

/// The map's keys, in the order they are written.
enum class Field {
  Key,
  Fields,
  Name,
  Kind,
  Target,
  Symbol,
  Producer,
  Log,
  Created,
  CompileMilliseconds,
  Unknown
};
struct FieldName {
  std::string_view Text;
  Field What;
  std::string EntryInfo::*Member;
};
constexpr FieldName FieldNames[] = {
    {"key", Field::Key, nullptr},
    {"fields", Field::Fields, nullptr},
    {"name", Field::Name, &EntryInfo::Name},
    {"kind", Field::Kind, &EntryInfo::Kind},
    {"target", Field::Target, &EntryInfo::Target},
    {"symbol", Field::Symbol, &EntryInfo::Symbol},
    {"producer", Field::Producer, &EntryInfo::Producer},
    {"log", Field::Log, &EntryInfo::Log},
    {"created", Field::Created, nullptr},
    {"compile_ms", Field::CompileMilliseconds, nullptr},
};

std::string_view view(const Digest &Value) {
  return std::string_view(reinterpret_cast<const char *>(Value.data()),
                          Value.size());
}

bool setDigest(Digest &To, const detail::Scalar &From) {
  if (From.Kind != detail::Scalar::Bin || From.Text.size() != To.size())
    return false;
  std::copy(From.Text.begin(), From.Text.end(),
            reinterpret_cast<char *>(To.data()));
  return true;
}

/// Reads the description. Depth 1 is the map, 2 the list of key fields, 3 one
/// of them: name, digest, shown text.
class InfoVisitor : public detail::MsgpackVisitor<InfoVisitor> {
public:
  EntryInfo Info;

  bool ignores() const { return Current == Field::Unknown && depth() > 1; }

  bool onKey(std::string_view Name) {
    Current = Field::Unknown;
    for (const FieldName &F : FieldNames)
      if (F.Text == Name)
        Current = F.What;
    unsigned Bit = 1u << unsigned(Current);
    if (Current != Field::Unknown && (Seen & Bit))
      return refuse("'" + std::string(Name) + "' occurs twice");
    Seen |= Bit;
    return true;
  }

  bool onScalar(const detail::Scalar &Value) {
    if (Current == Field::Unknown)
      return true;
    if (depth() == 3)
      return onKeyField(Value);
    if (depth() != 1 || Current == Field::Fields)
      return refuse("a value where a list is expected");
    switch (Current) {
    case Field::Key:
      return setDigest(Info.Key.Id, Value) || refuse("'key' is no digest");
    case Field::Created:
      return number(Value, Info.Created);
    case Field::CompileMilliseconds:
      return number(Value, Info.CompileMilliseconds);
    default:
      break;
    }
    if (Value.Kind != detail::Scalar::Str)
      return refuse("a value is not a str");
    for (const FieldName &F : FieldNames)
      if (F.What == Current && F.Member)
        Info.*F.Member = Value.Text;
    return true;
  }

  bool onOpen(bool IsMap) {
    if (depth() == 0 || Current == Field::Unknown)
      return true;
    if (IsMap || Current != Field::Fields || depth() > 2)
      return refuse("a list where a value is expected");
    if (depth() == 2) {
      Info.Key.Fields.emplace_back();
      Position = 0;
    }
    return true;
  }

  bool onClose() {
    // Depth is already that of the enclosing list.
    return depth() != 2 || Current == Field::Unknown || Position == 3 ||
           refuse("a key field has not three parts");
  }

  bool complete() const {
    return (Seen & 3) == 3; // "key" and "fields"
  }

private:
  bool onKeyField(const detail::Scalar &Value) {
    KeyField &Field = Info.Key.Fields.back();
    switch (Position++) {
    case 0:
      Field.Name = Value.Text;
      return Value.Kind == detail::Scalar::Str || refuse("a name is not a str");
    case 1:
      return setDigest(Field.Hash, Value) || refuse("a key field's digest");
    case 2:
      Field.Shown = Value.Text;
      return Value.Kind == detail::Scalar::Str || refuse("a text is not a str");
    default:
      return refuse("a key field has not three parts");
    }
  }

  bool number(const detail::Scalar &Value, uint64_t &To) {
    To = Value.Number;
    return Value.Kind == detail::Scalar::Uint || refuse("not a number");
  }

  Field Current = Field::Unknown;
  unsigned Seen = 0;
  unsigned Position = 0;
};

std::string encodeInfo(const EntryInfo &Info) {
  std::string Bytes;
  detail::MsgpackWriter Out(Bytes);
  Out.map(std::size(FieldNames));
  for (const FieldName &F : FieldNames) {
    Out.str(F.Text);
    if (F.Member) {
      Out.str(Info.*F.Member);
    } else if (F.What == Field::Key) {
      Out.bin(view(Info.Key.Id));
    } else if (F.What == Field::Fields) {
      Out.array(Info.Key.Fields.size());
      for (const KeyField &K : Info.Key.Fields) {
        Out.array(3);
        Out.str(K.Name);
        Out.bin(view(K.Hash));
        Out.str(K.Shown);
      }
    } else {
      Out.uint(F.What == Field::Created ? Info.Created
                                        : Info.CompileMilliseconds);
    }
  }
  return Bytes;
}

Status invalid(const std::string &Why) {
  return Status(StatusCode::InvalidFormat, "cache entry: " + Why);
}

/// The footer out of the last bytes of a file of \p FileSize bytes, if its
/// numbers fit the file.
Result<Footer> readFooter(std::string_view Tail, uint64_t FileSize) {
  if (Tail.substr(MagicAt) != Magic)
    return invalid("does not end as an entry ends: cut off, or another file");
  if (get(Tail, SchemaAt, 4) != Schema)
    return Status(StatusCode::UnsupportedVersion,
                  "cache entry: schema " +
                      std::to_string(get(Tail, SchemaAt, 4)) +
                      ", this version reads " + std::to_string(Schema));
  Footer F = {get(Tail, PayloadSizeAt, 8), get(Tail, InfoOffsetAt, 8),
              get(Tail, InfoSizeAt, 8)};
  uint64_t End = FileSize - EntryFooterSize;
  if (F.InfoSize > MaxEntryInfoSize || F.InfoSize > End ||
      F.InfoOffset != End - F.InfoSize || F.PayloadSize > F.InfoOffset)
    return invalid("lengths that do not fit the file");
  return F;
}

/// A description and nothing behind it, whose key is that of its fields.
Result<EntryInfo> readInfo(std::string_view Description) {
  InfoVisitor Visitor;
  size_t End = 0;
  if (!Visitor.parse(Description, End))
    return invalid("description: " + Visitor.reason());
  if (End != Description.size() || !Visitor.complete())
    return invalid("description: incomplete");
  if (keyOf(Visitor.Info.Key.Fields) != Visitor.Info.Key.Id)
    return invalid("its key is not that of its fields");
  return std::move(Visitor.Info);
}

/// \p Size bytes from \p Offset; fewer when the file ends before.
std::string readAt(int Fd, uint64_t Offset, uint64_t Size) {
  std::string Bytes(Size, '\0');
  size_t Have = 0;
  while (Have != Bytes.size()) {
    ssize_t Done = ::pread(Fd, Bytes.data() + Have, Bytes.size() - Have,
                           static_cast<off_t>(Offset + Have));
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      break;
    Have += static_cast<size_t>(Done);
  }
  Bytes.resize(Have);
  return Bytes;
}

} // namespace

Result<std::string> jit::encodeEntryTail(const EntryInfo &Info,
                                         std::string_view Payload) {
  std::string Description = encodeInfo(Info);
  if (Description.size() > MaxEntryInfoSize)
    return Status(StatusCode::InvalidArgument,
                  "cache entry: a description of " +
                      std::to_string(Description.size()) +
                      " bytes; shorten the compiler's output");
  std::string Tail((8 - Payload.size() % 8) % 8, '\0');
  uint64_t InfoOffset = Payload.size() + Tail.size();
  Tail += Description;
  put(Tail, Schema, 4);
  put(Tail, 0, 4);
  put(Tail, Payload.size(), 8);
  put(Tail, InfoOffset, 8);
  put(Tail, Description.size(), 8);
  put(Tail, 0, 8);
  Checksum Sum;
  Sum.add(Payload);
  Sum.add(Tail);
  Tail += Sum.finish();
  Tail += Magic;
  return Tail;
}

Result<DecodedEntry> jit::decodeEntry(std::string_view Bytes) {
  if (Bytes.size() < EntryFooterSize)
    return invalid("shorter than its footer");
  Result<Footer> F =
      readFooter(Bytes.substr(Bytes.size() - EntryFooterSize), Bytes.size());
  if (!F)
    return F.status();
  uint64_t Summed = Bytes.size() - EntryFooterSize + ChecksumAt;
  Checksum Sum;
  Sum.add(Bytes.substr(0, Summed));
  if (Bytes.substr(Summed, MagicAt - ChecksumAt) != Sum.finish())
    return invalid("checksum does not match: damaged");
  Result<EntryInfo> Info = readInfo(Bytes.substr(F->InfoOffset, F->InfoSize));
  if (!Info)
    return Info.status();
  return DecodedEntry{std::move(*Info), Bytes.substr(0, F->PayloadSize)};
}

Result<DescribedEntry> jit::describeEntry(int Fd, uint64_t FileSize) {
  if (FileSize < EntryFooterSize)
    return invalid("shorter than its footer");
  std::string Tail = readAt(Fd, FileSize - EntryFooterSize, EntryFooterSize);
  if (Tail.size() != EntryFooterSize)
    return invalid("its end cannot be read");
  Result<Footer> F = readFooter(Tail, FileSize);
  if (!F)
    return F.status();
  Result<EntryInfo> Info = readInfo(readAt(Fd, F->InfoOffset, F->InfoSize));
  if (!Info)
    return Info.status();
  return DescribedEntry{std::move(*Info), F->PayloadSize};
}
