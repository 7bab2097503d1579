//===- DeviceFile.h - a file and the device code in it ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a command is given by name: any file that Offload/DeviceCode.h
// reads, mapped, and of a linked one what its wrappers point to as well, which
// is all that there is where section headers are stripped. Users:
// InspectFile.cpp and ReportFiles.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_TOOL_DEVICEFILE_H
#define KPACK_LIB_TOOL_DEVICEFILE_H

#include "Offload/DeviceCode.h"
#include "Tool/HostBinary.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kpack::tool {

struct DeviceFile {
  std::string Path;
  std::unique_ptr<llvm::MemoryBuffer> File;
  /// In the order of the file, and then what no section has.
  offload::DeviceCode Code;
  /// Of a linked ELF file.
  std::optional<HostBinary> Binary;
  /// Why there is no Binary although it is a linked ELF file: a core, or
  /// damaged.
  std::string BinaryProblem;

  /// Whether it is a binary whose device code is in archives.
  bool hasMarker() const { return Binary && Binary->Ref; }
};

/// Finding reads headers. Problems of what wrappers point to and of the marker
/// go to \p OnError. Errors: what is no regular file, cannot be read or is
/// damaged as a whole.
llvm::Expected<DeviceFile>
openDeviceFile(const std::string &Path,
               llvm::function_ref<void(llvm::Error)> OnError);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_DEVICEFILE_H
