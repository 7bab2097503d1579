//===- Offload/DeviceCode.h - all device code of a file ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where in a file device code is, whatever the file: a program or library with
// .hip_fatbin, an object file (.kpack.devobj, .llvm.offloading, the sections of
// -fgpu-rdc, bitcode with a payload), a static library of such, a .kpack
// archive, or containers alone (.co, .hsaco, CCOB, bundles). Finding reads
// headers; forEachImage() reads, and decompresses, one part. What a part looks
// like inside is FatBinary.h's. What a linked file refers to in archives is not
// in it: see kpack/Archive/Marker.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OFFLOAD_DEVICECODE_H
#define KPACK_OFFLOAD_DEVICECODE_H

#include "Offload/ImageStream.h"
#include "kpack/Archive/ArchiveReader.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <string>
#include <vector>

namespace kpack::offload {

enum class DeviceFileKind {
  Other,         ///< nothing that could hold device code
  Containers,    ///< containers and nothing around them
  Object,        ///< ELF or COFF that is not linked, or bitcode
  Linked,        ///< ELF or PE program or library
  StaticLibrary, ///< .a
  KpackArchive,
};

/// Device code that is found at one place.
struct DevicePart {
  enum FormKind {
    InContainer,  ///< Code is a container
    RdcImage,     ///< Code.Bytes is one image of -fgpu-rdc, for Target
    ArchiveEntry, ///< Entry of the archive
  } Form = InContainer;
  /// Of a static library, "k.o"; else empty.
  std::string Member;
  /// ".hip_fatbin"; empty where the file itself is the container.
  std::string Section;
  /// From the start of the file to the part.
  uint64_t Offset = 0;
  /// Bytes that it takes in the file, and those when it is decompressed.
  uint64_t Size = 0, PlainSize = 0;
  Container Code;
  std::string Target;
  const kpack::ArchiveEntry *Entry = nullptr;
};

struct DeviceCode {
  DeviceFileKind Kind = DeviceFileKind::Other;
  /// In the order of the file; of an archive, in that of its entries.
  std::vector<DevicePart> Parts;
  /// Of KpackArchive: what Entry points into.
  std::unique_ptr<const kpack::ArchiveReader> Archive;
};

/// All device code of \p File, which \p Name names in messages and which must
/// outlive the result. A file without any is no error: no parts. Errors:
/// containers or tables that are damaged; thin static libraries.
llvm::Expected<DeviceCode> findDeviceCode(llvm::MemoryBufferRef File,
                                          llvm::StringRef Name);

/// Gives \p Use the images of one part, one after the other. May be called from
/// several threads. Errors: as of the other forEachImage().
llvm::Error forEachImage(const DeviceCode &Code, const DevicePart &Part,
                         llvm::StringRef Name,
                         llvm::function_ref<llvm::Error(StreamedImage)> Use);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_DEVICECODE_H
