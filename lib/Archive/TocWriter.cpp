//===- TocWriter.cpp - writer of the table of contents --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys of docs/format/kpack-v1.md. ROCm's readers ignore those that they do not
// know ("archive_id", "device_debug", "offset", "stored_size", "hash",
// "source").
//
//===----------------------------------------------------------------------===//

#include "TocWriter.h"
#include "kpack/Archive/detail/Msgpack.h"

#include <algorithm>

using namespace kpack;
using namespace kpack::detail;

static void writeScheme(MsgpackWriter &Out, const TocContents &Toc) {
  Out.field("compression_scheme", schemeName(Toc.Scheme));
  if (Toc.Scheme == CompressionScheme::ZstdPerKernel) {
    Out.field("zstd_offset", ArchiveHeaderSize);
    Out.field("zstd_size", Toc.ZstdSize);
    return;
  }
  Out.str("blobs");
  Out.array(Toc.Blobs.size());
  for (const StoredBlob &Blob : Toc.Blobs) {
    Out.map(2);
    Out.field("offset", Blob.Offset);
    Out.field("size", Blob.StoredSize);
  }
}

/// True if \p Binary is "<KernelName>#<index>" or \p KernelName.
static bool belongsTo(std::string_view Binary, std::string_view KernelName) {
  return Binary.substr(0, KernelName.size()) == KernelName &&
         (Binary.size() == KernelName.size() ||
          Binary[KernelName.size()] == '#');
}

/// True if a single str can hold the id of the whole archive.
static bool hasOneKernelName(const TocContents &Toc) {
  if (Toc.IsShared || Toc.ArchiveIds.size() != 1)
    return false;
  const std::string &Name = Toc.ArchiveIds.begin()->first;
  return std::all_of(
      Toc.Binaries.begin(), Toc.Binaries.end(),
      [&](const auto &Binary) { return belongsTo(Binary.first, Name); });
}

static void writeArchiveIds(MsgpackWriter &Out, const TocContents &Toc) {
  Out.str("archive_id");
  if (hasOneKernelName(Toc)) {
    Out.str(Toc.ArchiveIds.begin()->second);
    return;
  }
  Out.map(Toc.ArchiveIds.size());
  for (const auto &[KernelName, Id] : Toc.ArchiveIds)
    Out.field(KernelName, Id);
}

static void writeEntry(MsgpackWriter &Out, CompressionScheme Scheme,
                       uint64_t Ordinal, const StoredBlob &Blob,
                       std::string_view Source) {
  bool WithPlace = Scheme == CompressionScheme::ZstdPerKernel;
  Out.map((WithPlace ? 6 : 4) + !Source.empty());
  Out.field("type", "hsaco");
  Out.field("ordinal", Ordinal);
  Out.field("original_size", Blob.OriginalSize);
  if (WithPlace) {
    Out.field("offset", Blob.Offset);
    Out.field("stored_size", Blob.StoredSize);
  }
  Out.str("hash");
  Out.bin(std::string_view(Blob.Hash.data(), Blob.Hash.size()));
  if (!Source.empty())
    Out.field("source", Source);
}

std::string detail::serializeToc(const TocContents &Toc) {
  std::string Bytes;
  MsgpackWriter Out(Bytes);
  bool Zstd = Toc.Scheme == CompressionScheme::ZstdPerKernel;
  Out.map(6 + (Zstd ? 2 : 1) + !Toc.ArchiveIds.empty() +
          !Toc.DeviceDebug.empty());
  Out.field("format_version", ArchiveVersion);
  Out.field("group_name", Toc.GroupName);
  Out.field("gfx_arch_family", Toc.ArchFamily);
  Out.str("gfx_arches");
  Out.array(Toc.Architectures.size());
  for (const std::string &Arch : Toc.Architectures)
    Out.str(Arch);
  writeScheme(Out, Toc);
  if (!Toc.ArchiveIds.empty())
    writeArchiveIds(Out, Toc);
  if (!Toc.DeviceDebug.empty())
    Out.field("device_debug", Toc.DeviceDebug);

  Out.str("toc");
  Out.map(Toc.Binaries.size());
  for (const auto &[Binary, Ordinals] : Toc.Binaries) {
    Out.str(Binary);
    Out.map(Ordinals.size());
    auto Source = Toc.Sources.find(Binary);
    for (const auto &[Arch, Ordinal] : Ordinals) {
      Out.str(Arch);
      writeEntry(Out, Toc.Scheme, Ordinal, Toc.Blobs[Ordinal],
                 Source == Toc.Sources.end() ? "" : Source->second);
    }
  }
  return Bytes;
}
