//===- ElfHostFile.cpp - HostFile for ELF binaries ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements HostFile.h with the parts of this folder, in the order of their
// dependencies. Sibling: Coff/PeHostFile.cpp.
//
//===----------------------------------------------------------------------===//
#include "../HostFile.h"

#include "AddSegment.h"
#include "FatFile.h"
#include "HostPlan.h"
#include "Rewrite.h"

using namespace llvm;

namespace kpack::hostrewrite {

namespace {
class ElfHostFile : public HostFile {
public:
  explicit ElfHostFile(FatFile Read) : File(std::move(Read)) {}

  InputKind kind() const override { return File.Kind; }
  ArrayRef<offload::Wrapper> wrappers() const override { return File.Wrappers; }
  Expected<std::vector<uint64_t>> readPointers() override;
  std::optional<StringRef> bytesAt(uint64_t Address,
                                   uint64_t Size) const override;
  Expected<CodePlace> planHostOnly(uint64_t MarkerSize,
                                   LayoutKind Kind) override;
  bool movesAddresses() const override { return Plan.movesAddresses(); }
  bool isCompact() const override { return Plan.isCompact(); }
  Error writeHostOnly(StringRef Marker, raw_pwrite_stream &OS) override;
  Expected<uint64_t> planFat(uint64_t CodeSize) override;
  Error writeFat(ArrayRef<uint64_t> Places,
                 function_ref<Error(raw_ostream &)> WriteCode,
                 raw_pwrite_stream &OS) override;
  StringRef hostTriple() const override { return "x86_64-unknown-linux-gnu"; }

private:
  FatFile File;
  PointerFacts Pointers;
  HostPlan Plan;
  AddedSegment Added;
  uint64_t CodeSize = 0;
};
} // namespace

Expected<std::vector<uint64_t>> ElfHostFile::readPointers() {
  if (Error E = hostrewrite::readPointers(File.View, File.Wrappers)
                    .moveInto(Pointers))
    return std::move(E);
  std::vector<uint64_t> All;
  for (const WrapperSite &Site : Pointers.Wrappers)
    All.push_back(Site.Pointer);
  return std::move(All);
}

std::optional<StringRef> ElfHostFile::bytesAt(uint64_t Address,
                                              uint64_t Size) const {
  std::optional<uint64_t> Offset = File.View.offsetOf(Address, Size);
  if (!Offset)
    return std::nullopt;
  return File.View.Bytes.substr(*Offset, Size);
}

Expected<CodePlace> ElfHostFile::planHostOnly(uint64_t MarkerSize,
                                              LayoutKind Kind) {
  if (Error E = planHost(File.View, Pointers, MarkerSize, Kind).moveInto(Plan))
    return std::move(E);
  const DeviceRange &Device = Plan.Layout.Device;
  return CodePlace{File.View.Bytes.slice(Device.File.Begin, Device.File.End),
                   Device.Address};
}

Error ElfHostFile::writeHostOnly(StringRef Marker, raw_pwrite_stream &OS) {
  return rewriteElf(File.View, Pointers, Plan.Layout, Plan.Fields, Marker, OS);
}

Expected<uint64_t> ElfHostFile::planFat(uint64_t Size) {
  CodeSize = Size;
  if (Error E = planSegment(File.View, Pointers).moveInto(Added))
    return std::move(E);
  return Added.dataAddress();
}

Error ElfHostFile::writeFat(ArrayRef<uint64_t> Places,
                            function_ref<Error(raw_ostream &)> WriteCode,
                            raw_pwrite_stream &OS) {
  return writeWithSegment(File.View, Pointers, Added, Places, CodeSize,
                          WriteCode, OS);
}

Expected<std::unique_ptr<HostFile>> openElf(StringRef Bytes, StringRef Name) {
  Expected<FatFile> File = readFatFile(Bytes, Name);
  if (!File)
    return File.takeError();
  return std::make_unique<ElfHostFile>(std::move(*File));
}

} // namespace kpack::hostrewrite
