//===- MarkerObject.h - the object that defines the marker ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One relocatable object, the only member of an archive, holds the marker
// section and defines the symbols that refer to it. As an archive member it is
// linked only if a wrapper refers to it: a program without HIP code gets no
// marker.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_LINKER_MARKEROBJECT_H
#define KPACK_LIB_LINKER_MARKEROBJECT_H

#include "MemoryFile.h"

#include <set>

namespace kpack::linker {

struct MarkerSymbols {
  /// Hashes of the symbols __hip_fatbin_<h>, to which wrappers point; they are
  /// the start of the marker.
  std::set<uint64_t> Tokens;
  /// __hip_gpubin_handle_<h> of TUs that share one device link. They register
  /// once, so they share one slot.
  std::set<std::string> SharedHandles;
  /// The handles of all other TUs, with a slot each.
  std::set<std::string> OwnHandles;
};

/// Returns the object's bytes. \p Marker is the content of section
/// .rocm_kpack_ref; \p Machine is e_machine.
llvm::Expected<std::string> makeMarkerObject(llvm::StringRef Marker,
                                             const MarkerSymbols &Symbols,
                                             uint16_t Machine);

/// Returns an archive with this object, for lld.
llvm::Expected<MemoryFile> makeMarkerArchive(llvm::StringRef Object);

} // namespace kpack::linker

#endif // KPACK_LIB_LINKER_MARKEROBJECT_H
