//===- Outputs/OlderArchives.h - archives of an earlier build ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a binary is converted again for fewer targets, the archives of the dropped
// targets remain on its search path, and the new binary refuses them as
// archives of another build. Those that belong to the replaced binary are
// removed with it. Other archives stay, since they may be in use. Sibling:
// ArchiveOwner.h, for archives that are written again.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_OLDERARCHIVES_H
#define KPACK_OUTPUTS_OLDERARCHIVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack {

/// A binary that exists already, and its archives.
struct OlderBuild {
  /// Its archive_id, or empty.
  std::string Id;
  /// The files on its search paths. Another directory may have archives of the
  /// same build, for another copy of the binary.
  std::vector<std::string> Archives;
};

/// The build that a new binary with the same kernel name replaces.
struct ReplacedBuild {
  std::string KernelName;
  OlderBuild Old;
  std::string NewId;
};

/// Returns the archives at \p Path, which contains @GFXARCH@, that the old
/// build finds and that have its code only. Skips the new archives \p Written.
/// Fails on an archive of neither build that the new binary would find; with \p
/// FindsDebug also on one with debug information.
llvm::Expected<std::vector<std::string>>
olderArchives(const std::string &Path, llvm::ArrayRef<std::string> Written,
              const ReplacedBuild &Build, bool FindsDebug);

} // namespace kpack

#endif // KPACK_OUTPUTS_OLDERARCHIVES_H
