//===- Prebuild.h - what the parts of ck-jit prebuild share -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command line's values, and the commands. Commands.cpp reads the former and
// calls the latter.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CKJIT_PREBUILD_PREBUILD_H
#define KPACK_LIB_CKJIT_PREBUILD_PREBUILD_H

#include "BlobPredicate.h"
#include "Selection.h"

#include "ToolSupport/Session.h"

namespace kpack::ckjit {

/// What the user has chosen.
struct Choice {
  ManifestOptions From;
  std::vector<std::string> Stems; ///< in order, none twice
  std::vector<Predicate> Where;
  std::vector<std::string> Targets;
  bool All = false;
  bool Json = false;
  bool DryRun = false;
  bool KeepGoing = false;
  bool Verbose = false;
  unsigned Jobs = 0; ///< 0: as many as there are CPUs
  jit::PchPolicy Pch = jit::PchPolicy::On;
  std::string Mode; ///< octal; empty: not said
  std::string Ninja, Launcher, Slurm, Stamp, Depfile, Trace;

  bool namesBlobs() const { return All || !Stems.empty() || !Where.empty(); }
};

/// The blobs of \p From that are chosen, in the manifest's order. Names that it
/// does not know are added to \p Unknown.
std::vector<const BlobRecord *> chosenBlobs(const Choice &Chosen,
                                            const BlobManifest &From,
                                            std::vector<std::string> &Unknown);

/// All that one blob has to be compiled for.
struct Requests {
  std::vector<jit::CompileRequest> List; ///< one a target
  std::string WhyNone;                   ///< no target of its build is wanted
};
/// Errors: the source cannot be read; no target is known.
llvm::Expected<Requests> requestsFor(const BlobRecord &Blob,
                                     const RequestContext &Context,
                                     llvm::ArrayRef<std::string> Targets);

/// \p Text with \p Escape in front of every character that \p Special has.
std::string escaped(llvm::StringRef Text, llvm::StringRef Special, char Escape);

// Messages go to the session. False where something else than a message says
// that not everything is done.
llvm::Expected<bool> listBlobs(const Choice &Chosen, Source &From, Session &S);
llvm::Expected<bool> buildBlobs(const Choice &Chosen, Source &From, Session &S);
llvm::Expected<bool> cleanBlobs(const Choice &Chosen, Source &From, Session &S);

/// One edge a blob, each a `ck-jit prebuild build` of its own.
llvm::Error writeNinja(const Choice &Chosen, const Source &From,
                       llvm::ArrayRef<jit::CompileRequest> All,
                       llvm::raw_ostream &Out);
/// A job array whose tasks run such commands.
llvm::Error writeSlurm(const Choice &Chosen, const Source &From,
                       llvm::ArrayRef<jit::CompileRequest> All,
                       llvm::raw_ostream &Out);

} // namespace kpack::ckjit

#endif // KPACK_LIB_CKJIT_PREBUILD_PREBUILD_H
