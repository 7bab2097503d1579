//===- detail/TocParser.h - parser of the table of contents -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the MessagePack map at the end of an archive into the vectors of
// Toc.h, whose strings point into the file:
//
//   { gfx_arches: [str], compression_scheme: str, archive_id: str | {str: str},
//     blobs: [{offset, size}] | zstd_offset, zstd_size: uint,
//     toc: { <binary>: { <arch>: { ordinal, original_size: uint, ... } } } }
//
// Known keys must have their type and occur once; unknown keys are skipped at
// every level. The reader (ArchiveReader.h) locates the bytes of entries;
// lib/Archive/TocWriter.cpp writes the table.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_TOCPARSER_H
#define KPACK_ARCHIVE_DETAIL_TOCPARSER_H

#include "kpack/Archive/detail/Msgpack.h"
#include "kpack/Archive/detail/Toc.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kpack {
namespace detail {

/// The order of ArchiveReader::entries().
inline bool entryLess(const ArchiveEntry &A, const ArchiveEntry &B) {
  if (A.Binary.data() != B.Binary.data())
    if (int Order = A.Binary.compare(B.Binary))
      return Order < 0;
  return A.Arch < B.Arch;
}

class TocParser {
public:
  TocParser(std::string_view Bytes, Toc &Out) : In(Bytes), Out(Out) {}

  /// Returns false if the bytes are refused: see reason() and offset().
  bool parse() {
    Value Root;
    uint32_t Seen = 0;
    return In.read(Root) &&
           In.fields(Root, RootKeys, Seen, [&](size_t Key, const Value &V) {
             return rootField(Key, V);
           });
  }

  /// Sorts the vectors for lookups. Returns false with a reason if a key occurs
  /// twice.
  bool finish() {
    if (!std::is_sorted(Out.Entries.begin(), Out.Entries.end(), entryLess))
      std::sort(Out.Entries.begin(), Out.Entries.end(), entryLess);
    if (!std::is_sorted(Out.Binaries.begin(), Out.Binaries.end()))
      std::sort(Out.Binaries.begin(), Out.Binaries.end());
    std::sort(Out.ArchiveIds.begin(), Out.ArchiveIds.end());

    auto Twice = std::adjacent_find(Out.Binaries.begin(), Out.Binaries.end());
    if (Twice != Out.Binaries.end())
      return In.refuse(binaryName(*Twice) + " occurs twice");
    auto Same = [](const ArchiveEntry &A, const ArchiveEntry &B) {
      return A.Binary.data() == B.Binary.data() && A.Arch == B.Arch;
    };
    auto Pair =
        std::adjacent_find(Out.Entries.begin(), Out.Entries.end(), Same);
    if (Pair != Out.Entries.end())
      return In.refuse(Pair->describe() + " occurs twice");
    return true;
  }

  const std::string &reason() const { return In.reason(); }
  size_t offset() const { return In.offset(); }
  bool isCutOff() const { return In.isCutOff(); }

private:
  using Value = MsgpackValue;

  // The functions below switch on indexes of these names.
  static constexpr std::string_view RootKeys[] = {
      "group_name",   "gfx_arch_family",
      "archive_id",   "compression_scheme",
      "zstd_offset",  "zstd_size",
      "gfx_arches",   "blobs",
      "device_debug", "toc"};
  static constexpr std::string_view BlobKeys[] = {"offset", "size"};
  static constexpr std::string_view EntryKeys[] = {
      "ordinal", "original_size", "offset", "stored_size",
      "type",    "source",        "hash"};

  bool rootField(size_t Key, const Value &V) {
    auto Name = [&] { return "'" + std::string(RootKeys[Key]) + "'"; };
    switch (Key) {
    case 0:
      return string(V, Out.GroupName, Name);
    case 1:
      return string(V, Out.ArchFamily, Name);
    case 2:
      return V.Kind == Value::Map ? archiveIds(V)
                                  : string(V, Out.ArchiveId, Name);
    case 3:
      return string(V, Out.SchemeName.emplace(), Name);
    case 4:
      return number(V, Out.ZstdOffset.emplace(), Name);
    case 5:
      return number(V, Out.ZstdSize.emplace(), Name);
    case 6:
      if (V.Kind == Value::Array)
        return architectures(V);
      break;
    case 7:
      if (V.Kind == Value::Array)
        return In.items(V, [&](const Value &Item) { return blob(Item); });
      break;
    case 8:
      return string(V, Out.DeviceDebug, Name);
    default:
      if (V.Kind == Value::Map)
        return contents(V);
    }
    return In.refuse(Name() + " has the wrong type");
  }

  bool architectures(const Value &List) {
    return In.items(List, [&](const Value &V) {
      if (V.isContainer())
        return In.refuse("an item of 'gfx_arches' has the wrong type");
      if (V.Kind != Value::Str || V.Text.empty())
        return In.refuse("'gfx_arches' has an item that is not a name");
      if (Out.Architectures.size() == MaxArchitectures)
        return In.refuse("more than " + std::to_string(MaxArchitectures) +
                         " items in 'gfx_arches'");
      Out.Architectures.push_back(V.Text);
      return true;
    });
  }

  bool archiveIds(const Value &Ids) {
    return In.map(Ids, [&](std::string_view KernelName) {
      Value V;
      if (!In.read(V))
        return false;
      if (V.isContainer())
        return In.refuse("an item of 'archive_id' has the wrong type");
      if (V.Kind != Value::Str)
        return In.refuse("'archive_id' of '" + std::string(KernelName) +
                         "' is not a str");
      if (Out.ArchiveIds.size() == MaxBinaries)
        return In.refuse("more than " + std::to_string(MaxBinaries) +
                         " items in 'archive_id'");
      Out.ArchiveIds.emplace_back(KernelName, V.Text);
      return true;
    });
  }

  bool blob(const Value &Map) {
    auto Name = [&] { return "blob " + std::to_string(Out.Blobs.size()); };
    Extent Blob;
    uint32_t Seen = 0;
    if (!isMap(Map, Name) ||
        !In.fields(Map, BlobKeys, Seen, [&](size_t Key, const Value &V) {
          return number(V, Key == 0 ? Blob.Offset : Blob.Size, Name);
        }))
      return false;
    if (Seen != 3)
      return In.refuse(Name() + " lacks 'offset' or 'size'");
    Out.Blobs.push_back(Blob);
    return true;
  }

  bool contents(const Value &Binaries) {
    return In.map(Binaries, [&](std::string_view Binary) {
      if (Out.Binaries.size() == MaxBinaries)
        return In.refuse("more than " + std::to_string(MaxBinaries) +
                         " binaries");
      Out.Binaries.push_back(Binary);
      Value Entries;
      return In.read(Entries) &&
             isMap(Entries, [&] { return binaryName(Binary); }) &&
             In.map(Entries,
                    [&](std::string_view Arch) { return entry(Binary, Arch); });
    });
  }

  bool entry(std::string_view Binary, std::string_view Arch) {
    ArchiveEntry Entry;
    Entry.Binary = Binary;
    Entry.Arch = Arch;
    auto Name = [&] { return Entry.describe(); };
    Value Map;
    uint32_t Seen = 0;
    if (!In.read(Map) || !isMap(Map, Name) ||
        !In.fields(Map, EntryKeys, Seen, [&](size_t Key, const Value &V) {
          return entryField(Key, V, Entry);
        }))
      return false;
    if ((Seen & 3) != 3)
      return In.refuse(Name() + " lacks 'ordinal' or 'original_size'");
    Entry.HasHint = (Seen & 12) == 12;
    Out.Entries.push_back(Entry);
    return true;
  }

  bool entryField(size_t Key, const Value &V, ArchiveEntry &Entry) {
    auto Name = [&] {
      return Entry.describe() + ": '" + std::string(EntryKeys[Key]) + "'";
    };
    switch (Key) {
    case 0:
      return number(V, Entry.Ordinal, Name);
    case 1:
      return number(V, Entry.OriginalSize, Name);
    case 2:
      return number(V, Entry.Offset, Name);
    case 3:
      return number(V, Entry.StoredSize, Name);
    case 4:
      return string(V, Entry.Type, Name);
    case 5:
      return string(V, Entry.Source, Name);
    default:
      if (V.Kind != Value::Bin || V.Text.size() != 16)
        return wrong(V, Name, "a bin of 16 bytes");
      Entry.Hash = V.Text;
      return true;
    }
  }

  //===--------------------------------------------------------------------===//
  // Types. Name() is called only for a message.
  //===--------------------------------------------------------------------===//

  template <typename Function>
  bool string(const Value &V, std::string_view &Parsed, Function Name) {
    Parsed = V.Text;
    return V.Kind == Value::Str || wrong(V, Name, "a str");
  }

  template <typename Function>
  bool number(const Value &V, uint64_t &Parsed, Function Name) {
    Parsed = V.Number;
    return V.Kind == Value::Uint || wrong(V, Name, "an unsigned integer");
  }

  template <typename Function> bool isMap(const Value &V, Function Name) {
    return V.Kind == Value::Map || wrong(V, Name, "a map");
  }

  template <typename Function>
  bool wrong(const Value &V, Function Name, const char *Wanted) {
    return In.refuse(Name() + (V.isContainer()
                                   ? std::string(" has the wrong type")
                                   : std::string(" is not ") + Wanted));
  }

  static std::string binaryName(std::string_view Binary) {
    return "binary '" + std::string(Binary) + "'";
  }

  // Limits for hostile files: a view takes 16 bytes, the string in the file
  // two.
  static constexpr size_t MaxBinaries = 1u << 20;
  static constexpr size_t MaxArchitectures = 1u << 16;

  MsgpackReader In;
  Toc &Out;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_TOCPARSER_H
