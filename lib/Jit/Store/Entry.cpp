//===- Entry.cpp - file format of a cache entry ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader compares the footer's numbers with the file before it uses them,
// and the checksum covers all bytes before it, so that a truncated or altered
// file is never loaded.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/Entry.h"

#include "Support/Files.h"
#include "kpack/Archive/detail/Msgpack.h"
#include "kpack/Support/LittleEndian.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr std::string_view Magic = "KPACKJIT";
constexpr uint32_t Schema = 1;

/// The footer: the last 64 bytes of an entry, little-endian.
struct Footer {
  uint64_t PayloadSize = 0;
  uint64_t InfoOffset = 0;
  uint64_t InfoSize = 0;
};
constexpr uint64_t SchemaAt = 0, PayloadSizeAt = 8, InfoOffsetAt = 16,
                   InfoSizeAt = 24, ChecksumAt = 40, MagicAt = 56;

/// XXH3-128 of a sequence of pieces, as 16 bytes.
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

/// A key of the description's map: "key", "fields", a text or a number.
struct Field {
  std::string_view Name;
  std::string EntryInfo::*Text = nullptr;
  uint64_t EntryInfo::*Number = nullptr;
};
/// In the order of the encoding.
constexpr Field Fields[] = {
    {"key"},
    {"fields"},
    {"name", &EntryInfo::Name},
    {"kind", &EntryInfo::Kind},
    {"target", &EntryInfo::Target},
    {"symbol", &EntryInfo::Symbol},
    {"producer", &EntryInfo::Producer},
    {"log", &EntryInfo::Log},
    {"created", nullptr, &EntryInfo::Created},
    {"compile_ms", nullptr, &EntryInfo::CompileMilliseconds},
    // The writer omits the following if they are empty.
    {"functions"},
    {"machine", &EntryInfo::Machine},
};

bool isLeftOut(const Field &F, const EntryInfo &Info) {
  return (F.Name == "functions" && Info.Functions.empty()) ||
         (F.Name == "machine" && Info.Machine.empty());
}

using Value = detail::MsgpackValue;

bool setDigest(Digest &Target, const Value &Source) {
  if (Source.Kind != Value::Bin || Source.Text.size() != Target.size())
    return false;
  std::copy(Source.Text.begin(), Source.Text.end(),
            reinterpret_cast<char *>(Target.data()));
  return true;
}

/// Parses a description.
class InfoParser {
public:
  explicit InfoParser(std::string_view Bytes) : In(Bytes) {}

  bool parse() {
    Value Root;
    return In.read(Root) && In.map(Root, [&](std::string_view Key) {
      auto F =
          std::find_if(std::begin(Fields), std::end(Fields),
                       [&](const Field &Known) { return Known.Name == Key; });
      Value V;
      if (F == std::end(Fields))
        return In.read(V) && In.skip(V);
      unsigned Bit = 1u << (F - Fields);
      if (Seen & Bit)
        return In.refuse("'" + std::string(Key) + "' occurs twice");
      Seen |= Bit;
      return In.read(V) && field(*F, V);
    });
  }

  bool complete() const {
    return (Seen & 3) == 3; // "key" and "fields"
  }

  detail::MsgpackReader In;
  EntryInfo Info;

private:
  bool field(const Field &F, const Value &V) {
    if (F.Name == "fields")
      return isList(V) && In.items(V, [&](const Value &Item) {
        return isList(Item) && keyField(Item);
      });
    if (F.Name == "functions")
      return isList(V) && In.items(V, [&](const Value &Item) {
        return isList(Item) && function(Item);
      });
    if (V.isContainer())
      return In.refuse(NoList);
    if (F.Text) {
      Info.*F.Text = V.Text;
      return V.Kind == Value::Str || In.refuse("a value is not a str");
    }
    if (F.Number) {
      Info.*F.Number = V.Number;
      return V.Kind == Value::Uint || In.refuse("not a number");
    }
    return setDigest(Info.Key.Id, V) || In.refuse("'key' is no digest");
  }

  /// Parses a key field: name, digest, shown text.
  bool keyField(const Value &List) {
    KeyField &Field = Info.Key.Fields.emplace_back();
    unsigned Position = 0;
    return In.items(List, [&](const Value &V) {
      return V.isContainer() ? In.refuse(NoList) : part(Field, Position++, V);
    }) && (Position == 3 || In.refuse("a key field has not three parts"));
  }

  bool part(KeyField &Field, unsigned Position, const Value &V) {
    switch (Position) {
    case 0:
      Field.Name = V.Text;
      return V.Kind == Value::Str || In.refuse("a name is not a str");
    case 1:
      return setDigest(Field.Hash, V) || In.refuse("a key field's digest");
    case 2:
      Field.Shown = V.Text;
      return V.Kind == Value::Str || In.refuse("a text is not a str");
    default:
      return In.refuse("a key field has not three parts");
    }
  }

  /// Parses a function: name, symbol, type.
  bool function(const Value &List) {
    EntryFunction &Function = Info.Functions.emplace_back();
    std::string *Parts[] = {&Function.Name, &Function.Symbol, &Function.Type};
    unsigned Position = 0;
    return In.items(List, [&](const Value &V) {
      if (V.isContainer() || V.Kind != Value::Str || Position == 3)
        return In.refuse("a function that is not three texts");
      *Parts[Position++] = V.Text;
      return true;
    }) && (Position == 3 || In.refuse("a function that is not three texts"));
  }

  bool isList(const Value &V) {
    return V.Kind == Value::Array ||
           In.refuse(V.isContainer() ? NoList
                                     : "a value where a list is expected");
  }

  static constexpr const char *NoList = "a list where a value is expected";

  unsigned Seen = 0;
};

std::string encodeInfo(const EntryInfo &Info) {
  std::string Bytes;
  detail::MsgpackWriter Out(Bytes);
  Out.map(size_t(
      std::count_if(std::begin(Fields), std::end(Fields),
                    [&](const Field &F) { return !isLeftOut(F, Info); })));
  for (const Field &F : Fields) {
    if (isLeftOut(F, Info))
      continue;
    Out.str(F.Name);
    if (F.Name == "functions") {
      Out.array(Info.Functions.size());
      for (const EntryFunction &Each : Info.Functions) {
        Out.array(3);
        for (const std::string *Part : {&Each.Name, &Each.Symbol, &Each.Type})
          Out.str(*Part);
      }
    } else if (F.Text) {
      Out.str(Info.*F.Text);
    } else if (F.Number) {
      Out.uint(Info.*F.Number);
    } else if (F.Name == "key") {
      Out.bin(bytesOf(Info.Key.Id));
    } else {
      Out.array(Info.Key.Fields.size());
      for (const KeyField &K : Info.Key.Fields) {
        Out.array(3);
        Out.str(K.Name);
        Out.bin(bytesOf(K.Hash));
        Out.str(K.Shown);
      }
    }
  }
  return Bytes;
}

Status invalid(const std::string &Why) {
  return Status(StatusCode::InvalidFormat, "cache entry: " + Why);
}

/// Reads the footer from the last bytes of a file of \p FileSize bytes and
/// checks that its numbers fit the file.
Result<Footer> readFooter(std::string_view Tail, uint64_t FileSize) {
  if (Tail.substr(MagicAt) != Magic)
    return invalid("does not end as an entry ends: cut off, or another file");
  const char *Bytes = Tail.data();
  if (uint64_t Its = readLittleEndian(Bytes + SchemaAt, 4); Its != Schema)
    return Status(StatusCode::UnsupportedVersion,
                  "cache entry: schema " + std::to_string(Its) +
                      ", this version reads " + std::to_string(Schema));
  Footer F = {readLittleEndian(Bytes + PayloadSizeAt),
              readLittleEndian(Bytes + InfoOffsetAt),
              readLittleEndian(Bytes + InfoSizeAt)};
  uint64_t End = FileSize - EntryFooterSize;
  if (F.InfoSize > MaxEntryInfoSize || F.InfoSize > End ||
      F.InfoOffset != End - F.InfoSize || F.PayloadSize > F.InfoOffset)
    return invalid("lengths that do not fit the file");
  return F;
}

/// Parses a description without trailing bytes; checks the key over its fields.
Result<EntryInfo> readInfo(std::string_view Description) {
  InfoParser Parser(Description);
  if (!Parser.parse())
    return invalid("description: " + Parser.In.reason());
  if (Parser.In.offset() != Description.size() || !Parser.complete())
    return invalid("description: incomplete");
  if (getKey(Parser.Info.Key.Fields) != Parser.Info.Key.Id)
    return invalid("its key is not that of its fields");
  return std::move(Parser.Info);
}

/// Returns \p Size bytes from \p Offset; fewer if the file ends or a read
/// fails.
std::string bytesAt(int Fd, uint64_t Offset, uint64_t Size) {
  std::string Bytes(Size, '\0');
  Bytes.resize(std::max<ssize_t>(readAt(Fd, Bytes.data(), Size, Offset), 0));
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
  appendLittleEndian(Tail, Schema); // four bytes and four zeros
  appendLittleEndian(Tail, Payload.size());
  appendLittleEndian(Tail, InfoOffset);
  appendLittleEndian(Tail, Description.size());
  appendLittleEndian(Tail, 0);
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
  std::string Tail = bytesAt(Fd, FileSize - EntryFooterSize, EntryFooterSize);
  if (Tail.size() != EntryFooterSize)
    return invalid("its end cannot be read");
  Result<Footer> F = readFooter(Tail, FileSize);
  if (!F)
    return F.status();
  Result<EntryInfo> Info = readInfo(bytesAt(Fd, F->InfoOffset, F->InfoSize));
  if (!Info)
    return Info.status();
  return DescribedEntry{std::move(*Info), F->PayloadSize};
}
