//===- Unpack.h - conversion of host-only binaries to fat -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inverse of Convert.h and ld.kpack: writes a fat binary that every HIP
// runtime loads, with the code objects of the archives. The caller finds the
// archives.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_HOSTREWRITE_UNPACK_H
#define KPACK_HOSTREWRITE_UNPACK_H

#include "kpack/Archive/ArchiveReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::hostrewrite {

struct UnpackOptions {
  std::string Input;
  /// Not the input.
  std::string Output;
};

/// A code object in an archive, both of which outlive the call.
struct PackedObject {
  const ArchiveReader *Archive = nullptr;
  const ArchiveEntry *Entry = nullptr;
};

struct Unpacking {
  size_t WrapperCount = 0;
  /// Bytes of the file before and after, and of its device code.
  uint64_t InputSize = 0, OutputSize = 0, DeviceSize = 0;
  /// Whole messages about lost parts of the file, such as a signature.
  std::vector<std::string> Losses;
};

/// Writes the host-only file together with its device code. \p ObjectsOf
/// returns the code objects of an index in their final order. Owner,
/// permissions, extended attributes and times are the input's. The output
/// appears as a whole or not at all, and is equal for equal inputs.
///
/// After a success the process ignores interrupts, as after a link. Not
/// thread-safe. Fails if the input is no 64-bit program or library, is not
/// host-only or has no room for a program header, if archives cannot be read,
/// and if the output cannot be written.
llvm::Expected<Unpacking> unpackFile(
    const UnpackOptions &Options,
    llvm::function_ref<llvm::Expected<std::vector<PackedObject>>(uint32_t)>
        ObjectsOf);

/// Writes the code object that a reference (kpack/Archive/Marker.h) stands for,
/// or a bundle if \p Objects have several targets.
llvm::Expected<Unpacking> unpackReference(const UnpackOptions &Options,
                                          llvm::ArrayRef<PackedObject> Objects);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_UNPACK_H
