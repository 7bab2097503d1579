//===- Bundles.cpp - .hip_fatbin contents from archives -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The offsets in a bundle's header have a fixed width, so its size is measured
// with zeros for them. The first entry is the host's and empty, as in clang's
// bundles.
//
//===----------------------------------------------------------------------===//
#include "Bundles.h"

#include "Archive/LimitedRead.h"
#include "Support/BundleHeader.h"
#include "ToolSupport/Errors.h"
#include "WrapperBundle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace kpack::hostrewrite {

static std::string nameOf(const PackedObject &Object) {
  return Object.Archive->path() + ": " + Object.Entry->describe();
}

Expected<uint64_t> Bundles::add(std::vector<PackedObject> Objects) {
  constexpr uint64_t Most = uint64_t(1) << 46; // more than can be mapped
  Key K;
  for (const PackedObject &Object : Objects)
    K.emplace_back(Object.Entry->Arch, Object.Archive, Object.Entry->Ordinal,
                   Object.Entry->OriginalSize);
  auto [Known, IsNew] = Offsets.try_emplace(std::move(K), Size);
  if (!IsNew)
    return Known->second;
  std::vector<BundleEntry> Entries = {{HostEntry}};
  for (const PackedObject &Object : Objects)
    Entries.push_back({deviceEntryId(std::string(Object.Entry->Arch)), 0,
                       Object.Entry->OriginalSize});
  uint64_t End = alignTo(bundleHeader(Entries).size(), Alignment);
  Bundle B{Size, std::move(Objects), {}, {}};
  for (BundleEntry &Entry : Entries) {
    Entry.Offset = alignTo(End, Alignment);
    if (Entry.Size > Most || Size + Entry.Offset + Entry.Size > Most)
      return objectError(nameOf(B.Objects.front()),
                         "the code is larger than a program can be; it is "
                         "damaged, get it again");
    End = Entry.Offset + Entry.Size;
    B.Places.push_back(Entry.Offset);
  }
  B.Places.erase(B.Places.begin());
  B.Header = bundleHeader(Entries);
  Size += alignTo(End, Alignment);
  All.push_back(std::move(B));
  return Known->second;
}

/// Returns the bytes of \p Object; their number is checked against the archive.
static Expected<Buffer> read(const PackedObject &Object) {
  Result<Buffer> Bytes = readLimited(*Object.Archive, *Object.Entry);
  if (!Bytes)
    return toError(Bytes.status());
  if (Bytes->bytes().size() != Object.Entry->OriginalSize)
    return objectError(nameOf(Object), "not as large as its archive says; it "
                                       "is damaged, get it again");
  return std::move(*Bytes);
}

Error Bundles::write(raw_ostream &OS) const {
  uint64_t Start = OS.tell();
  auto PadTo = [&](uint64_t Offset) {
    OS.write_zeros(Start + Offset - OS.tell());
  };
  for (const Bundle &B : All) {
    PadTo(B.Offset);
    OS << B.Header;
    for (const auto &[Object, Place] : zip_equal(B.Objects, B.Places)) {
      Expected<Buffer> Bytes = read(Object);
      if (!Bytes)
        return Bytes.takeError();
      PadTo(B.Offset + Place);
      OS << StringRef(Bytes->bytes());
    }
  }
  PadTo(Size);
  return Error::success();
}

Error Bundles::verify(StringRef Section, StringRef Name) const {
  DeviceCode Code(Section, /*Address=*/0, Name);
  for (const Bundle &B : All) {
    Expected<ArrayRef<offload::DeviceImage>> Images = Code.at(B.Offset);
    if (!Images)
      return Images.takeError();
    // An entry without bytes is no code object.
    std::vector<PackedObject> Wanted = B.Objects;
    llvm::erase_if(Wanted, [](const PackedObject &Object) {
      return Object.Entry->OriginalSize == 0;
    });
    bool IsSame = Images->size() == Wanted.size();
    for (size_t I = 0; IsSame && I != Wanted.size(); ++I) {
      Expected<Buffer> Bytes = read(Wanted[I]);
      if (!Bytes)
        return Bytes.takeError();
      IsSame = (*Images)[I].Target == Wanted[I].Entry->Arch &&
               (*Images)[I].Bytes == StringRef(Bytes->bytes());
    }
    if (!IsSame)
      return objectError(Name, "a bundle would not have the code objects of "
                               "its archives; keep the archives, and report "
                               "this");
  }
  return Error::success();
}

} // namespace kpack::hostrewrite
