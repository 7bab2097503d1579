//===- Outputs/OlderArchives.h - left by a build before ---------*- C++ -*-===//
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

/// A binary that is there already, and what it finds.
struct OlderBuild {
  /// Its archive_id; empty: there is none.
  std::string Id;
  /// Where its search paths lead. Another folder may have archives of the same
  /// build, which another copy of the binary uses.
  std::vector<std::string> Archives;
};

/// A binary that takes the place of another one with the same kernel name.
struct ReplacedBuild {
  std::string KernelName;
  OlderBuild Old;
  std::string NewId;
};

/// The archives at \p Path, with @GFXARCH@ in it, that the old build finds and
/// that have its code and nothing else. \p Written are new and not looked at.
/// The error names an archive of neither build that the new binary would find;
/// so it does for debug information where \p FindsDebug says that it is looked
/// for.
llvm::Expected<std::vector<std::string>>
olderArchives(const std::string &Path, llvm::ArrayRef<std::string> Written,
              const ReplacedBuild &Build, bool FindsDebug);

} // namespace kpack

#endif // KPACK_OUTPUTS_OLDERARCHIVES_H
