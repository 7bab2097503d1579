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
// the header. Every read goes through a cursor that knows where the end is; a
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
#include "llvm/Support/DataExtractor.h"

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

/// Little-endian numbers; a read past the end fails and stays failed, so that
/// one look at the cursor's error at the end of a header is enough.
static DataExtractor fieldsOf(StringRef Bytes) {
  return DataExtractor(Bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8);
}

static Error malformed(StringRef Object, const Twine &What) {
  return offload::damagedObject(Object, "offload bundle " + What);
}

//===----------------------------------------------------------------------===//
// Plain bundles
//===----------------------------------------------------------------------===//

static Expected<OffloadBundle> parsePlain(StringRef Bytes, StringRef Object) {
  static constexpr uint64_t MinEntrySize = 24;
  DataExtractor In = fieldsOf(Bytes);
  DataExtractor::Cursor At(BundleMagic.size());
  uint64_t Count = In.getU64(At);
  if (errorToBool(At.takeError()) ||
      Count > (Bytes.size() - At.tell()) / MinEntrySize)
    return malformed(Object, "is cut off in its entry table");

  OffloadBundle Bundle;
  StringSet<> Targets;
  uint64_t FirstByte = Bytes.size(), End = 0;
  for (uint64_t I = 0; I != Count; ++I) {
    uint64_t Offset = In.getU64(At);
    uint64_t Size = In.getU64(At);
    StringRef Id = In.getBytes(At, In.getU64(At));
    if (errorToBool(At.takeError()))
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
  if (FirstByte < At.tell())
    return malformed(Object, "has code that overlaps its entry table");
  Bundle.Size = std::max(At.tell(), End);
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
  if (!Bytes.starts_with("\x28\xB5\x2F\xFD"))
    return Bytes.size();
  DataExtractor In = fieldsOf(Bytes);
  DataExtractor::Cursor At(sizeof(uint32_t));
  uint8_t Descriptor = In.getU8(At);
  bool SingleSegment = Descriptor & 0x20, HasChecksum = Descriptor & 0x04;
  static constexpr uint8_t DictionarySizes[] = {0, 1, 2, 4};
  static constexpr uint8_t ContentSizes[] = {0, 2, 4, 8};
  uint8_t ContentSize = ContentSizes[Descriptor >> 6];
  if (SingleSegment && ContentSize == 0)
    ContentSize = 1;
  In.skip(At, (SingleSegment ? 0 : 1) + DictionarySizes[Descriptor & 3] +
                  ContentSize);
  bool IsLast = false;
  while (!IsLast && At) {
    uint32_t Block = In.getU24(At);
    IsLast = Block & 1;
    bool IsRun = ((Block >> 1) & 3) == 1;
    In.skip(At, IsRun ? 1 : Block >> 3);
  }
  if (HasChecksum)
    In.skip(At, 4);
  return errorToBool(At.takeError()) ? Bytes.size() : At.tell();
}

static Expected<CompressedHeader> parseHeader(StringRef Bytes,
                                              StringRef Object) {
  DataExtractor In = fieldsOf(Bytes);
  DataExtractor::Cursor At(CompressedMagic.size());
  uint16_t Version = In.getU16(At);
  uint16_t Method = In.getU16(At);
  if (At && (Version < 1 || Version > 3))
    return malformed(Object, "has unknown version " + Twine(Version));

  CompressedHeader Header;
  // Version 1 does not say where its data ends.
  Header.TotalSize = Bytes.size();
  if (Version == 2)
    Header.TotalSize = In.getU32(At);
  else if (Version == 3)
    Header.TotalSize = In.getU64(At);
  Header.PlainSize = Version == 3 ? In.getU64(At) : In.getU32(At);
  In.getU64(At); // Part of an MD5 that no reader checks.
  if (errorToBool(At.takeError()))
    return malformed(Object, "is cut off in its header");
  uint64_t HeaderSize = At.tell();
  if (Header.TotalSize < HeaderSize || Header.TotalSize > Bytes.size())
    return malformed(Object, "is cut off in its compressed data");
  Header.Data = Bytes.slice(HeaderSize, Header.TotalSize);

  Header.Method = compression::Format(Method);
  if (Header.Method != compression::Format::Zlib &&
      Header.Method != compression::Format::Zstd)
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
