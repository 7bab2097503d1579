//===- PeHostFile.cpp - HostFile for Windows binaries ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements HostFile.h with the parts of this folder. The pointer of a wrapper
// is in the wrapper itself, and its base relocation stays valid. Sibling:
// Elf/ElfHostFile.cpp.
//
//===----------------------------------------------------------------------===//
#include "../HostFile.h"

#include "BaseRelocations.h"
#include "Offload/HipSymbols.h"
#include "PeRewrite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace kpack::hostrewrite {

using offload::PeImage;

namespace {
class PeHostFile : public HostFile {
public:
  explicit PeHostFile(PeImage Read) : Image(std::move(Read)) {}
  Error read();

  InputKind kind() const override { return Kind; }
  ArrayRef<offload::Wrapper> wrappers() const override { return Wrappers; }
  Expected<std::vector<uint64_t>> readPointers() override;
  std::optional<StringRef> bytesAt(uint64_t Address,
                                   uint64_t Size) const override;
  Expected<CodePlace> planHostOnly(uint64_t MarkerSize,
                                   LayoutKind Kind) override;
  Error writeHostOnly(StringRef Marker, raw_pwrite_stream &OS) override;
  Expected<uint64_t> planFat(uint64_t CodeSize) override;
  Error writeFat(ArrayRef<uint64_t> Places,
                 function_ref<Error(raw_ostream &)> WriteCode,
                 raw_pwrite_stream &OS) override;
  std::vector<std::string> losses() const override;
  StringRef hostTriple() const override {
    return Image.Header.Machine == COFF::IMAGE_FILE_MACHINE_ARM64
               ? "aarch64-pc-windows-msvc"
               : "x86_64-pc-windows-msvc";
  }

private:
  bool isDebugFile() const;
  uint64_t insertedAddress() const {
    return Image.Optional.ImageBase + Plan.InsertedRva;
  }

  PeImage Image;
  InputKind Kind = InputKind::NoDeviceCode;
  std::vector<offload::Wrapper> Wrappers;
  std::optional<size_t> Device;
  PeLayout Plan;
};
} // namespace

/// Output of objcopy --only-keep-debug has sections without contents.
bool PeHostFile::isDebugFile() const {
  for (const PeImage::Section &S : Image.Sections)
    if (Image.isNamed(S, offload::WrapperSectionName))
      return S.VirtualSize != 0 && Image.contents(S).empty();
  return false;
}

Error PeHostFile::read() {
  if (isDebugFile()) {
    Kind = InputKind::DebugFile;
    return Error::success();
  }
  Expected<offload::LinkedBinary> Linked = offload::readLinkedBinary(
      MemoryBufferRef(Image.Bytes, Image.Name), Image.Name);
  if (!Linked)
    return Linked.takeError();
  Wrappers = std::move(Linked->Wrappers);
  if (Wrappers.empty() && Linked->FatBinSize != 0)
    return Image.error("device code, but no wrapper that leads to it; convert "
                       "the file as its linker has left it");
  if (Error E = kindByWrappers(Wrappers, Image.Name).moveInto(Kind))
    return E;
  return findSection(Image, offload::FatBinSectionName).moveInto(Device);
}

Expected<std::vector<uint64_t>> PeHostFile::readPointers() {
  const PeImage::Section *Code =
      Device && Kind == InputKind::Fat ? &Image.Sections[*Device] : nullptr;
  return readPePointers(Image, Wrappers, Code);
}

std::optional<StringRef> PeHostFile::bytesAt(uint64_t Address,
                                             uint64_t Size) const {
  std::optional<uint64_t> Offset =
      Image.offsetOf(Address - Image.Optional.ImageBase, Size);
  if (!Offset)
    return std::nullopt;
  return Image.Bytes.substr(*Offset, Size);
}

Expected<CodePlace> PeHostFile::planHostOnly(uint64_t MarkerSize,
                                             LayoutKind Kind) {
  if (Kind == LayoutKind::Compact)
    return Image.error("cannot be made compact: it is a Windows file, whose "
                       "linkers leave no relocations of code; convert it with "
                       "--keep-layout");
  if (!Device)
    return Image.error("wrappers, but no section .hip_fat that they point to; "
                       "convert the file as its linker has left it");
  if (Error E =
          hostrewrite::planHostOnly(Image, *Device, MarkerSize).moveInto(Plan))
    return std::move(E);
  const PeImage::Section &Code = Image.Sections[*Device];
  return CodePlace{Image.contents(Code),
                   Image.Optional.ImageBase + Code.VirtualAddress};
}

static std::string wrapperBytes(uint32_t Magic, uint64_t Pointer,
                                uint64_t Index) {
  std::string Bytes(offload::WrapperSize, '\0');
  write32le(Bytes.data(), Magic);
  write32le(Bytes.data() + 4, offload::WrapperVersion);
  write64le(Bytes.data() + offload::WrapperPointerOffset, Pointer);
  write64le(Bytes.data() + offload::WrapperReservedOffset, Index);
  return Bytes;
}

Error PeHostFile::writeHostOnly(StringRef Marker, raw_pwrite_stream &OS) {
  PePatches Patches;
  for (const auto &[I, W] : enumerate(Wrappers))
    Patches[W.FileOffset] =
        wrapperBytes(offload::WrapperMagicKpack, insertedAddress(), I);
  return rewritePe(
      Image, Plan, std::move(Patches),
      [&](raw_ostream &Stream) {
        Stream << Marker;
        return Error::success();
      },
      OS);
}

Expected<uint64_t> PeHostFile::planFat(uint64_t CodeSize) {
  if (Error E = hostrewrite::planFat(Image, CodeSize).moveInto(Plan))
    return std::move(E);
  return insertedAddress();
}

Error PeHostFile::writeFat(ArrayRef<uint64_t> Places,
                           function_ref<Error(raw_ostream &)> WriteCode,
                           raw_pwrite_stream &OS) {
  PePatches Patches;
  for (const auto &[W, Place] : zip_equal(Wrappers, Places))
    Patches[W.FileOffset] =
        wrapperBytes(offload::WrapperMagicFat, insertedAddress() + Place, 0);
  return rewritePe(Image, Plan, std::move(Patches), WriteCode, OS);
}

std::vector<std::string> PeHostFile::losses() const {
  if (!Plan.LosesSignature)
    return {};
  bool IsForced = Image.Optional.DLLCharacteristics &
                  COFF::IMAGE_DLL_CHARACTERISTICS_FORCE_INTEGRITY;
  return {Image.Name +
          ": its signature is of the file as it was, and is left "
          "out; " +
          (IsForced ? "sign it again, without that Windows does not load it"
                    : "sign it again")};
}

Expected<std::unique_ptr<HostFile>> openPe(StringRef Bytes, StringRef Name) {
  Expected<PeImage> Image = PeImage::read(Bytes, Name);
  if (!Image)
    return Image.takeError();
  auto File = std::make_unique<PeHostFile>(std::move(*Image));
  if (Error E = File->read())
    return std::move(E);
  return std::move(File);
}

} // namespace kpack::hostrewrite
