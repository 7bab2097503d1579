//===- kpack/ConvBuilder/Context.h - a device, and what is known -*- C++ -*-==//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where plans are made: one device, the executor's cache, archives of kernels
// that were compiled before, and what was measured.
//
//   Result<Context> Where = Context::create(makeCpuBackend());
//   Result<Plan> P = Where->plan(Sig, Sizes);
//
// A Context is a handle; plans keep what they need of it. Thread-safe.
//
// With KPACK_CONV_VERBOSE=dispatch each refused candidate has a line on stderr.
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
  /// Cache and flags of what is compiled; the target is the device's.
  jit::Options jit = {};
  /// Of `conv-builder prebuild`, best first; "@GFXARCH@" in a name is the
  /// device's target.
  std::vector<std::string> archives = {};
  /// Files of tuning results that are read.
  std::vector<std::string> tuning_files = {};
  /// One that is read, where there is one, and that tune() writes. Empty: none.
  std::string tuning_file = {};
};

/// Microseconds of one call of run(), of a plan in which a candidate is
/// selected and compiled. The caller's: it owns streams and memory.
using Measure = std::function<double(const Plan &)>;

/// What tune() may spend.
struct Budget {
  double seconds = 2;       ///< no other candidate is begun after them
  unsigned candidates = 16; ///< of those with the best estimates
  unsigned samples = 3;     ///< measurements of each, the least counts
};

class Context {
public:
  /// Errors: ArchiveNotFound, none of the archives is there; those of reading
  /// archives and tuning files.
  static Result<Context> create(std::shared_ptr<Backend> On,
                                ContextOptions Options = {});

  const std::string &processor() const;

  /// Plans take kernels of \p Of, too: `add(aotRecords())` says the program, or
  /// the library, whose code it is in. They live as long as plans do, and are
  /// launched on the calling thread's device of HIP, which is the backend's.
  void add(AotRecords Of) const;

  /// All candidates; compiles nothing. Errors: InvalidArgument, there is no
  /// candidate, with the requirement that the closest one misses.
  Result<Plan> plan(const Signature &Sig, const Problem &Sizes,
                    const PlanOptions &Options = {}) const;

  /// Compiles and measures candidates of \p Of, a plan of this context; the
  /// fastest is selected in it, known to later plans, and written to
  /// ContextOptions::tuning_file. Errors: of the last candidate, where none
  /// could be measured; IoError, the file.
  Result<TuningRecord> tune(Plan &Of, const Measure &Take,
                            const Budget &May = {}) const;

private:
  friend class Plan;
  class State;
  explicit Context(std::shared_ptr<State> Made) : Its(std::move(Made)) {}
  std::shared_ptr<State> Its;
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CONTEXT_H
