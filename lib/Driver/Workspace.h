//===- Workspace.h - temporary folder, response files -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary directory that the destructor removes with all of its content. It
// is TMPDIR for the compilers, so that files of interrupted compilers are
// removed too.
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
  /// A path without '%', valid in this process and its children.
  std::string path() const { return Dir; }

  /// Returns \p Arguments, or the program and a response file if they exceed
  /// the system's limit.
  llvm::Expected<std::vector<std::string>>
  shorten(std::vector<std::string> Arguments);

  /// Copies our standard input to a file, for compiles that all read it.
  llvm::Expected<std::string> saveStdin();

  /// Returns our environment with TMPDIR set to the directory.
  std::vector<std::string> environment() const;

private:
  std::string Made; ///< the directory as created
  std::string Dir;  ///< the path in use
  UniqueFd Folder;  ///< descriptor in Dir; empty if Dir is Made
  unsigned ResponseFiles = 0;
};

} // namespace kpack::driver

#endif // KPACK_LIB_DRIVER_WORKSPACE_H
