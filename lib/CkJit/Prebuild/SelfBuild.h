//===- SelfBuild.h - many blobs into the cache ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles tasks side by side through the cache, so that what is there is not
// compiled, and what another process compiles is waited for. How many really
// run is limited by the compile slots of the machine, too. Ended by a signal,
// compilers are ended and what is finished is kept.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_SELFBUILD_H
#define KPACK_LIB_CKJIT_PREBUILD_SELFBUILD_H

#include "TraceFolder.h"

#include "Jit/Service/Compile.h"
#include "Jit/Service/Remote.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace kpack::ckjit {

struct BuildOptions {
  std::string CacheDir;
  std::string Helper;                      ///< path of kpack-jit-compile
  std::shared_ptr<jit::RemoteTier> Remote; ///< null: none
  unsigned Jobs = 1;
  bool KeepGoing = false;
  bool Verbose = false;
  bool WantFiles = false;       ///< Outcome::Files
  TraceWriter *Trace = nullptr; ///< null: none
};

struct Outcome {
  enum class Kind { NotRun, Cached, Compiled, Failed };
  Kind What = Kind::NotRun;
  double Seconds = 0;
  std::string Key;
  std::string Message;            ///< of a failure
  std::vector<std::string> Files; ///< that it was compiled from
};

struct BuildReport {
  std::vector<Outcome> Outcomes; ///< one a request, in their order
  int Signal = 0;                ///< that ended it
};

const char *nameOf(Outcome::Kind What);

/// After a signal the caller must not return from main(): threads that wait for
/// other processes may be left. See finishAfterSignal().
BuildReport buildAll(llvm::ArrayRef<jit::CompileRequest> Requests,
                     const BuildOptions &Options, llvm::raw_ostream &Progress);

/// Ends the process as one that \p Signal has ended, but with what it has
/// printed.
[[noreturn]] void finishAfterSignal(int Signal, llvm::raw_ostream &Out,
                                    llvm::raw_ostream &Err);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_SELFBUILD_H
