//===- SelfBuild.h - parallel compiles into the cache -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles tasks in parallel through the cache: cached entries are not
// compiled, and compiles of other processes are awaited. The machine's compile
// slots also limit the number that runs. A signal ends the compilers; finished
// entries stay.
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
  std::shared_ptr<jit::RemoteTier> Remote; ///< may be null
  unsigned Jobs = 1;
  bool KeepGoing = false;
  bool Verbose = false;
  bool WantFiles = false;       ///< fill Outcome::Files
  TraceWriter *Trace = nullptr; ///< may be null
};

struct Outcome {
  enum class Kind { NotRun, Cached, Compiled, Failed };
  Kind What = Kind::NotRun;
  double Seconds = 0;
  std::string Key;
  std::string Message;            ///< for a failure
  std::vector<std::string> Files; ///< inputs of the compile
};

struct BuildReport {
  std::vector<Outcome> Outcomes; ///< one for each request, in order
  int Signal = 0;                ///< signal that ended the build, or 0
};

const char *nameOf(Outcome::Kind Kind);

/// After a signal the caller must not return from main(): threads that wait for
/// other processes may be left. See finishAfterSignal().
BuildReport buildAll(llvm::ArrayRef<jit::CompileRequest> Requests,
                     const BuildOptions &Options, llvm::raw_ostream &Progress);

/// Flushes the output and ends the process with exit code 128 + \p Signal,
/// without destructors.
[[noreturn]] void finishAfterSignal(int Signal, llvm::raw_ostream &Out,
                                    llvm::raw_ostream &Err);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_SELFBUILD_H
