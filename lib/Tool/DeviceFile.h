//===- DeviceFile.h - a file with its device code ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mapped file that a command was given by name, of any kind that
// Offload/DeviceCode.h reads. For a linked file it includes the containers that
// wrappers point to, the only source if section headers are stripped. Used by
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
  /// Sections in file order, then the parts outside of sections.
  offload::DeviceCode Code;
  /// Set for a linked ELF file.
  std::optional<HostBinary> Binary;
  /// The reason why a linked ELF file has no Binary: it is a core, or damaged.
  std::string BinaryProblem;

  /// True if the file is a binary with its device code in archives.
  bool hasMarker() const { return Binary && Binary->Ref; }
};

/// Opens a file; reads headers only. Problems of wrappers' targets and of the
/// marker go to \p OnError. Fails if the file is not regular, cannot be read or
/// is damaged as a whole.
llvm::Expected<DeviceFile>
openDeviceFile(const std::string &Path,
               llvm::function_ref<void(llvm::Error)> OnError);

} // namespace kpack::tool

#endif // KPACK_LIB_TOOL_DEVICEFILE_H
