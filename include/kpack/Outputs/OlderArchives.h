//===- kpack/Outputs/OlderArchives.h - left by a build before ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A binary is converted again, for fewer targets than before: the archives of
// the others are where the new binary looks, and it refuses them, as they are
// of another build. Those that belonged to the binary that is replaced go with
// it. Of all others nobody can know who uses them. Sibling: ArchiveOwner.h, for
// archives that are written again.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_OLDERARCHIVES_H
#define KPACK_OUTPUTS_OLDERARCHIVES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack {

/// A binary that takes another one's place.
struct ReplacedBuild {
  std::string KernelName;
  /// The archive_id of what is there, which has the same kernel name; empty:
  /// nothing is.
  std::string OldId;
  std::string NewId;
};

/// The archives at \p Path, with @GFXARCH@ in it, that have code of the old
/// build and of nothing else. \p Written are new and not looked at. The error
/// names an archive of neither build that the new binary would find; so it does
/// for debug information where \p FindsDebug says that it is looked for.
llvm::Expected<std::vector<std::string>>
olderArchives(const std::string &Path, llvm::ArrayRef<std::string> Written,
              const ReplacedBuild &Build, bool FindsDebug);

} // namespace kpack

#endif // KPACK_OUTPUTS_OLDERARCHIVES_H
