//===- Workspace.h - private directory and long commands --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary directory that is gone with the object, whatever is in it. It is
// TMPDIR for the compilers, so that what they leave behind when they are ended
// in the middle of their work goes too.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_DRIVER_WORKSPACE_H
#define KPACK_LIB_DRIVER_WORKSPACE_H

#include "kpack/Support/UniqueFd.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace kpack::driver {

class Workspace {
public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  llvm::Error create();
  /// A path without '%', for this process and those that it starts.
  std::string path() const { return Dir; }

  /// \p Arguments, or program and response file when they would be longer
  /// than what the system passes to a program.
  llvm::Expected<std::vector<std::string>>
  shorten(std::vector<std::string> Arguments);

  /// Our standard input, copied to a file, for compiles that all read it.
  llvm::Expected<std::string> saveStdin();

  /// Our environment with TMPDIR set to the directory.
  std::vector<std::string> environment() const;

private:
  std::string Made; ///< the directory, as it was made
  std::string Dir;  ///< as it is used
  UniqueFd Folder;  ///< that Dir leads to; none: Dir is Made
  unsigned ResponseFiles = 0;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_WORKSPACE_H
