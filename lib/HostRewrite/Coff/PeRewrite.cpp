//===- PeRewrite.cpp - writer of a converted Windows file -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These fields have file offsets: section headers, the pointer to the symbols
// that MinGW's linker writes, the pointers to line numbers in symbols, and the
// entries of the debug directory, beside their addresses. Symbols have section
// numbers. All other references are addresses. The checksum is the sum of the
// 16-bit words with end-around carry, plus the size.
//
//===----------------------------------------------------------------------===//
#include "PeRewrite.h"

#include "llvm/Support/Endian.h"

#include <cstring>

using namespace llvm;
using namespace llvm::object;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

using offload::PeImage;

namespace {
/// A stream that computes the checksum of the bytes passed through.
class SummingStream : public raw_ostream {
public:
  SummingStream(raw_ostream &Output, bool Sums)
      : raw_ostream(/*unbuffered=*/true), To(Output), Sums(Sums) {}
  uint32_t checksum() const;

private:
  void write_impl(const char *Bytes, size_t Size) override;
  uint64_t current_pos() const override { return Size; }

  raw_ostream &To;
  const bool Sums;
  uint64_t Size = 0, Sum = 0;
};

class PeRewriter {
public:
  PeRewriter(const PeImage &Image, const PeLayout &Plan, PePatches Patches)
      : Image(Image), Plan(Plan), Patches(std::move(Patches)) {}
  Error run(function_ref<Error(raw_ostream &)> WriteInserted,
            raw_pwrite_stream &OS);

private:
  Error patchDebugDirectory();
  Error patchLineNumbers();
  void patchSectionNumbers();
  void forEachSymbol(
      function_ref<void(uint64_t Offset, const coff_symbol16 &Symbol)> Use)
      const;
  Error checkPatches() const;
  Expected<std::string> makeHeaders() const;
  void writePiece(Range Old, raw_ostream &OS) const;
  Error moved(uint32_t Offset, uint64_t FieldOffset);

  const PeImage &Image;
  const PeLayout &Plan;
  PePatches Patches;
};
} // namespace

void SummingStream::write_impl(const char *Bytes, size_t Count) {
  To.write(Bytes, Count);
  const char *End = Bytes + Count;
  uint64_t Offset = Size;
  Size += Count;
  if (!Sums)
    return;
  auto AddByte = [&] {
    Sum += uint64_t(uint8_t(*Bytes++)) << (Offset++ % 2 * 8);
  };
  if (Offset % 2 != 0 && Bytes != End)
    AddByte();
  // No overflow: a file has less than 2^32 bytes.
  for (; End - Bytes >= 2; Bytes += 2)
    Sum += read16le(Bytes);
  if (Bytes != End)
    AddByte();
}

uint32_t SummingStream::checksum() const {
  uint64_t Folded = Sum;
  while (Folded > UINT16_MAX)
    Folded = (Folded & UINT16_MAX) + (Folded >> 16);
  return Folded + Size;
}

/// Patches the file offset \p Offset, stored at \p FieldOffset, to its new
/// value.
Error PeRewriter::moved(uint32_t Offset, uint64_t FieldOffset) {
  std::optional<uint64_t> New = Plan.newOffset(Offset);
  // An offset outside of the file is left as it is.
  if (Offset == 0 || Offset >= Image.Bytes.size())
    return Error::success();
  if (!New)
    return Image.damaged("a table leads into its device code");
  std::string Bytes(sizeof(uint32_t), '\0');
  write32le(Bytes.data(), *New);
  Patches[FieldOffset] = std::move(Bytes);
  return Error::success();
}

Error PeRewriter::patchDebugDirectory() {
  data_directory Debug = Image.directory(COFF::DEBUG_DIRECTORY);
  uint64_t Count = Debug.Size / sizeof(debug_directory);
  if (Debug.RelativeVirtualAddress == 0 || Count == 0)
    return Error::success();
  std::optional<uint64_t> Position = Image.offsetOf(
      Debug.RelativeVirtualAddress, Count * sizeof(debug_directory));
  if (!Position)
    return Image.damaged("its debug directory is not in the file");
  for (uint64_t I = 0; I != Count; ++I, *Position += sizeof(debug_directory)) {
    uint64_t Field = *Position + offsetof(debug_directory, PointerToRawData);
    if (Error E = moved(read32le(Image.Bytes.data() + Field), Field))
      return E;
  }
  return Error::success();
}

/// Visits the symbols for tools; \p At is an offset in the old file.
void PeRewriter::forEachSymbol(
    function_ref<void(uint64_t Offset, const coff_symbol16 &Symbol)> Use)
    const {
  uint64_t Offset = Image.Header.PointerToSymbolTable;
  uint64_t Count = Image.Header.NumberOfSymbols;
  if (Offset == 0 || Offset > Image.Bytes.size())
    return;
  constexpr uint64_t Size = sizeof(coff_symbol16);
  Count = std::min(Count, (Image.Bytes.size() - Offset) / Size);
  for (uint64_t I = 0; I < Count; ++I) {
    coff_symbol16 Symbol;
    std::memcpy(&Symbol, Image.Bytes.data() + Offset + I * Size, Size);
    // Auxiliary records follow their symbol.
    if (Symbol.NumberOfAuxSymbols < Count - I)
      Use(Offset + I * Size, Symbol);
    I += Symbol.NumberOfAuxSymbols;
  }
}

/// Old compilers wrote line numbers, and function symbols point to theirs.
Error PeRewriter::patchLineNumbers() {
  bool HasSome = false;
  for (const PeImage::Section &S : Image.Sections)
    HasSome |= S.NumberOfLinenumbers != 0;
  if (!HasSome)
    return Error::success();
  Error Failed = Error::success();
  forEachSymbol([&](uint64_t Offset, const coff_symbol16 &Symbol) {
    bool IsFunction = Symbol.Type >> COFF::SCT_COMPLEX_TYPE_SHIFT ==
                      COFF::IMAGE_SYM_DTYPE_FUNCTION;
    uint64_t Field =
        Offset + sizeof(Symbol) +
        offsetof(coff_aux_function_definition, PointerToLinenumber);
    if (IsFunction && Symbol.NumberOfAuxSymbols != 0)
      Failed = joinErrors(std::move(Failed),
                          moved(read32le(Image.Bytes.data() + Field), Field));
  });
  return Failed;
}

/// Section numbers begin at one; 0 and negative numbers name no section.
void PeRewriter::patchSectionNumbers() {
  if (Plan.DebugNumberShift == 0)
    return;
  forEachSymbol([&](uint64_t Offset, const coff_symbol16 &Symbol) {
    int64_t Index = int16_t(uint16_t(Symbol.SectionNumber));
    if (Index <= int64_t(Plan.FirstDebug) ||
        Index > int64_t(Image.Sections.size()))
      return;
    std::string Bytes(sizeof(uint16_t), '\0');
    write16le(Bytes.data(), uint16_t(Index + Plan.DebugNumberShift));
    Patches[Offset + offsetof(coff_symbol16, SectionNumber)] = std::move(Bytes);
  });
}

/// Checks that each patch covers bytes that stay, and stay adjacent.
Error PeRewriter::checkPatches() const {
  for (const auto &[Offset, New] : Patches) {
    std::optional<uint64_t> First = Plan.newOffset(Offset);
    std::optional<uint64_t> Last = Plan.newOffset(Offset + New.size() - 1);
    if (!First || !Last || *Last - *First != New.size() - 1)
      return Image.damaged("a table stands in its device code");
  }
  return Error::success();
}

/// Returns the new headers, without the checksum.
Expected<std::string> PeRewriter::makeHeaders() const {
  std::string Headers;
  raw_string_ostream Old(Headers);
  writePiece(Plan.Pieces.front().Old, Old);
  Headers.resize(Plan.HeadersSize);
  auto Put = [&](uint64_t Offset, const void *Source, size_t Size) {
    std::memcpy(Headers.data() + Offset, Source, Size);
  };
  coff_file_header Header = Image.Header;
  Header.NumberOfSections = Plan.Sections.size();
  if (uint32_t Symbols = Header.PointerToSymbolTable;
      Symbols != 0 && Symbols < Image.Bytes.size()) {
    std::optional<uint64_t> New = Plan.newOffset(Symbols);
    if (!New)
      return Image.damaged("its symbols stand in its device code");
    Header.PointerToSymbolTable = *New;
  }
  Put(Image.HeaderOffset, &Header, sizeof(Header));
  pe32plus_header Optional = Image.Optional;
  Optional.SizeOfImage = Plan.ImageSize;
  Optional.SizeOfHeaders = Plan.HeadersSize;
  Optional.SizeOfInitializedData = Plan.InitializedSize;
  Optional.CheckSum = 0;
  Put(Image.OptionalOffset, &Optional, sizeof(Optional));
  if (Plan.LosesSignature)
    std::memset(Headers.data() + Image.DirectoriesOffset +
                    COFF::CERTIFICATE_TABLE * sizeof(data_directory),
                0, sizeof(data_directory));
  // Clear the old section headers, in case there are fewer now.
  std::memset(Headers.data() + Image.TableOffset, 0,
              Image.Sections.size() * sizeof(PeImage::Section));
  Put(Image.TableOffset, Plan.Sections.data(),
      Plan.Sections.size() * sizeof(PeImage::Section));
  return std::move(Headers);
}

/// Writes bytes of the old file with patches applied.
void PeRewriter::writePiece(Range Old, raw_ostream &OS) const {
  uint64_t Offset = Old.Begin;
  for (auto I = Patches.lower_bound(Old.Begin);
       I != Patches.end() && I->first < Old.End; ++I) {
    if (I->first < Offset) // tables of a damaged file overlap
      continue;
    OS << Image.Bytes.slice(Offset, I->first) << I->second;
    Offset = I->first + I->second.size();
  }
  OS << Image.Bytes.slice(Offset, Old.End);
}

Error PeRewriter::run(function_ref<Error(raw_ostream &)> WriteInserted,
                      raw_pwrite_stream &OS) {
  if (Error E = patchDebugDirectory())
    return E;
  if (Error E = patchLineNumbers())
    return E;
  patchSectionNumbers();
  if (Error E = checkPatches())
    return E;
  Expected<std::string> Headers = makeHeaders();
  if (!Headers)
    return Headers.takeError();
  bool HasChecksum = Image.Optional.CheckSum != 0;
  uint64_t ChecksumAt =
      Image.OptionalOffset + offsetof(pe32plus_header, CheckSum);
  SummingStream Stream(OS, HasChecksum);
  Stream << *Headers;
  auto Insert = [&]() -> Error {
    Stream.write_zeros(Plan.InsertedAt - Stream.tell());
    if (Error E = WriteInserted(Stream))
      return E;
    uint64_t End = Plan.InsertedAt + Plan.InsertedSize;
    Stream.write_zeros(alignTo(End, uint64_t(Image.Optional.FileAlignment)) -
                       Stream.tell());
    return Error::success();
  };
  bool IsInserted = false;
  for (const PeLayout::Piece &P : ArrayRef(Plan.Pieces).drop_front()) {
    if (P.NewOffset > Plan.InsertedAt && !IsInserted) {
      IsInserted = true;
      if (Error E = Insert())
        return E;
    }
    writePiece(P.Old, Stream);
  }
  if (!IsInserted)
    if (Error E = Insert())
      return E;
  char Checksum[sizeof(uint32_t)];
  write32le(Checksum, HasChecksum ? Stream.checksum() : 0);
  OS.pwrite(Checksum, sizeof(Checksum), ChecksumAt);
  return Error::success();
}

Error rewritePe(const PeImage &Image, const PeLayout &Plan, PePatches Patches,
                function_ref<Error(raw_ostream &)> WriteInserted,
                raw_pwrite_stream &OS) {
  return PeRewriter(Image, Plan, std::move(Patches)).run(WriteInserted, OS);
}

} // namespace kpack::hostrewrite
