//===- OffloadBundle.cpp - clang offload bundles --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang-format off
//   <bundle>  ::= "__CLANG_OFFLOAD_BUNDLE__" <u64 count> <entry>* <bytes>
//   <entry>   ::= <u64 offset> <u64 size> <u64 id length> <id>
//   <CCOB v1> ::= "CCOB" <u16 1> <u16 method> <u32 plain size> <u64 hash> <data>
//   <CCOB v2> ::= "CCOB" <u16 2> <u16 method> <u32 total> <u32 plain size> <u64 hash> <data>
//   <CCOB v3> ::= as v2 with <u64 total> <u64 plain size>
// clang-format on
//
// All little-endian; offsets count from the start of the bundle, totals include
// the header. Every read goes through Cursor, which knows where the end is; a
// bundle's end comes from these numbers alone, so bytes inside a code object
// that look like a magic number mean nothing (reference defect D11), and the
// time is linear. LLVM's own reader (llvm/Object/OffloadBundle.h) looks for the
// next magic and does not exist in LLVM 19.
//
// Compiled into the compiler plugin too: uses nothing but LLVM's Support.
//
//===----------------------------------------------------------------------===//
#include "kpack/Offload/OffloadBundle.h"

#include "Damaged.h"

#include "kpack/ToolSupport/Errors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace llvm;

namespace kpack::offload {

static constexpr StringLiteral BundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
static constexpr StringLiteral CompressedMagic = "CCOB";

//===----------------------------------------------------------------------===//
// Entry ids
//===----------------------------------------------------------------------===//

std::optional<StringRef> deviceTargetOfEntry(StringRef Id) {
  // <kind>-<arch>-<vendor>-<os>-<environment>-<target>, for example
  // "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-". Old bundlers left out the
  // environment together with its dash.
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

//===----------------------------------------------------------------------===//
// Reading numbers
//===----------------------------------------------------------------------===//

namespace {

/// Takes bytes off the front of a buffer; a read past its end fails and stays
/// failed, so that one check at the end of a header is enough.
class Cursor {
public:
  explicit Cursor(StringRef Bytes) : Rest(Bytes) {}

  StringRef take(uint64_t Count) {
    if (Count > Rest.size())
      Failed = true;
    if (Failed)
      return StringRef();
    StringRef Taken = Rest.take_front(Count);
    Rest = Rest.drop_front(Count);
    return Taken;
  }
  template <typename T> T number() {
    StringRef Taken = take(sizeof(T));
    return Failed ? 0
                  : support::endian::read<T, endianness::little>(Taken.data());
  }

  bool failed() const { return Failed; }
  StringRef rest() const { return Rest; }

private:
  StringRef Rest;
  bool Failed = false;
};

} // namespace

static Error malformed(StringRef Object, const Twine &What) {
  return offload::damagedObject(Object, "offload bundle " + What);
}

//===----------------------------------------------------------------------===//
// Plain bundles
//===----------------------------------------------------------------------===//

static Expected<OffloadBundle> parsePlain(StringRef Bytes, StringRef Object) {
  static constexpr uint64_t MinEntrySize = 24;
  Cursor In(Bytes);
  In.take(BundleMagic.size());
  uint64_t Count = In.number<uint64_t>();
  if (In.failed() || Count > In.rest().size() / MinEntrySize)
    return malformed(Object, "is cut off in its entry table");

  OffloadBundle Bundle;
  StringSet<> Targets;
  uint64_t FirstByte = Bytes.size(), End = 0;
  for (uint64_t I = 0; I != Count; ++I) {
    uint64_t Offset = In.number<uint64_t>();
    uint64_t Size = In.number<uint64_t>();
    StringRef Id = In.take(In.number<uint64_t>());
    if (In.failed())
      return malformed(Object, "is cut off in its entry table");
    if (Size != 0) {
      if (Offset > Bytes.size() || Size > Bytes.size() - Offset)
        return malformed(Object, "is cut off in the code for " + Id);
      FirstByte = std::min(FirstByte, Offset);
      End = std::max(End, Offset + Size);
    }
    if (isHostEntry(Id))
      continue;
    std::optional<StringRef> Target = deviceTargetOfEntry(Id);
    if (!Target)
      return malformed(Object, "has an entry that is not HIP's: " + Id);
    if (!Targets.insert(*Target).second)
      return malformed(Object, "has two entries for " + *Target);
    Bundle.Images.push_back({Target->str(), Bytes.substr(Offset, Size)});
  }
  uint64_t TableEnd = Bytes.size() - In.rest().size();
  if (FirstByte < TableEnd)
    return malformed(Object, "has code that overlaps its entry table");
  Bundle.Size = std::max(TableEnd, End);
  return std::move(Bundle);
}

//===----------------------------------------------------------------------===//
// Compressed bundles
//===----------------------------------------------------------------------===//

namespace {

struct CompressedHeader {
  compression::Format Method = compression::Format::Zlib;
  uint64_t PlainSize = 0;
  StringRef Data;
  uint64_t TotalSize = 0;
};

} // namespace

/// The size of the zstd frame at the start of \p Bytes (RFC 8878, 3.1.1), all
/// of \p Bytes when it is none. Only version 1, which has no total, needs it:
/// zstd takes padding behind a frame for a damaged second one.
static uint64_t zstdFrameSize(StringRef Bytes) {
  Cursor In(Bytes);
  if (In.number<uint32_t>() != 0xFD2FB528)
    return Bytes.size();
  uint8_t Descriptor = In.number<uint8_t>();
  bool SingleSegment = Descriptor & 0x20, HasChecksum = Descriptor & 0x04;
  static constexpr uint8_t DictionarySizes[] = {0, 1, 2, 4};
  static constexpr uint8_t ContentSizes[] = {0, 2, 4, 8};
  uint8_t ContentSize = ContentSizes[Descriptor >> 6];
  if (SingleSegment && ContentSize == 0)
    ContentSize = 1;
  In.take((SingleSegment ? 0 : 1) + DictionarySizes[Descriptor & 3] +
          ContentSize);
  bool IsLast = false;
  while (!IsLast && !In.failed()) {
    uint32_t Block = In.number<uint16_t>();
    Block |= uint32_t(In.number<uint8_t>()) << 16;
    IsLast = Block & 1;
    bool IsRun = ((Block >> 1) & 3) == 1;
    In.take(IsRun ? 1 : Block >> 3);
  }
  if (HasChecksum)
    In.take(4);
  return In.failed() ? Bytes.size() : Bytes.size() - In.rest().size();
}

static Expected<CompressedHeader> parseHeader(StringRef Bytes,
                                              StringRef Object) {
  Cursor In(Bytes);
  In.take(CompressedMagic.size());
  uint16_t Version = In.number<uint16_t>();
  uint16_t Method = In.number<uint16_t>();
  if (!In.failed() && (Version < 1 || Version > 3))
    return malformed(Object, "has unknown version " + Twine(Version));

  CompressedHeader Header;
  // Version 1 does not say where its data ends.
  Header.TotalSize = Bytes.size();
  if (Version == 2)
    Header.TotalSize = In.number<uint32_t>();
  else if (Version == 3)
    Header.TotalSize = In.number<uint64_t>();
  Header.PlainSize =
      Version == 3 ? In.number<uint64_t>() : In.number<uint32_t>();
  In.number<uint64_t>(); // Part of an MD5 that no reader checks.
  if (In.failed())
    return malformed(Object, "is cut off in its header");
  uint64_t HeaderSize = Bytes.size() - In.rest().size();
  if (Header.TotalSize < HeaderSize || Header.TotalSize > Bytes.size())
    return malformed(Object, "is cut off in its compressed data");
  Header.Data = In.rest().take_front(Header.TotalSize - HeaderSize);

  if (Method == uint16_t(compression::Format::Zlib))
    Header.Method = compression::Format::Zlib;
  else if (Method == uint16_t(compression::Format::Zstd))
    Header.Method = compression::Format::Zstd;
  else
    return malformed(Object, "has unknown compression " + Twine(Method));
  if (Version == 1 && Header.Method == compression::Format::Zstd) {
    Header.Data = Header.Data.take_front(zstdFrameSize(Header.Data));
    Header.TotalSize = HeaderSize + Header.Data.size();
  }
  if (const char *Reason = compression::getReasonIfUnsupported(Header.Method))
    return objectError(Object, Twine("compressed offload bundle: ") + Reason +
                                   "; compile it with "
                                   "--no-offload-compress");
  return Header;
}

/// The most bytes \p Header's data can stand for: what the two formats can
/// reach (a zstd block of 4 bytes may be a run of 128 KiB), and no more than a
/// program could hold.
static uint64_t plainSizeLimit(const CompressedHeader &Header) {
  static constexpr uint64_t Limit = uint64_t(1) << 34;
  uint64_t Ratio = Header.Method == compression::Format::Zstd ? 1 << 15 : 1032;
  if (Header.Data.size() > Limit / Ratio)
    return Limit;
  return Header.Data.size() * Ratio;
}

static Expected<std::unique_ptr<MemoryBuffer>>
decompress(const CompressedHeader &Header, StringRef Object) {
  if (Header.PlainSize > plainSizeLimit(Header))
    return malformed(Object, "claims an impossible size");
  std::unique_ptr<WritableMemoryBuffer> Plain =
      WritableMemoryBuffer::getNewUninitMemBuffer(Header.PlainSize, Object);
  if (!Plain)
    return objectError(Object, "not enough memory for its offload bundle of " +
                                   Twine(Header.PlainSize) +
                                   " bytes; close other programs");
  auto *Output = reinterpret_cast<uint8_t *>(Plain->getBufferStart());
  size_t Size = Header.PlainSize;
  ArrayRef<uint8_t> Input = arrayRefFromStringRef(Header.Data);
  Error E = Header.Method == compression::Format::Zstd
                ? compression::zstd::decompress(Input, Output, Size)
                : compression::zlib::decompress(Input, Output, Size);
  if (E)
    return malformed(Object,
                     "cannot be decompressed: " + toString(std::move(E)));
  if (Size != Header.PlainSize)
    return malformed(Object, "is shorter than its header says");
  return std::move(Plain);
}

static Expected<OffloadBundle> parseCompressed(StringRef Bytes,
                                               StringRef Object) {
  Expected<CompressedHeader> Header = parseHeader(Bytes, Object);
  if (!Header)
    return Header.takeError();
  Expected<std::unique_ptr<MemoryBuffer>> Plain = decompress(*Header, Object);
  if (!Plain)
    return Plain.takeError();
  if (!(*Plain)->getBuffer().starts_with(BundleMagic))
    return malformed(Object, "is no bundle when decompressed");
  Expected<OffloadBundle> Bundle = parsePlain((*Plain)->getBuffer(), Object);
  if (!Bundle)
    return Bundle.takeError();
  Bundle->Size = Header->TotalSize;
  Bundle->Storage = std::move(*Plain);
  return Bundle;
}

Expected<OffloadBundle> parseOffloadBundle(StringRef Bytes, StringRef Object) {
  if (Bytes.starts_with(BundleMagic))
    return parsePlain(Bytes, Object);
  if (Bytes.starts_with(CompressedMagic))
    return parseCompressed(Bytes, Object);
  return offload::damagedObject(Object,
                                "its fat binary is not an offload bundle");
}

} // namespace kpack::offload
