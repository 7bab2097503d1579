//===- Prebuild.h - common parts of ck-jit prebuild -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of a command line, and the commands. Commands.cpp parses the
// former and calls the latter.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_PREBUILD_H
#define KPACK_LIB_CKJIT_PREBUILD_PREBUILD_H

#include "BlobPredicate.h"
#include "Selection.h"

#include "ToolSupport/Session.h"

namespace kpack::ckjit {

/// The options of the user.
struct Choice {
  ManifestOptions From;
  std::vector<std::string> Stems; ///< in order, each once
  std::vector<Predicate> Where;
  std::vector<std::string> Targets;
  bool All = false;
  bool Json = false;
  bool DryRun = false;
  bool KeepGoing = false;
  bool Verbose = false;
  unsigned Jobs = 0; ///< 0: number of CPUs
  jit::PchPolicy Pch = jit::PchPolicy::On;
  std::string Mode; ///< octal, or empty
  std::string Ninja, Launcher, Slurm, Stamp, Depfile, Trace;

  bool namesBlobs() const { return All || !Stems.empty() || !Where.empty(); }
};

/// Returns the selected blobs of \p Blobs, in the manifest's order. Adds
/// unknown names to \p Unknown.
std::vector<const BlobRecord *> chosenBlobs(const Choice &Chosen,
                                            const BlobManifest &Blobs,
                                            std::vector<std::string> &Unknown);

/// The compiles of one blob.
struct Requests {
  std::vector<jit::CompileRequest> List; ///< one for each target
  std::string WhyNone; ///< reason if no target of its build is selected
};
/// Errors: the source cannot be read; no target is known.
llvm::Expected<Requests> requestsFor(const BlobRecord &Blob,
                                     const RequestContext &Context,
                                     llvm::ArrayRef<std::string> Targets);

/// Returns \p Text with \p Escape before every character in \p Special.
std::string escaped(llvm::StringRef Text, llvm::StringRef Special, char Escape);

// Messages and unfinished work go to the session; an error that is returned is
// still to be reported.
llvm::Error listBlobs(const Choice &Chosen, Source &Input, Session &S);
llvm::Error buildBlobs(const Choice &Chosen, Source &Input, Session &S);
llvm::Error cleanBlobs(const Choice &Chosen, Source &Input, Session &S);

/// Writes one edge for each blob, a separate `ck-jit prebuild build`.
llvm::Error writeNinja(const Choice &Chosen, const Source &Input,
                       llvm::ArrayRef<jit::CompileRequest> All,
                       llvm::raw_ostream &Out);
/// Writes a job array whose tasks run such commands.
llvm::Error writeSlurm(const Choice &Chosen, const Source &Input,
                       llvm::ArrayRef<jit::CompileRequest> All,
                       llvm::raw_ostream &Out);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_PREBUILD_H
