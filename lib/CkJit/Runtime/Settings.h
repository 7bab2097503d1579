//===- Settings.h - settings of libckjit ------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The environment, read once, and paths that depend on the places of the
// library and its manifest.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_SETTINGS_H
#define KPACK_CKJIT_RUNTIME_SETTINGS_H

#include "CkJit/Runtime/RemoteSettings.h"
#include "Jit/Executor/Cache/Cache.h"
#include "Jit/Service/Compile.h"
#include "kpack/CkJit/Runtime.h"

namespace kpack::ckjit {

/// Empty means not set. Programs with more rights than their user have none of
/// these.
struct Settings {
  std::string Root;                    ///< CK_JIT_ROOT
  std::string CacheDir;                ///< CK_JIT_CACHE_DIR
  std::string CacheHome;               ///< XDG_CACHE_HOME, else $HOME/.cache
  std::string Name;                    ///< CK_JIT_NAME
  std::string Manifest;                ///< CK_JIT_MANIFEST
  std::string Compiler;                ///< CK_JIT_COMPILER
  std::string Target;                  ///< CK_JIT_TARGET
  std::string Helper;                  ///< CK_JIT_HELPER
  std::string SearchPath;              ///< PATH
  std::string RocmPath;                ///< ROCM_PATH
  std::vector<std::string> SystemDirs; ///< CK_JIT_SYSTEM_CACHE
  std::vector<uid_t> SystemOwners;     ///< CK_JIT_SYSTEM_CACHE_OWNER
  jit::RemoteOptions Remote;           ///< CK_JIT_REMOTE...
  std::string Record;                  ///< CK_JIT_RECORD
  jit::CacheMode Mode = jit::CacheMode::ReadWrite; ///< CK_JIT_MODE
  jit::PchPolicy Pch = jit::PchPolicy::Auto;       ///< CK_JIT_PCH
  /// KPACK_JIT_ROUTE. A blob compiles for seconds, so a server saves little.
  jit::CompileRoute Route = jit::CompileRoute::Fork;
  bool Verbose = false; ///< CK_JIT_VERBOSE

  static Settings fromEnvironment();
};

/// Returns the root of the relative sources of \p Manifest.
std::string getRoot(const Settings &S, const ck_jit_manifest &Manifest);

/// Returns the cache for blobs of \p Manifest; empty without a home.
std::string getCacheDir(const Settings &S, const ck_jit_manifest &Manifest);

/// Returns the path of one of our programs; it may not exist.
std::string programBesideUs(const std::string &Name);
/// Returns the command for ck-jit: its path if it is installed with this
/// library.
std::string getTool();

/// Returns the path of kpack-jit-compile; it may not exist.
std::string findHelper(const Settings &S);

/// Returns the absolute path of the clang++ \p Wanted; see jit::findCompiler().
Result<std::string> findCompiler(const Settings &S, const std::string &Wanted);

} // namespace kpack::ckjit

#endif // KPACK_CKJIT_RUNTIME_SETTINGS_H
