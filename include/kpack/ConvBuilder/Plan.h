//===- kpack/ConvBuilder/Plan.h - candidates, one of them runs --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Context::plan() makes of a signature and a problem: all algorithms that
// can compute it, the best estimate first, and for each that cannot the reason.
// Nothing is compiled until somebody asks for it: prepare() does it now, run()
// as PlanOptions::cold says.
//
//   Result<Plan> P = Where.plan(Sig, Sizes, {.cold = Cold::Background});
//   for (size_t I = 0; I < P->size(); ++I)
//     offer(P->text(I), (*P)[I].estimate.total, (*P)[I].workspace);
//   Status Done = P->run(Stream, Args);
//
// run() may be called by any number of threads at once, each with arguments and
// a workspace of its own. Once it has a kernel it neither locks nor allocates;
// a better kernel that was compiled meanwhile takes the place of the one before
// by one atomic store. All others: one thread at a time.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_PLAN_H
#define KPACK_CONVBUILDER_PLAN_H

#include "kpack/ConvBuilder/Args.h"
#include "kpack/ConvBuilder/Candidates.h"
#include "kpack/Support/Status.h"

#include <memory>

namespace kpack::conv {

/// What run() does where the selected kernel is not compiled.
enum class Cold {
  Wait,       ///< compiles it
  UseWarm,    ///< runs the best one that is compiled, and compiles none
  Background, ///< the same, until another thread has compiled the selected one
  Fail,       ///< KernelNotFound
};

struct PlanOptions {
  long long workspace_limit = Huge; ///< bytes that the caller can lend
  bool deterministic = false;       ///< the same bits each time
  bool allow_reference = false;     ///< REFERENCE is a candidate, too
  Cold cold = Cold::Wait;
  /// Where it is not the default one, the only candidate is what resolve()
  /// makes of it.
  Algorithm algorithm = {};
};

/// Where a candidate's kernel is.
enum class KernelState {
  Aot,    ///< in an archive
  Cached, ///< in this process, or in the executor's files
  Cold,   ///< nowhere: it would be compiled
};

/// "aot", "cached", "cold".
std::string_view nameOf(KernelState State);

class Plan {
public:
  Plan(Plan &&Other) noexcept;
  Plan &operator=(Plan &&Other) noexcept;
  /// Waits for what is being compiled.
  ~Plan();

  /// As resolveSignature() makes it: what argsFor() takes.
  const Signature &signature() const;
  const Problem &problem() const;
  /// Those of candidates(); none is there twice.
  size_t size() const;
  const Candidate &operator[](size_t I) const;
  /// Of the algorithm: what select() takes, here or in another process. \p I is
  /// below size(), here and below.
  std::string text(size_t I) const;
  /// Reads files to know it, and loads what it finds there.
  KernelState state(size_t I) const;
  /// Microseconds of candidate \p I that a tuning file has, of the same
  /// kernels; nothing: not measured.
  std::optional<double> measured(size_t I) const;
  const std::vector<Refusal> &refusals() const;

  /// The candidate that run() is to use: the fastest one that was measured,
  /// else that with the best estimate, until somebody selects another.
  size_t selected() const;
  /// The candidate that run() does use; nothing: none yet.
  std::optional<size_t> running() const;
  void select(size_t I);
  /// By the text of an algorithm, whose absent parts resolve() chooses; becomes
  /// a candidate where it is none yet. Errors: InvalidFormat, it is no
  /// algorithm; InvalidArgument, with the requirements that do not hold.
  Status select(std::string_view Text);

  /// Compiles and loads candidate \p I now. Errors: those of the executor and
  /// of the device.
  Status prepare(size_t I);
  /// Waits for what is compiled by other threads. Errors: of the last one that
  /// failed.
  Status wait();

  /// Computes: puts the kernels of the candidate into \p Stream, of the
  /// device's runtime; null: its default one. Errors: of prepare() where
  /// nothing has run yet; KernelNotFound with detail() MissingKernel where
  /// PlanOptions::cold forbids to compile and nothing is there; LaunchFailed.
  Status run(void *Stream, const Args &With) const;

private:
  friend class Context;
  class State;
  explicit Plan(std::unique_ptr<State> Made);
  std::unique_ptr<State> Its;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_PLAN_H
