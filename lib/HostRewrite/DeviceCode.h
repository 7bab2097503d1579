//===- DeviceCode.h - the code objects behind a wrapper ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a wrapper points to, keyed by its pointer and never by its place among
// the wrappers (reference defect D4). The one file here that knows offload
// bundles.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_DEVICECODE_H
#define KPACK_LIB_HOSTREWRITE_DEVICECODE_H

#include "Offload/ImageStream.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace kpack::hostrewrite {

/// Bundles of one section. Wrappers that share a bundle (-fgpu-rdc) follow one
/// another, so only the last bundle is kept.
class DeviceCode {
public:
  /// \p Section are the bytes at address \p Address. \p Name is how messages
  /// call the file. All must outlive this.
  DeviceCode(llvm::StringRef Section, uint64_t Address, llvm::StringRef Name)
      : Section(Section), Address(Address), Name(Name) {}

  /// The code objects of the bundle at \p Pointer; valid until the next call.
  /// Errors: no bundle there, or one that is damaged.
  llvm::Expected<llvm::ArrayRef<offload::DeviceImage>> at(uint64_t Pointer);

  /// Gives \p Use the code objects of the bundle at \p Pointer one after the
  /// other, without keeping those that it does not keep. \p OnRead gets the
  /// parts of the section that were read, each once. Errors: as of at(),
  /// perhaps after \p Use has had code objects; and those of \p Use.
  llvm::Error
  stream(uint64_t Pointer,
         llvm::function_ref<llvm::Error(offload::StreamedImage)> Use,
         llvm::function_ref<void(llvm::StringRef)> OnRead);

  /// Whether \p Bytes begin with a bundle.
  static bool startsAt(llvm::StringRef Bytes);

  /// How many bytes the bundle at the start of \p Bytes takes.
  static llvm::Expected<uint64_t> sizeOf(llvm::StringRef Bytes,
                                         llvm::StringRef Name);

private:
  llvm::Expected<offload::Container> find(uint64_t Pointer) const;

  llvm::StringRef Section;
  uint64_t Address;
  llvm::StringRef Name;
  std::optional<uint64_t> LastPointer;
  offload::OpenContainer Last;
};

/// Why no loader takes \p Image, an ELF file, for which `kpack verify` refuses
/// the archive with it. Empty if it is well-formed, or no ELF file.
std::string damageOf(const offload::DeviceImage &Image);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_DEVICECODE_H
