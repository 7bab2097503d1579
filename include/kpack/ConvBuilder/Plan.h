//===- ConvBuilder/Plan.h - ranked algorithms for a problem -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of Context::plan() for a signature and a problem: all algorithms
// that can compute it, the best estimate first, and the reasons of all refused
// ones. Planning compiles nothing: prepare() compiles at once, run() as
// PlanOptions::cold selects.
//
//   Result<Plan> P = Where.plan(Sig, Sizes, {.cold = Cold::Background});
//   for (size_t I = 0; I < P->size(); ++I)
//     offer(P->text(I), (*P)[I].estimate.total, (*P)[I].workspace);
//   Status Done = P->run(Stream, Args);
//
// Any number of threads may call run() at once, each with its own arguments and
// workspace. Once it has a kernel, run() neither locks nor allocates; an atomic
// store replaces the kernel when a better one has been compiled. All other
// functions belong to one thread at a time.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_PLAN_H
#define KPACK_CONVBUILDER_PLAN_H

#include "kpack/ConvBuilder/Args.h"
#include "kpack/ConvBuilder/Candidates.h"
#include "kpack/Support/Status.h"

#include <memory>

namespace kpack::conv {

/// The action of run() if the selected kernel is not compiled.
enum class Cold {
  Wait,       ///< compile it
  UseWarm,    ///< run the best compiled one, and compile none
  Background, ///< likewise, while another thread compiles the selected one
  Fail,       ///< fail with KernelNotFound
};

struct PlanOptions {
  long long workspace_limit = Huge; ///< bytes that the caller can lend
  bool deterministic = false;       ///< the same bits each time
  bool allow_reference = false;     ///< include REFERENCE as a candidate
  Cold cold = Cold::Wait;
  /// If not the default, resolve() completes it, and it is the only candidate.
  Algorithm algorithm = {};
};

/// The place of a candidate's kernel.
enum class KernelState {
  Aot,    ///< in an archive
  Cached, ///< in this process, or in the executor's files
  Cold,   ///< nowhere: it must be compiled
};

/// Returns "aot", "cached" or "cold".
std::string_view nameOf(KernelState State);

class Plan {
public:
  Plan(Plan &&Other) noexcept;
  Plan &operator=(Plan &&Other) noexcept;
  /// Waits for running compiles.
  ~Plan();

  /// The result of resolveSignature(), for argsFor().
  const Signature &signature() const;
  const Problem &problem() const;
  /// The number of candidates, which are all different.
  size_t size() const;
  const Candidate &operator[](size_t I) const;
  /// Returns the text of the algorithm, for select() here or in another
  /// process. \p I must be below size(), here and below.
  std::string text(size_t I) const;
  /// Finds the kernel's place. Reads files, and loads kernels that it finds
  /// there.
  KernelState state(size_t I) const;
  /// Returns the microseconds of candidate \p I in a tuning file for the same
  /// kernels; nullopt if it was not measured.
  std::optional<double> measured(size_t I) const;
  const std::vector<Refusal> &refusals() const;

  /// The candidate that run() should use: the fastest measured one, else the
  /// one with the best estimate, until select() changes it.
  size_t selected() const;
  /// The candidate that run() uses; nullopt before the first one.
  std::optional<size_t> running() const;
  void select(size_t I);
  /// Selects an algorithm by its text; resolve() chooses its absent parts. Adds
  /// a candidate if necessary. Errors: InvalidFormat, not an algorithm;
  /// InvalidArgument, with the violated requirements.
  Status select(std::string_view Text);

  /// Compiles and loads candidate \p I now. Errors: those of the executor and
  /// of the device.
  Status prepare(size_t I);
  /// Waits for compiles in other threads. Errors: that of the last failed
  /// compile.
  Status wait();

  /// Enqueues the kernels of the candidate on \p Stream, a stream of the
  /// device's runtime; null: its default stream. Errors: those of prepare()
  /// before the first run; KernelNotFound with detail() MissingKernel if
  /// PlanOptions::cold forbids compiling and no kernel is available;
  /// LaunchFailed.
  Status run(void *Stream, const Args &With) const;

private:
  friend class Context;
  class State;
  explicit Plan(std::unique_ptr<State> Impl);
  std::unique_ptr<State> Its;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_PLAN_H
