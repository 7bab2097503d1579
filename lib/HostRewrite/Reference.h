//===- Reference.h - a marker, and files that are one -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How what is written here says where its device code is: a marker that leads
// from the output to the archives. In a binary it becomes a section; of a code
// object of a kernel database, it is all that is left (docs/format/marker.md).
// Users: Convert.cpp and PackTree.cpp; the way back is in Unpack.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_REFERENCE_H
#define KPACK_LIB_HOSTREWRITE_REFERENCE_H

#include "Offload/DeviceDebug.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::hostrewrite {

struct MarkerFacts {
  std::string KernelName;
  std::string ArchiveId;
  /// With @GFXARCH@ in it.
  std::string ArchivePath;
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
  /// That there is code for.
  std::vector<std::string> Targets;
  BuiltCode Built;
};

/// The bytes of the marker of a file that has the names \p Names. Those in one
/// folder share their way to the archives.
llvm::Expected<std::string> makeMarkerFor(llvm::ArrayRef<std::string> Names,
                                          const MarkerFacts &Facts);

/// Writes \p Output, which stands for the code objects of the file behind
/// \p Input and has its attributes. The number of bytes.
llvm::Expected<uint64_t> writeReference(int Input, const std::string &Output,
                                        llvm::StringRef Marker);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_REFERENCE_H
