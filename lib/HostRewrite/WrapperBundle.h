//===- WrapperBundle.h - the code objects of a wrapper ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the bundle of a wrapper, found by the wrapper's pointer and never by
// its index among the wrappers (reference defect D4). Only this file of the
// folder knows the format of offload bundles.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_WRAPPERBUNDLE_H
#define KPACK_LIB_HOSTREWRITE_WRAPPERBUNDLE_H

#include "Offload/ImageStream.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace kpack::hostrewrite {

/// The bundles of a section. Wrappers that share a bundle (-fgpu-rdc) are
/// adjacent, so only the last bundle is cached.
class DeviceCode {
public:
  /// \p Section holds the bytes at \p Address. Messages call the file \p Name.
  /// All must outlive the object.
  DeviceCode(llvm::StringRef Section, uint64_t Address, llvm::StringRef Name)
      : Section(Section), Address(Address), Name(Name) {}

  /// Returns the code objects of the bundle at \p Pointer, valid until the next
  /// call. Fails if there is no bundle, or a damaged one.
  llvm::Expected<llvm::ArrayRef<offload::DeviceImage>> at(uint64_t Pointer);

  /// Passes the code objects of the bundle at \p Pointer to \p Use one after
  /// another, and keeps none itself. \p OnRead gets each part of the section
  /// that was read, once. Fails as at(), possibly after some calls of \p Use,
  /// and with errors of \p Use.
  llvm::Error
  stream(uint64_t Pointer,
         llvm::function_ref<llvm::Error(offload::StreamedImage)> Use,
         llvm::function_ref<void(llvm::StringRef)> OnRead);

  /// True if \p Bytes begin with a bundle.
  static bool startsAt(llvm::StringRef Bytes);

  /// Returns the size of the bundle at the start of \p Bytes.
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

/// Returns the reason why loaders refuse \p Image, an ELF file, and `kpack
/// verify` refuses an archive with it. Empty if it is well-formed or not ELF.
std::string findDamage(const offload::DeviceImage &Image);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_WRAPPERBUNDLE_H
