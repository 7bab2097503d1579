//===- HostRewrite/Unpack.h - host-only to fat ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back from what Convert.h or ld.kpack has written: a fat binary that
// every HIP runtime loads, with the code objects of its archives. Where the
// archives are is the caller's business.
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
  /// In bytes: of the file before and after, and of its device code.
  uint64_t InputSize = 0, OutputSize = 0, DeviceSize = 0;
  /// What of the file could not be kept, a signature for one: whole messages.
  std::vector<std::string> Losses;
};

/// Writes the host-only file with its device code inside: \p ObjectsOf is
/// asked for the code objects of each index, in the order that they are to
/// have. Owner, permissions, extended attributes and times are the input's. The
/// output appears as a whole or not at all, and is equal for equal inputs.
///
/// After a success the process ignores interrupts, as after a link; one call at
/// a time. Errors: no 64-bit program or library, one that is not host-only,
/// one without room for a program header; archives that cannot be read; an
/// output that cannot be written.
llvm::Expected<Unpacking> unpackFile(
    const UnpackOptions &Options,
    llvm::function_ref<llvm::Expected<std::vector<PackedObject>>(uint32_t)>
        ObjectsOf);

/// The same for a reference (kpack/Archive/Marker.h): writes the code object
/// that it stands for, or a bundle where \p Objects are of several targets.
llvm::Expected<Unpacking> unpackReference(const UnpackOptions &Options,
                                          llvm::ArrayRef<PackedObject> Objects);

} // namespace kpack::hostrewrite

#endif // KPACK_HOSTREWRITE_UNPACK_H
