//===- WrapperBundle.cpp - the code objects of a wrapper ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WrapperBundle.h. An entry without bytes (for a target that a translation
// unit has no code for) is skipped, as it could not be loaded.
//
//===----------------------------------------------------------------------===//
#include "WrapperBundle.h"

#include "Offload/CheckCodeObject.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace kpack::hostrewrite {

Expected<offload::Container> DeviceCode::find(uint64_t Pointer) const {
  if (Pointer < Address || Pointer - Address >= Section.size())
    return objectError(Name, "a wrapper points to 0x" + utohexstr(Pointer) +
                                 " and not into .hip_fatbin; convert the file "
                                 "as its linker has left it");
  return offload::readContainer(Section.drop_front(Pointer - Address), Name);
}

Error DeviceCode::stream(uint64_t Pointer,
                         function_ref<Error(offload::StreamedImage)> Use,
                         function_ref<void(StringRef)> OnRead) {
  Expected<offload::Container> Container = find(Pointer);
  if (!Container)
    return Container.takeError();
  Expected<std::unique_ptr<offload::ImageStream>> Images =
      offload::ImageStream::open(*Container, Name);
  if (!Images)
    return Images.takeError();
  for (uint64_t Known = 0;;) {
    Expected<std::optional<offload::StreamedImage>> Image = (*Images)->next();
    if (!Image)
      return Image.takeError();
    uint64_t Read = (*Images)->consumed();
    OnRead(Container->Bytes.slice(Known, Read));
    Known = Read;
    if (!*Image)
      return Error::success();
    if ((*Image)->Bytes.empty())
      continue;
    if (Error E = Use(std::move(**Image)))
      return E;
  }
}

Expected<ArrayRef<offload::DeviceImage>> DeviceCode::at(uint64_t Pointer) {
  if (LastPointer == Pointer)
    return Last.Images;
  Expected<offload::Container> Container = find(Pointer);
  if (!Container)
    return Container.takeError();
  Expected<offload::OpenContainer> Opened =
      offload::openContainer(*Container, Name);
  if (!Opened)
    return Opened.takeError();
  Last = std::move(*Opened);
  llvm::erase_if(Last.Images, [](const offload::DeviceImage &Image) {
    return Image.Bytes.empty();
  });
  LastPointer = Pointer;
  return Last.Images;
}

bool DeviceCode::startsAt(StringRef Bytes) {
  return offload::startsContainer(Bytes);
}

Expected<uint64_t> DeviceCode::sizeOf(StringRef Bytes, StringRef Name) {
  Expected<offload::Container> Found = offload::readContainer(Bytes, Name);
  if (!Found)
    return Found.takeError();
  return Found->Bytes.size();
}

std::string findDamage(const offload::DeviceImage &Image) {
  if (!Image.Bytes.starts_with(ELF::ElfMagic))
    return "";
  std::vector<std::string> Problems =
      offload::codeObjectProblems(Image.Bytes, Image.Target);
  return Problems.empty() ? "" : std::move(Problems.front());
}

} // namespace kpack::hostrewrite
