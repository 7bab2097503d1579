//===- BundleProtocol.h - bundle requests as messages -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages between BundleTransfer.cpp and kpack-jit-remote. The two may be of
// different builds, so the first field holds the protocol's version.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_SERVICE_BUNDLEPROTOCOL_H
#define KPACK_JIT_SERVICE_BUNDLEPROTOCOL_H

#include "Jit/Store/Message.h"

#include <string>

namespace kpack::jit {

constexpr const char *BundleProtocol = "kpack-jit-bundle 1";

inline Message bundleQuestion(const char *Task, const std::string &Directory,
                              const std::string &Path) {
  Message M;
  M.add("bundle", BundleProtocol)
      .add("what", Task)
      .add("directory", Directory)
      .add("path", Path);
  return M;
}

} // namespace kpack::jit

#endif // KPACK_JIT_SERVICE_BUNDLEPROTOCOL_H
