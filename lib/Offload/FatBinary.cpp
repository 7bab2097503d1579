//===- FatBinary.cpp - containers of device code --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang-format off
//   <section> ::= (<container> <zero byte>*)*
//   <bundle>  ::= "__CLANG_OFFLOAD_BUNDLE__" <u64 count> <entry>* <bytes>
//   <entry>   ::= <u64 offset> <u64 size> <u64 id length> <id>
// clang-format on
//
// All little-endian; offsets count from the start of the bundle. The other
// containers are in CompressedBundle.cpp, OffloadImages.cpp and
// CodeObjectHeader.cpp. All reads are checked against the end. These numbers
// alone determine the end of a bundle, so a magic number inside a code object
// has no effect (reference defect D11). LLVM's reader
// (llvm/Object/OffloadBundle.h) searches for the next magic and does not exist
// in LLVM 19.
//
// Also compiled into the compiler plugin: uses only LLVM's Support.
//
//===----------------------------------------------------------------------===//
#include "Offload/FatBinary.h"

#include "BundleTable.h"
#include "CompressedBundle.h"
#include "Damaged.h"
#include "OffloadImages.h"

#include "Offload/CodeObjectHeader.h"
#include "ToolSupport/Errors.h"
#include "kpack/Support/TargetId.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DataExtractor.h"

#include <algorithm>
#include <cstring>

using namespace llvm;

namespace kpack::offload {

StringRef containerKindName(ContainerKind Kind) {
  switch (Kind) {
  case ContainerKind::Bundle:
    return "bundle";
  case ContainerKind::CompressedBundle:
    return "compressed bundle";
  case ContainerKind::OffloadBinary:
    return "offload binary";
  case ContainerKind::CodeObject:
    return "code object";
  }
  return "";
}

static Error malformed(StringRef Object, const Twine &What) {
  return offload::damagedObject(Object, "offload bundle " + What);
}

/// Like malformed(), for errors that do not name an object.
static Error malformedBinary(StringRef Object, Error Cause) {
  return offload::damagedObject(Object, "offload binary: " +
                                            toString(std::move(Cause)));
}

static std::string canonical(StringRef Target) {
  return canonicalTarget(std::string_view(Target.data(), Target.size()));
}

//===----------------------------------------------------------------------===//
// Plain bundles
//===----------------------------------------------------------------------===//

std::optional<StringRef> deviceTargetOfEntry(StringRef Id) {
  // <kind>-<arch>-<vendor>-<os>-<environment>-<target>, for example
  // "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-". Old bundlers omitted the
  // environment and its dash.
  StringRef Rest = Id;
  for (int I = 0; I != 4; ++I) {
    auto [Part, After] = Rest.split('-');
    if (I == 0 && Part != "hip" && Part != "hipv4")
      return std::nullopt;
    Rest = After;
  }
  if (!Rest.starts_with("gfx"))
    Rest = Rest.split('-').second;
  if (Rest.empty())
    return std::nullopt;
  return Rest;
}

static bool isHostEntry(StringRef Id) { return Id.split('-').first == "host"; }

/// Reads the entry at \p At, and checks its place in a bundle of \p Size bytes.
static Expected<BundleItem> readItem(DataExtractor &In,
                                     DataExtractor::Cursor &At, uint64_t Size,
                                     StringRef Object) {
  BundleItem Item;
  Item.Offset = In.getU64(At);
  Item.Size = In.getU64(At);
  Item.Id = In.getBytes(At, In.getU64(At));
  if (errorToBool(At.takeError()))
    return malformed(Object, "is cut off in its entry table");
  if (Item.Size != 0 && (Item.Offset > Size || Item.Size > Size - Item.Offset))
    return malformed(Object, "is cut off in the code for " + Item.Id);
  return Item;
}

Expected<BundleTable> readBundleTable(StringRef Start, uint64_t Size,
                                      StringRef Object) {
  static constexpr uint64_t MinEntrySize = 24;
  DataExtractor In(Start, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  DataExtractor::Cursor At(BundleMagic.size());
  uint64_t Count = In.getU64(At);
  if (errorToBool(At.takeError()) ||
      Count > (Start.size() - At.tell()) / MinEntrySize)
    return malformed(Object, "is cut off in its entry table");

  BundleTable Table;
  uint64_t FirstByte = Size, End = 0, BytesLeft = Size;
  for (uint64_t I = 0; I != Count; ++I) {
    Expected<BundleItem> Item = readItem(In, At, Size, Object);
    if (!Item)
      return Item.takeError();
    // Valid entries do not overlap. Overlapping ones would make a reader visit
    // the same bytes once for each.
    if (Item->Size > BytesLeft)
      return malformed(Object, "has code that overlaps");
    BytesLeft -= Item->Size;
    if (Item->Size != 0) {
      FirstByte = std::min(FirstByte, Item->Offset);
      End = std::max(End, Item->Offset + Item->Size);
    }
    if (isHostEntry(Item->Id))
      continue;
    std::optional<StringRef> Target = deviceTargetOfEntry(Item->Id);
    if (!Target)
      return malformed(Object, "has an entry that is not HIP's: " + Item->Id);
    Item->Target = *Target;
    Table.Items.push_back(*Item);
  }
  if (FirstByte < At.tell())
    return malformed(Object, "has code that overlaps its entry table");
  Table.Size = std::max(At.tell(), End);
  return Table;
}

static Expected<OpenContainer> openPlain(StringRef Bytes, StringRef Object) {
  Expected<BundleTable> Table = readBundleTable(Bytes, Bytes.size(), Object);
  if (!Table)
    return Table.takeError();
  OpenContainer Open;
  StringSet<> Targets;
  for (const BundleItem &Item : Table->Items) {
    std::string Target = canonical(Item.Target);
    if (!Targets.insert(Target).second)
      return malformed(Object, "has two entries for " + Target);
    Open.Images.push_back(
        {std::move(Target), Bytes.substr(Item.Offset, Item.Size)});
  }
  return Open;
}

//===----------------------------------------------------------------------===//
// Each kind of container: its header
//===----------------------------------------------------------------------===//

static Expected<Container> readPlain(StringRef Bytes, StringRef Object) {
  Expected<BundleTable> Table = readBundleTable(Bytes, Bytes.size(), Object);
  if (!Table)
    return Table.takeError();
  return Container{ContainerKind::Bundle, 0, 0, Bytes.take_front(Table->Size),
                   Table->Size};
}

static Expected<Container> readCompressed(StringRef Bytes, StringRef Object) {
  Expected<CompressedHeader> Header = readCompressedHeader(Bytes, Object);
  if (!Header)
    return Header.takeError();
  return Container{ContainerKind::CompressedBundle, Header->Version, 0,
                   Bytes.take_front(Header->TotalSize), Header->PlainSize};
}

static Expected<Container> readBinary(StringRef Bytes, StringRef Object) {
  Expected<OffloadImages> Header = readOffloadHeader(Bytes);
  if (!Header)
    return malformedBinary(Object, Header.takeError());
  return Container{ContainerKind::OffloadBinary, Header->Version, 0,
                   Bytes.take_front(Header->Size), Header->Size};
}

static Expected<Container> readCodeObject(StringRef Bytes, StringRef Object) {
  std::optional<uint64_t> Size = codeObjectSize(Bytes);
  if (!Size)
    return offload::damagedObject(Object, "its code object is cut off");
  return Container{ContainerKind::CodeObject, codeObjectVersion(Bytes), 0,
                   Bytes.take_front(*Size), *Size};
}

//===----------------------------------------------------------------------===//
// Readers of each kind of container
//===----------------------------------------------------------------------===//

static Expected<OpenContainer> openCompressed(StringRef Bytes,
                                              StringRef Object) {
  Expected<CompressedHeader> Header = readCompressedHeader(Bytes, Object);
  if (!Header)
    return Header.takeError();
  Expected<std::unique_ptr<MemoryBuffer>> Plain =
      decompressBundle(*Header, Object);
  if (!Plain)
    return Plain.takeError();
  if (!(*Plain)->getBuffer().starts_with(BundleMagic))
    return malformed(Object, "is no bundle when decompressed");
  Expected<OpenContainer> Open = openPlain((*Plain)->getBuffer(), Object);
  if (!Open)
    return Open.takeError();
  Open->Storage = std::move(*Plain);
  return Open;
}

static Expected<OpenContainer> openBinary(StringRef Bytes, StringRef Object) {
  Expected<OffloadImages> Binary = readOffloadImages(Bytes);
  if (!Binary)
    return malformedBinary(Object, Binary.takeError());
  OpenContainer Open;
  for (const OffloadImage &Image : Binary->Images) {
    // OpenMP and SYCL use the same container.
    if (!Image.isHip())
      continue;
    Open.Images.push_back({canonical(Image.Target.value_or("")), Image.Bytes});
  }
  return Open;
}

static OpenContainer openCodeObject(StringRef Bytes) {
  OpenContainer Open;
  Open.Images.push_back({targetOfCodeObject(Bytes), Bytes});
  return Open;
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

bool startsContainer(StringRef Bytes) {
  return Bytes.starts_with(BundleMagic) || Bytes.starts_with(CompressedMagic) ||
         Bytes.starts_with(OffloadBinaryMagic) || isCodeObject(Bytes);
}

Expected<Container> readContainer(StringRef Bytes, StringRef Object) {
  if (Bytes.starts_with(BundleMagic))
    return readPlain(Bytes, Object);
  if (Bytes.starts_with(CompressedMagic))
    return readCompressed(Bytes, Object);
  if (Bytes.starts_with(OffloadBinaryMagic))
    return readBinary(Bytes, Object);
  if (isCodeObject(Bytes))
    return readCodeObject(Bytes, Object);
  return offload::damagedObject(Object,
                                "its fat binary is not an offload bundle");
}

/// Returns the end of the padding at \p Offset. Skips whole pages first, since
/// there may be many.
static uint64_t skipPadding(StringRef Section, uint64_t Offset) {
  static constexpr char Zeros[4096] = {};
  while (Section.size() - Offset >= sizeof(Zeros) &&
         std::memcmp(Section.data() + Offset, Zeros, sizeof(Zeros)) == 0)
    Offset += sizeof(Zeros);
  return std::min<uint64_t>(Section.find_first_not_of('\0', Offset),
                            Section.size());
}

Expected<std::vector<Container>> readContainers(StringRef Section,
                                                StringRef Object) {
  std::vector<Container> All;
  for (uint64_t Offset = 0;;) {
    Offset = skipPadding(Section, Offset);
    if (Offset == Section.size())
      return All;
    StringRef Rest = Section.drop_front(Offset);
    if (!startsContainer(Rest))
      return offload::damagedObject(Object, "no device code at offset " +
                                                Twine(Offset) +
                                                " of its fat binary");
    Expected<Container> C = readContainer(Rest, Object);
    if (!C)
      return C.takeError();
    C->Offset = Offset;
    // Every container has a header, so this makes progress.
    Offset += C->Bytes.size();
    All.push_back(*C);
  }
}

Expected<OpenContainer> openContainer(const Container &C, StringRef Object) {
  switch (C.Kind) {
  case ContainerKind::Bundle:
    return openPlain(C.Bytes, Object);
  case ContainerKind::CompressedBundle:
    return openCompressed(C.Bytes, Object);
  case ContainerKind::OffloadBinary:
    return openBinary(C.Bytes, Object);
  case ContainerKind::CodeObject:
    return openCodeObject(C.Bytes);
  }
  return malformed(Object, "is of no known kind");
}

} // namespace kpack::offload
