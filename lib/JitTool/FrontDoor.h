//===- FrontDoor.h - properties of a program with a cache -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs reach compiled kernels by several front doors, each with its cache,
// variables and command. This class has the properties that the verbs of
// CacheTool.h need, so that they serve all front doors. request() must call the
// same functions as the front door's library: requests that differ find nothing
// in its cache. Model: lib/CkJit/Cache.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JITTOOL_FRONTDOOR_H
#define KPACK_JITTOOL_FRONTDOOR_H

#include "Jit/Service/Compile.h"
#include "Jit/Service/Remote.h"
#include "Runtime/DeviceList.h"

#include <string>
#include <vector>

namespace kpack::jittool {

/// The parts of a command line that describe a compile; empty if not given.
struct CompileWords {
  std::string Manifest; ///< a build's list of sources,
  std::string Name;     ///< and a name in it; or
  std::string Source;   ///< a source with its
  std::vector<std::string> Flags;
  std::string Root, Compiler, Target;
  std::vector<std::string> Symbols;
};

struct FrontDoor {
  virtual ~FrontDoor() = default;

  std::string Program;     ///< one word, as users type it, "ck-jit"
  std::string Library;     ///< that looks up kernels, "libckjit"
  std::string Variables;   ///< prefix of its variables, "CK_JIT_"
  std::string DefaultName; ///< of the cache's folder, "ck_jit"
  std::string Filler;      ///< fills caches for others, "ck-jit prebuild build"

  // From the environment; empty if not set.
  std::string CacheDir;                ///< ..._CACHE_DIR
  std::string Name;                    ///< of the cache's folder, ..._NAME
  std::string CacheHome;               ///< parent of such folders
  std::string Target;                  ///< ..._TARGET
  std::string Helper;                  ///< the path of kpack-jit-compile
  std::vector<std::string> SystemDirs; ///< ..._SYSTEM_CACHE
  std::vector<uid_t> SystemOwners;     ///< ..._SYSTEM_CACHE_OWNER

  /// Returns the remote tier of the cache in \p Directory; null if none is set.
  virtual Result<std::shared_ptr<jit::RemoteTier>>
  openRemote(const std::string &Directory) const = 0;
  /// Makes a cache readable for its users before it is filled, with \p Mode
  /// (octal; empty for the default).
  virtual Status makeReadable(const std::string &Directory, bool IsNamed,
                              const std::string &Mode) const = 0;
  /// Returns the absolute path of the compiler.
  virtual Result<std::string> compiler(const CompileWords &W) const = 0;
  /// Checks all sources. Returns a description of the good ones; empty if none
  /// are named.
  virtual Result<std::string> checkSources(const CompileWords &W) const = 0;
  /// Returns the compile as the library requests it, with a target.
  virtual Result<jit::CompileRequest> request(const CompileWords &W) const = 0;

  std::string variable(const char *Rest) const { return Variables + Rest; }
  /// Returns "'ck-jit cache verify'", for messages.
  std::string quoted(const std::string &Verb) const {
    return "'" + Program + " cache " + Verb + "'";
  }
};

/// Returns the GPUs of this machine, each kind once: starts the HSA runtime if
/// there is one and stops it again.
std::vector<runtime::Device> devicesOfThisMachine();

} // namespace kpack::jittool

#endif // KPACK_JITTOOL_FRONTDOOR_H
