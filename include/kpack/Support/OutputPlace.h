//===- kpack/Support/OutputPlace.h - what an output replaces ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that is written under a temporary name and renamed would lose what
// the old one had besides its bytes: its permissions, and that its name was a
// symbolic link. This says what has to stay, and removes the temporary files
// of writers that were killed. All writers of outputs share it: OutputFile.h,
// and the linker for files that lld writes (lib/Outputs/PendingFile.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_SUPPORT_OUTPUTPLACE_H
#define KPACK_SUPPORT_OUTPUTPLACE_H

#include "kpack/Support/Status.h"
#include "kpack/Support/UniqueFd.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kpack {

struct OutputPlace {
  /// The name that was asked for, which messages say.
  std::string Name;
  /// What is to be replaced: the name with symbolic links at its end followed.
  /// The file need not exist.
  std::string Path;
  /// Permission bits, without set-id bits, of the file that is there.
  std::optional<mode_t> Mode;
  /// Other users whose links were followed, root not among them.
  std::vector<uid_t> LinkOwners = {};
};

/// Follows the links of \p Name. IoError: it leads to something that is there
/// and is not a regular file, which a rename would replace; or through a link
/// that somebody else has put into a folder where all may write, which the
/// system does not follow either (fs.protected_symlinks), or that leads to what
/// is not the link's owner's.
Result<OutputPlace> findOutputPlace(const std::string &Name);

/// A place whose folder stays the same one.
struct HeldPlace {
  /// OutputPlace's path; through Folder where that is open.
  std::string Path;
  /// Open where others could put another folder in its place meanwhile.
  UniqueFd Folder;
};

/// IoError: for root, the way there leads through a link of another user to a
/// folder that is not that user's; the links of findOutputPlace() lead by now
/// to what is not their owner's. Needs /proc to hold a folder.
Result<HeldPlace> holdPlace(const OutputPlace &Place);

/// "<Path>.tmp<process id>-": what the names of temporary files beside \p Path
/// begin with. The rest is digits and a to f, and then nothing or a dot and
/// anything.
std::string temporaryStem(const std::string &Path);

/// Removes the temporary files beside \p Path that are named after it, are
/// this user's, and whose process is gone. Reads the whole folder: for the
/// outputs of a command, not for thousands of small files in one folder.
void removeLeftovers(const std::string &Path);

} // namespace kpack

#endif // KPACK_SUPPORT_OUTPUTPLACE_H
