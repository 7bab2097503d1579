//===- Install.h - installed tree of relinked libraries ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a tree that can be shipped and moved:
//   <install-dir>/libmha_fwd.so ...      linked again, with paths below ck_jit/
//   <install-dir>/ck_jit/                sources, headers, ck_jit_manifest.json
//   <install-dir>/ck_jit/{lib,bin}/      libckjit.so.0, kpack-jit-compile
// The tree is made in a staging folder, then renamed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_BUILD_INSTALL_H
#define KPACK_LIB_CKJIT_BUILD_INSTALL_H

#include "Library.h"

namespace kpack::ckjit {

/// Installs the libraries of \p Settings.TmpDir. Errors, including
/// InterruptError, leave the target unchanged.
llvm::Error installLibraries(HeldSignals &Signals,
                             const BuildSettings &Settings,
                             const std::string &InstallDir,
                             llvm::raw_ostream &Log);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_BUILD_INSTALL_H
