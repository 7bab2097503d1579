//===- Outputs/MadeFolders.h - folders of outputs ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever names an output in a folder that is not there wants the folder, too;
// but a command that fails has left nothing, no empty folders either. All
// writers of outputs make folders by this, the linker those of archives.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_OUTPUTS_MADEFOLDERS_H
#define KPACK_OUTPUTS_MADEFOLDERS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack {

/// To be made before, and to go after, what writes files into the folders.
class MadeFolders {
public:
  MadeFolders() = default;
  /// Those that nothing was put into go again.
  ~MadeFolders();
  MadeFolders(const MadeFolders &) = delete;
  MadeFolders &operator=(const MadeFolders &) = delete;

  /// Makes \p Folder and those around it where they are missing; "" is the
  /// current one.
  llvm::Error make(llvm::StringRef Folder);
  /// The same for the folder that the file \p Output is to be in. "-" is
  /// standard output.
  llvm::Error makeFor(llvm::StringRef Output);

  /// Whether make() has made \p Folder.
  bool has(llvm::StringRef Folder) const;

private:
  /// Each after the one that it is in.
  std::vector<std::string> Made;
};

} // namespace kpack

#endif // KPACK_OUTPUTS_MADEFOLDERS_H
