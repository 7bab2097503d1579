//===- CompressedBundle.cpp - clang's compressed bundles ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang-format off
//   <CCOB v1> ::= "CCOB" <u16 1> <u16 method> <u32 plain size> <u64 hash> <data>
//   <CCOB v2> ::= "CCOB" <u16 2> <u16 method> <u32 total> <u32 plain size> <u64 hash> <data>
//   <CCOB v3> ::= as v2 with <u64 total> <u64 plain size>
// clang-format on
//
// All little-endian; totals include the header. Version 1 lacks the size of its
// data: a zstd frame is walked to its end, and zlib data takes the rest. Also
// compiled into the compiler plugin: uses only LLVM's Support.
//
//===----------------------------------------------------------------------===//
#include "CompressedBundle.h"

#include "Damaged.h"

#include "Support/UnpackLimit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/MD5.h"

using namespace llvm;

namespace kpack::offload {

/// Little-endian numbers. A read past the end fails, and so do all later ones,
/// so it suffices to check the cursor after a header.
static DataExtractor getFields(StringRef Bytes) {
  return DataExtractor(Bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8);
}

static Error malformed(StringRef Object, const Twine &What) {
  return offload::damagedObject(Object, "offload bundle " + What);
}

/// Returns the size of the zstd frame at the start of \p Bytes (RFC 8878,
/// 3.1.1), or of all \p Bytes if there is none. Used for version 1, which has
/// no total: zstd takes padding after a frame for a damaged second frame.
static uint64_t zstdFrameSize(StringRef Bytes) {
  if (!Bytes.starts_with("\x28\xB5\x2F\xFD"))
    return Bytes.size();
  DataExtractor In = getFields(Bytes);
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

Expected<CompressedHeader> readCompressedHeader(StringRef Bytes,
                                                StringRef Object) {
  DataExtractor In = getFields(Bytes);
  DataExtractor::Cursor At(CompressedMagic.size());
  uint16_t Version = In.getU16(At);
  uint16_t Method = In.getU16(At);
  if (At && (Version < 1 || Version > 3))
    return malformed(Object, "has unknown version " + Twine(Version));

  CompressedHeader Header;
  Header.Version = Version;
  // Version 1 does not record the end of its data.
  Header.TotalSize = Bytes.size();
  if (Version == 2)
    Header.TotalSize = In.getU32(At);
  else if (Version == 3)
    Header.TotalSize = In.getU64(At);
  Header.PlainSize = Version == 3 ? In.getU64(At) : In.getU32(At);
  Header.Hash = In.getU64(At);
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
  return Header;
}

/// Returns the largest plain size of \p Header's data: the limit of the two
/// formats (a zstd block of 4 bytes may be a run of 128 KiB), and at most
/// 16 GiB.
static uint64_t plainSizeLimit(const CompressedHeader &Header) {
  static constexpr uint64_t Limit = uint64_t(1) << 34;
  uint64_t Ratio = Header.Method == compression::Format::Zstd ? 1 << 15 : 1032;
  if (Header.Data.size() > Limit / Ratio)
    return Limit;
  return Header.Data.size() * Ratio;
}

Error checkPlainSize(const CompressedHeader &Header, StringRef Object) {
  if (Header.PlainSize > plainSizeLimit(Header))
    return malformed(Object, "claims an impossible size");
  return Error::success();
}

Error checkUnpackedSize(const CompressedHeader &Header, uint64_t Size,
                        StringRef Object) {
  std::string Why = whyNotUnpacked(Header.Data.size(), Size);
  return Why.empty() ? Error::success()
                     : objectError(Object, "compressed offload bundle: " + Why);
}

Expected<std::unique_ptr<MemoryBuffer>>
decompressBundle(const CompressedHeader &Header, StringRef Object) {
  if (const char *Reason = compression::getReasonIfUnsupported(Header.Method))
    return objectError(Object, Twine("compressed offload bundle: ") + Reason +
                                   "; compile it with "
                                   "--no-offload-compress");
  if (Error E = checkPlainSize(Header, Object))
    return std::move(E);
  if (Error E = checkUnpackedSize(Header, Header.PlainSize, Object))
    return std::move(E);
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
  if (Header.Hash != 0) {
    ArrayRef<uint8_t> Bytes(Output, Size);
    if (MD5::hash(Bytes).low() != Header.Hash)
      return malformed(Object, "does not match its hash");
  }
  return std::move(Plain);
}

} // namespace kpack::offload
