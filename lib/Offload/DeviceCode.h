//===- Offload/DeviceCode.h - all device code of a file ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the device code of any file: a program or library with .hip_fatbin, an
// object file (.kpack.devobj, .llvm.offloading, the sections of -fgpu-rdc,
// bitcode with a payload), a static library of these, a .kpack archive, or bare
// containers (.co, .hsaco, CCOB, bundles). findDeviceCode() reads headers;
// forEachImage() reads, and decompresses, one part. FatBinary.h has the formats
// of parts. References to archives are not included: see
// kpack/Archive/Marker.h.
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
  Other,         ///< cannot contain device code
  Containers,    ///< bare containers
  Object,        ///< ELF or COFF that is not linked, or bitcode
  Linked,        ///< ELF or PE program or library
  StaticLibrary, ///< .a
  KpackArchive,
};

/// A piece of device code in a file.
struct DevicePart {
  enum FormKind {
    InContainer,  ///< Code is a container
    RdcImage,     ///< Code.Bytes is one image of -fgpu-rdc, for Target
    ArchiveEntry, ///< Entry of the archive
  } Form = InContainer;
  /// Member of a static library, "k.o"; else empty.
  std::string Member;
  /// ".hip_fatbin"; empty if the file itself is the container.
  std::string Section;
  /// Offset in the file, in bytes.
  uint64_t Offset = 0;
  /// Size in the file, and decompressed, in bytes.
  uint64_t Size = 0, PlainSize = 0;
  Container Code;
  std::string Target;
  const kpack::ArchiveEntry *Entry = nullptr;
};

struct DeviceCode {
  DeviceFileKind Kind = DeviceFileKind::Other;
  /// In file order; for an archive, in the order of its entries.
  std::vector<DevicePart> Parts;
  /// The reader that owns Entry, for KpackArchive.
  std::unique_ptr<const kpack::ArchiveReader> Archive;
};

/// Finds all device code of \p File, which must outlive the result. \p Name is
/// its name in messages. A file without device code gives no parts. Fails on
/// damaged containers or tables and on thin static libraries.
llvm::Expected<DeviceCode> findDeviceCode(llvm::MemoryBufferRef File,
                                          llvm::StringRef Name);

/// Calls \p Use with each image of a part, in order. May be called from several
/// threads. Fails like the forEachImage() of ImageStream.h.
llvm::Error forEachImage(const DeviceCode &Code, const DevicePart &Part,
                         llvm::StringRef Name,
                         llvm::function_ref<llvm::Error(StreamedImage)> Use);

} // namespace kpack::offload

#endif // KPACK_OFFLOAD_DEVICECODE_H
