//===- ContextState.h - what plans share ------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inside of a Context: a plan has it for as long as it lives, and takes
// kernels from it. Siblings: Context.cpp, Plan.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_CONTEXTSTATE_H
#define KPACK_LIB_CONVBUILDER_CONTEXTSTATE_H

#include "kpack/ConvBuilder/Context.h"
#include "kpack/Jit/Kernel.h"
#include "kpack/KernelLibrary.h"

#include <atomic>
#include <list>
#include <mutex>

namespace kpack::conv {

/// A kernel on the device, with the launch for a plan's problem. Does not move:
/// what is loaded refers to the kernel.
struct PlanKernel {
  std::optional<ConvKernel> Kernel; ///< none: the program's own
  KernelLaunch Launch;
  std::unique_ptr<LoadedKernel> Loaded;
  size_t Index = 0; ///< of the candidate
};

/// All candidates of a problem.
struct CandidateList {
  std::vector<Candidate> All;
  std::vector<Refusal> Refused;
};

class Context::State {
public:
  State(std::shared_ptr<Backend> On, ContextOptions Options);

  Status open();

  /// "gfx942" of "gfx942:xnack-".
  std::string_view processorName() const;
  const std::string &processor() const { return On->processor(); }
  const std::string &producer() const { return Producer; }
  const ContextOptions &options() const { return Options; }
  bool isVerbose() const { return IsVerbose; }

  /// Of a resolved signature; made once, as long as few others come between.
  std::shared_ptr<const CandidateList> candidatesOf(const Signature &Sig,
                                                    const Problem &Sizes,
                                                    const PlanOptions &Want);

  void add(AotRecords Of);
  /// Whether the program or an archive has the kernel.
  bool isAot(const Signature &Sig, const Algorithm &How);
  /// From the program or an archive, else by the executor, as far as \p Allowed
  /// says.
  Result<std::unique_ptr<PlanKernel>> kernelOf(const Signature &Sig,
                                               const Problem &Sizes,
                                               const Algorithm &How,
                                               jit::Lookup Allowed);

  /// Grows whenever a kernel may be found that was not before: somebody has
  /// compiled one, or added a program.
  unsigned arrivals() const { return Arrivals; }

  std::vector<TuningRecord> tuned(const Signature &Sig, const Problem &Sizes);
  void addTuned(const TuningRecord &Record);

private:
  /// Code objects of archives as programs of the executor.
  struct Loader {
    using Module = jit::Program;
    Result<Module> load(const std::string &Key, const void *Code, size_t Size) {
      return jit::load_program({static_cast<const char *>(Code), Size}, Key);
    }
    void unload(const Module &) {}
  };
  /// What candidates depend on.
  struct Question {
    Signature Sig;
    Problem Sizes;
    long long WorkspaceLimit;
    bool Deterministic, AllowReference;
    Algorithm Only;
    friend bool operator==(const Question &, const Question &) = default;
  };
  struct Answer {
    Question To;
    std::shared_ptr<const CandidateList> List;
  };

  CandidateList makeCandidates(const Question &Asked) const;
  void walkCpu(const Question &Asked, CandidateList &To) const;
  void takeOnly(const Question &Asked, CandidateList &To) const;
  void offer(const Question &Asked, const Algorithm &How, Target For,
             CandidateList &To) const;
  const AotRecord *recordOf(const Signature &Sig, const Algorithm &How);
  bool isInArchive(const Signature &Sig, const Algorithm &How) const;
  Result<ConvKernel> codeOf(const Signature &Sig, const Algorithm &How,
                            jit::Lookup Allowed) const;
  Status load(PlanKernel &To, const Signature &Sig, const Algorithm &How,
              jit::Lookup Allowed);

  const std::shared_ptr<Backend> On;
  const ContextOptions Options;
  const std::string Digest, Producer;
  bool IsVerbose = false;
  std::atomic<unsigned> Arrivals{0};
  std::unique_ptr<KernelLibrary<Loader>> Archives; ///< null: there are none
  std::mutex Loading;                              ///< for On->load()
  std::mutex Lock;                                 ///< of all below
  std::list<Answer> Answers;                       ///< last used first
  TuningTable Table;
  std::vector<AotRecords> Programs; ///< and libraries
};

/// "IMPLICIT_GEMM/MFMA": what messages call an algorithm.
std::string shortNameOf(const Algorithm &How);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_CONTEXTSTATE_H
