//===- ConvBuilder/Context.h - factory of plans for a device ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes plans for one device, with the executor's cache, archives of
// precompiled kernels, and tuning results.
//
//   Result<Context> Where = Context::create(makeCpuBackend());
//   Result<Plan> P = Where->plan(Sig, Sizes);
//
// A Context is a handle; plans keep its state alive. Thread-safe.
//
// With KPACK_CONV_VERBOSE=dispatch each refused candidate is one line on
// stderr.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CONTEXT_H
#define KPACK_CONVBUILDER_CONTEXT_H

#include "kpack/ConvBuilder/AotRecords.h"
#include "kpack/ConvBuilder/Backend.h"
#include "kpack/ConvBuilder/Plan.h"
#include "kpack/ConvBuilder/Tuning.h"

#include <functional>

namespace kpack::conv {

struct ContextOptions {
  /// Cache and flags of compiles; the target is the device's.
  jit::Options jit = {};
  /// Archives of `conv-builder prebuild`, best first; "@GFXARCH@" in a name
  /// stands for the device's target.
  std::vector<std::string> archives = {};
  /// Tuning files to read.
  std::vector<std::string> tuning_files = {};
  /// A tuning file that is read if it exists, and that tune() writes. Empty for
  /// none.
  std::string tuning_file = {};
};

/// Returns the microseconds of one run() of a plan, whose selected candidate is
/// compiled. The caller implements it with its own streams and memory.
using Measure = std::function<double(const Plan &)>;

/// Limits of tune().
struct Budget {
  double seconds = 2;       ///< after them no other candidate starts
  unsigned candidates = 16; ///< the ones with the best estimates
  unsigned samples = 3;     ///< measurements of each; the minimum counts
};

class Context {
public:
  /// Creates a context. Errors: ArchiveNotFound, none of the archives exists;
  /// those of reading archives and tuning files.
  static Result<Context> create(std::shared_ptr<Backend> On,
                                ContextOptions Options = {});

  const std::string &processor() const;

  /// Adds the kernels of \p Records to later plans: the program or library
  /// whose code contains them calls `add(aotRecords())`. They must outlive the
  /// plans, and are launched on the calling thread's HIP device, which must be
  /// the backend's.
  void add(AotRecords Records) const;

  /// Makes a plan with all candidates; compiles nothing. Errors:
  /// InvalidArgument, there is no candidate, with the requirement that the
  /// closest one violates.
  Result<Plan> plan(const Signature &Sig, const Problem &Sizes,
                    const PlanOptions &Options = {}) const;

  /// Compiles and measures candidates of \p TunedPlan, a plan of this context.
  /// Selects the fastest in it, uses it for later plans, and writes it to
  /// ContextOptions::tuning_file. Errors: that of the last candidate, if none
  /// could be measured; IoError, the file.
  Result<TuningRecord> tune(Plan &TunedPlan, const Measure &Take,
                            const Budget &May = {}) const;

private:
  friend class Plan;
  class State;
  explicit Context(std::shared_ptr<State> Impl) : Its(std::move(Impl)) {}
  std::shared_ptr<State> Its;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CONTEXT_H
