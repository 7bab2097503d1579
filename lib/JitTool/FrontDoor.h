//===- JitTool/FrontDoor.h - whose cache it is ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs come to compiled kernels by several ways, each with a cache, with
// variables and with a command of its own. What the verbs of CacheTool.h have
// to know of such a way is here, so that they serve all of them. A way that
// makes its requests otherwise than this says finds nothing of what was put
// into its cache: it must ask the same functions as its library does. Model:
// lib/CkJit/Cache.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITTOOL_FRONTDOOR_H
#define KPACK_JITTOOL_FRONTDOOR_H

#include "Jit/Service/Compile.h"
#include "Jit/Service/Remote.h"
#include "Runtime/Devices.h"

#include <string>
#include <vector>

namespace kpack::jittool {

/// What a command line says of a compile; empty: nothing.
struct CompileWords {
  std::string Manifest; ///< a build's list of sources, and
  std::string Name;     ///< which of them; or
  std::string Source;   ///< a source with its
  std::vector<std::string> Flags;
  std::string Root, Compiler, Target;
  std::vector<std::string> Symbols;
};

struct FrontDoor {
  virtual ~FrontDoor() = default;

  std::string Program;     ///< as users type it, "ck-jit"
  std::string Library;     ///< that looks kernels up, "libckjit"
  std::string Variables;   ///< its variables begin with this, "CK_JIT_"
  std::string DefaultName; ///< of the cache's folder, "ck_jit"
  std::string Filler; ///< fills a cache for others, "ck-jit prebuild build"

  // What the environment says; empty: nothing.
  std::string CacheDir;                ///< ..._CACHE_DIR
  std::string Name;                    ///< of the cache's folder, ..._NAME
  std::string CacheHome;               ///< where such folders are
  std::string Target;                  ///< ..._TARGET
  std::string Helper;                  ///< the path of kpack-jit-compile
  std::vector<std::string> SystemDirs; ///< ..._SYSTEM_CACHE
  std::vector<uid_t> SystemOwners;     ///< ..._SYSTEM_CACHE_OWNER

  /// The remote tier of the cache in \p Directory; null: none is set.
  virtual Result<std::shared_ptr<jit::RemoteTier>>
  openRemote(const std::string &Directory) const = 0;
  /// Makes a cache that is to be filled readable for whom it is for, with
  /// \p Mode (octal; empty: not said).
  virtual Status makeReadable(const std::string &Directory, bool IsNamed,
                              const std::string &Mode) const = 0;
  /// The absolute path of the compiler.
  virtual Result<std::string> compiler(const CompileWords &W) const = 0;
  /// Looks at all sources; returns what is good, empty: none are named.
  virtual Result<std::string> checkSources(const CompileWords &W) const = 0;
  /// The compile as the library asks for it, with a target.
  virtual Result<jit::CompileRequest> request(const CompileWords &W) const = 0;

  std::string variable(const char *Rest) const { return Variables + Rest; }
  /// "'ck-jit cache verify'", for messages.
  std::string quoted(const std::string &Verb) const {
    return "'" + Program + " cache " + Verb + "'";
  }
};

/// The GPUs of this machine, each kind once: starts the HSA runtime if there
/// is one and stops it again.
std::vector<runtime::Device> devicesOfThisMachine();

} // namespace kpack::jittool

#endif // KPACK_JITTOOL_FRONTDOOR_H
