//===- MarkerReference.h - markers and marker-only files --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the marker that leads from an output to its archives. In a binary the
// marker becomes a section; for a code object of a kernel database, a file with
// only the marker replaces the code object (docs/format/marker.md). Used by
// Convert.cpp and PackDatabases.cpp; Unpack.h has the inverse.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_MARKERREFERENCE_H
#define KPACK_LIB_HOSTREWRITE_MARKERREFERENCE_H

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
  /// Contains @GFXARCH@.
  std::string ArchivePath;
  offload::DeviceDebug Debug = offload::DeviceDebug::Keep;
  /// Targets of the code objects.
  std::vector<std::string> Targets;
  BuiltCode Built;
};

/// Returns the marker of a file with the names \p Names. Names in one folder
/// share their search paths to the archives.
llvm::Expected<std::string> makeMarkerFor(llvm::ArrayRef<std::string> Names,
                                          const MarkerFacts &Facts);

/// Writes \p Output, which replaces the code objects of the file open as
/// \p Input and has its attributes. Returns the number of bytes.
llvm::Expected<uint64_t> writeReference(int Input, const std::string &Output,
                                        llvm::StringRef Marker);

} // namespace kpack::hostrewrite

#endif // KPACK_LIB_HOSTREWRITE_MARKERREFERENCE_H
