//===- Support/OutputPlace.h - real path and mode of an output --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writing a file under a temporary name and renaming it would lose the old
// file's permissions and symbolic link. This header finds both, and removes the
// temporary files of killed writers. All writers of outputs share it:
// OutputFile.h, and the linker for files that lld writes
// (lib/Outputs/PendingFile.cpp).
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
  /// The requested name, for messages.
  std::string Name;
  /// The path to replace: the name after symbolic links at its end. The file
  /// need not exist.
  std::string Path;
  /// Permission bits of the existing file, without set-id bits.
  std::optional<mode_t> Mode;
  /// Other users whose links were followed, without root.
  std::vector<uid_t> LinkOwners = {};
};

/// Follows the links of \p Name. IoError if it leads to an existing file that
/// is not regular, which a rename would replace; through another user's link in
/// a world-writable folder, which the system does not follow either
/// (fs.protected_symlinks); or through a link to a file that the link's owner
/// does not own.
Result<OutputPlace> findOutputPlace(const std::string &Name);

/// A place in a folder that cannot be exchanged.
struct HeldPlace {
  /// OutputPlace's path; through Folder if that is open.
  std::string Path;
  /// Open if others could replace the folder meanwhile.
  UniqueFd Folder;
};

/// Opens the folder of a place. IoError if, for root, the path leads through
/// another user's link to a folder that this user does not own, or if the links
/// of findOutputPlace() now lead to a file that their owner does not own. Needs
/// /proc to hold a folder.
Result<HeldPlace> holdPlace(const OutputPlace &Place);

/// Returns "<Path>.tmp<process id>-", the prefix of temporary files beside \p
/// Path. Digits and a to f follow, and then nothing or a dot and any text.
std::string temporaryStem(const std::string &Path);

/// Removes the temporary files beside \p Path that have its prefix, belong to
/// this user, and whose process has ended. Reads the whole folder, so it suits
/// the outputs of a command, not thousands of small files in one folder.
void removeLeftovers(const std::string &Path);

} // namespace kpack

#endif // KPACK_SUPPORT_OUTPUTPLACE_H
