//===- kpack/Archive/detail/Toc.h - table of contents -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the MessagePack map at the end of an archive into sorted vectors whose
// strings point into the file:
//
//   { gfx_arches: [str], compression_scheme: str, archive_id: str | {str: str},
//     blobs: [{offset, size}] | zstd_offset, zstd_size: uint,
//     toc: { <binary>: { <arch>: { ordinal, original_size: uint, ... } } } }
//
// Known keys must have their type and occur once; unknown keys are skipped at
// every level. Where the bytes of an entry stand is the reader's business
// (ArchiveReader.h); the writer's side is lib/Archive/TocWriter.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_ARCHIVE_DETAIL_TOC_H
#define KPACK_ARCHIVE_DETAIL_TOC_H

#include "kpack/Archive/Format.h"
#include "kpack/Archive/detail/Msgpack.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace kpack {

/// One code object of an archive: toc[Binary][Arch]. The strings live as long
/// as the reader.
struct ArchiveEntry {
  std::string_view Binary;
  std::string_view Arch;
  std::string_view Type; // "hsaco"
  uint64_t Ordinal = 0;  // index of the blob; shared by equal code objects
  uint64_t OriginalSize = 0;
  /// Where the stored bytes stand, if the archive says so; a hint that the
  /// reader checks, since the ordinal decides.
  bool HasHint = false;
  uint64_t Offset = 0;
  uint64_t StoredSize = 0;
  /// 16 bytes, XXH3-128 of the code object in canonical form; or empty.
  std::string_view Hash;
  /// Name of the source it was compiled from; or empty. For people.
  std::string_view Source;
};

namespace detail {

/// Bytes of the file.
struct Extent {
  uint64_t Offset = 0;
  uint64_t Size = 0;
};

struct Toc {
  std::string_view GroupName;
  std::string_view ArchFamily;
  std::optional<std::string_view> SchemeName;
  std::optional<uint64_t> ZstdOffset;
  std::optional<uint64_t> ZstdSize;
  std::vector<std::string_view> Architectures;
  std::vector<Extent> Blobs;
  std::vector<std::string_view> Binaries;
  std::vector<ArchiveEntry> Entries;
  /// `archive_id` for every kernel name, or one for each (sorted).
  std::string_view ArchiveId;
  std::vector<std::pair<std::string_view, std::string_view>> ArchiveIds;
};

/// Order of ArchiveReader::entries().
inline bool entryLess(const ArchiveEntry &A, const ArchiveEntry &B) {
  if (A.Binary.data() != B.Binary.data())
    if (int Order = A.Binary.compare(B.Binary))
      return Order < 0;
  return A.Arch < B.Arch;
}

class TocVisitor : public MsgpackVisitor<TocVisitor> {
public:
  explicit TocVisitor(Toc &Out) : Out(Out) {}

  bool ignores() const { return depth() && place() == Place::Ignored; }

  bool onKey(std::string_view Name) {
    switch (place()) {
    case Place::Root:
      return known(lookup(RootKeys, Name), Name, RootSeen);
    case Place::Blob:
      return known(lookup(BlobKeys, Name), Name, Seen);
    case Place::Entry:
      return known(lookup(EntryKeys, Name), Name, Seen);
    case Place::Contents:
      Binary = Name;
      if (Out.Binaries.size() == MaxBinaries)
        return refuse("more than " + std::to_string(MaxBinaries) + " binaries");
      Out.Binaries.push_back(Name);
      return true;
    default: // Place::Binary: an architecture. Place::Ids: a kernel name.
      Text = Name;
      return true;
    }
  }

  bool onScalar(const Scalar &V) {
    switch (place()) {
    case Place::Root:
      return rootValue(V);
    case Place::Blob:
      return Current == Key::Unknown || number(V, blobField());
    case Place::Entry:
      return entryValue(V);
    case Place::Architectures:
      if (V.Kind != Scalar::Str || V.Text.empty())
        return refuse("'gfx_arches' has an item that is not a name");
      if (Out.Architectures.size() == MaxArchitectures)
        return refuse("more than " + std::to_string(MaxArchitectures) +
                      " items in 'gfx_arches'");
      Out.Architectures.push_back(V.Text);
      return true;
    case Place::Ids:
      if (V.Kind != Scalar::Str)
        return refuse("'archive_id' of '" + std::string(Text) +
                      "' is not a str");
      if (Out.ArchiveIds.size() == MaxBinaries)
        return refuse("more than " + std::to_string(MaxBinaries) +
                      " items in 'archive_id'");
      Out.ArchiveIds.emplace_back(Text, V.Text);
      return true;
    default:
      return refuse(where() + " is not a map");
    }
  }

  bool onOpen(bool IsMap) {
    Place Next = depth() ? child(IsMap) : Place::Root;
    if (Next == Place::Refused)
      return refuse(where() + " has the wrong type");
    if (Next == Place::Blob || Next == Place::Entry)
      Seen = 0;
    if (Next == Place::Blob)
      Blob = Extent();
    if (Next == Place::Entry) {
      Entry = ArchiveEntry();
      Entry.Binary = Binary;
      Entry.Arch = Text;
    }
    Places[depth()] = Next;
    return true;
  }

  bool onClose() {
    // depth() already counts without the container that ends here.
    switch (Places[depth()]) {
    case Place::Blob:
      if (!has(Key::Offset) || !has(Key::Size))
        return refuse("blob " + std::to_string(Out.Blobs.size()) +
                      " lacks 'offset' or 'size'");
      Out.Blobs.push_back(Blob);
      return true;
    case Place::Entry:
      if (!has(Key::Ordinal) || !has(Key::OriginalSize))
        return refuse(where(Entry) + " lacks 'ordinal' or 'original_size'");
      Entry.HasHint = has(Key::Offset) && has(Key::StoredSize);
      Out.Entries.push_back(Entry);
      return true;
    default:
      return true;
    }
  }

  /// Sorts what lookups need sorted. False with a reason when a key occurs
  /// twice.
  bool finish() {
    if (!std::is_sorted(Out.Entries.begin(), Out.Entries.end(), entryLess))
      std::sort(Out.Entries.begin(), Out.Entries.end(), entryLess);
    if (!std::is_sorted(Out.Binaries.begin(), Out.Binaries.end()))
      std::sort(Out.Binaries.begin(), Out.Binaries.end());
    std::sort(Out.ArchiveIds.begin(), Out.ArchiveIds.end());

    auto Twice = std::adjacent_find(Out.Binaries.begin(), Out.Binaries.end());
    if (Twice != Out.Binaries.end())
      return refuse("binary '" + std::string(*Twice) + "' occurs twice");
    auto Same = [](const ArchiveEntry &A, const ArchiveEntry &B) {
      return A.Binary.data() == B.Binary.data() && A.Arch == B.Arch;
    };
    auto Pair =
        std::adjacent_find(Out.Entries.begin(), Out.Entries.end(), Same);
    if (Pair != Out.Entries.end())
      return refuse(where(*Pair) + " occurs twice");
    return true;
  }

private:
  /// Which container of the table of contents we are in.
  enum class Place : unsigned char {
    Root,
    Architectures,
    Blobs,
    Blob,
    Contents, // the map "toc"
    Binary,
    Entry,
    Ids,
    Ignored,
    Refused,
  };
  enum class Key : unsigned char {
    Unknown,
    GroupName,
    ArchFamily,
    Architectures,
    Contents,
    Scheme,
    Blobs,
    ZstdOffset,
    ZstdSize,
    ArchiveId,
    Offset,
    Size,
    Type,
    Ordinal,
    OriginalSize,
    StoredSize,
    Hash,
    Source,
  };
  struct KeyName {
    std::string_view Name;
    Key Value;
  };
  static constexpr KeyName RootKeys[] = {
      {"group_name", Key::GroupName},      {"gfx_arch_family", Key::ArchFamily},
      {"gfx_arches", Key::Architectures},  {"toc", Key::Contents},
      {"compression_scheme", Key::Scheme}, {"blobs", Key::Blobs},
      {"zstd_offset", Key::ZstdOffset},    {"zstd_size", Key::ZstdSize},
      {"archive_id", Key::ArchiveId},
  };
  static constexpr KeyName BlobKeys[] = {
      {"offset", Key::Offset},
      {"size", Key::Size},
  };
  static constexpr KeyName EntryKeys[] = {
      {"type", Key::Type},
      {"ordinal", Key::Ordinal},
      {"original_size", Key::OriginalSize},
      {"offset", Key::Offset},
      {"stored_size", Key::StoredSize},
      {"hash", Key::Hash},
      {"source", Key::Source},
  };

  template <size_t N>
  static Key lookup(const KeyName (&Names)[N], std::string_view Name) {
    for (const KeyName &K : Names)
      if (K.Name == Name)
        return K.Value;
    return Key::Unknown;
  }

  Place place() const { return Places[depth() - 1]; }
  static uint32_t bit(Key K) { return 1u << static_cast<unsigned>(K); }
  bool has(Key K) const { return Seen & bit(K); }

  bool known(Key K, std::string_view Name, uint32_t &Mask) {
    Current = K;
    if (K == Key::Unknown)
      return true;
    if (Mask & bit(K))
      return refuse("key '" + std::string(Name) + "' occurs twice");
    Mask |= bit(K);
    return true;
  }

  Place child(bool IsMap) const {
    switch (place()) {
    case Place::Root:
      if (Current == Key::Unknown)
        return Place::Ignored;
      if (Current == Key::Architectures && !IsMap)
        return Place::Architectures;
      if (Current == Key::Blobs && !IsMap)
        return Place::Blobs;
      if (Current == Key::Contents && IsMap)
        return Place::Contents;
      if (Current == Key::ArchiveId && IsMap)
        return Place::Ids;
      return Place::Refused;
    case Place::Blobs:
      return IsMap ? Place::Blob : Place::Refused;
    case Place::Contents:
      return IsMap ? Place::Binary : Place::Refused;
    case Place::Binary:
      return IsMap ? Place::Entry : Place::Refused;
    case Place::Blob:
    case Place::Entry:
      return Current == Key::Unknown ? Place::Ignored : Place::Refused;
    case Place::Ignored:
      return Place::Ignored;
    default:
      return Place::Refused;
    }
  }

  bool rootValue(const Scalar &V) {
    switch (Current) {
    case Key::Unknown:
      return true;
    case Key::GroupName:
      return string(V, Out.GroupName);
    case Key::ArchFamily:
      return string(V, Out.ArchFamily);
    case Key::ArchiveId:
      return string(V, Out.ArchiveId);
    case Key::Scheme:
      return string(V, Out.SchemeName.emplace());
    case Key::ZstdOffset:
      return number(V, Out.ZstdOffset.emplace());
    case Key::ZstdSize:
      return number(V, Out.ZstdSize.emplace());
    default:
      return refuse(where() + " has the wrong type");
    }
  }

  bool entryValue(const Scalar &V) {
    switch (Current) {
    case Key::Type:
      return string(V, Entry.Type);
    case Key::Ordinal:
      return number(V, Entry.Ordinal);
    case Key::OriginalSize:
      return number(V, Entry.OriginalSize);
    case Key::Offset:
      return number(V, Entry.Offset);
    case Key::StoredSize:
      return number(V, Entry.StoredSize);
    case Key::Hash:
      if (V.Kind != Scalar::Bin || V.Text.size() != 16)
        return refuse(where() + " is not a bin of 16 bytes");
      Entry.Hash = V.Text;
      return true;
    case Key::Source:
      return string(V, Entry.Source);
    default:
      return true;
    }
  }

  uint64_t &blobField() {
    return Current == Key::Offset ? Blob.Offset : Blob.Size;
  }

  bool string(const Scalar &V, std::string_view &To) {
    if (V.Kind != Scalar::Str)
      return refuse(where() + " is not a str");
    To = V.Text;
    return true;
  }

  bool number(const Scalar &V, uint64_t &To) {
    if (V.Kind != Scalar::Uint)
      return refuse(where() + " is not an unsigned integer");
    To = V.Number;
    return true;
  }

  static std::string where(const ArchiveEntry &E) {
    return "entry '" + std::string(E.Binary) + "' for '" + std::string(E.Arch) +
           "'";
  }

  /// The value at hand, for messages.
  std::string where() const { return where(place()); }
  std::string where(Place P) const {
    switch (P) {
    case Place::Root:
      return "'" + std::string(nameOf(RootKeys)) + "'";
    case Place::Blobs:
    case Place::Blob:
      return "blob " + std::to_string(Out.Blobs.size());
    case Place::Contents:
      return "binary '" + std::string(Binary) + "'";
    case Place::Entry:
      return where(Entry) + ": '" + std::string(nameOf(EntryKeys)) + "'";
    case Place::Binary:
      return "entry '" + std::string(Binary) + "' for '" + std::string(Text) +
             "'";
    case Place::Architectures:
      return "an item of 'gfx_arches'";
    default:
      return "an item of 'archive_id'";
    }
  }

  template <size_t N> std::string_view nameOf(const KeyName (&Names)[N]) const {
    for (const KeyName &K : Names)
      if (K.Value == Current)
        return K.Name;
    return "?";
  }

  // What a hostile file could otherwise blow up: a view takes 16 bytes, the
  // string in the file two.
  static constexpr size_t MaxBinaries = 1u << 20;
  static constexpr size_t MaxArchitectures = 1u << 16;

  Toc &Out;
  Place Places[MaxDepth] = {};
  Key Current = Key::Unknown;
  uint32_t RootSeen = 0;
  uint32_t Seen = 0;
  std::string_view Binary; // key in "toc"
  std::string_view Text;   // key in a binary's map or in "archive_id"
  ArchiveEntry Entry;
  Extent Blob;
};

} // namespace detail
} // namespace kpack

#endif // KPACK_ARCHIVE_DETAIL_TOC_H
