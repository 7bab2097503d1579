//===- ContextState.h - state shared by a device's plans --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The implementation of a Context. A plan owns a share of it and takes kernels
// from it. Siblings: Context.cpp, Plan.cpp.
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
/// the loaded kernel refers to \c Kernel.
struct PlanKernel {
  std::optional<ConvKernel> Kernel; ///< none: compiled with the program
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

  /// Returns the candidates of a resolved signature. They are computed once,
  /// and kept until several other questions have come.
  std::shared_ptr<const CandidateList> getCandidates(const Signature &Sig,
                                                     const Problem &Sizes,
                                                     const PlanOptions &Want);

  void add(AotRecords Records);
  /// True if the program or an archive has the kernel.
  bool isAot(const Signature &Sig, const Algorithm &Algo);
  /// Takes the kernel from the program or an archive, else from the executor as
  /// far as \p Allowed permits.
  Result<std::unique_ptr<PlanKernel>> kernelOf(const Signature &Sig,
                                               const Problem &Sizes,
                                               const Algorithm &Algo,
                                               jit::Lookup Allowed);

  /// Grows whenever a kernel may have become available: after a plan got one
  /// from anywhere, or when a program was added.
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
  /// The inputs that candidates depend on.
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
  void walkCpu(const Question &Asked, CandidateList &List) const;
  void takeOnly(const Question &Asked, CandidateList &List) const;
  void offer(const Question &Asked, const Algorithm &Algo, Target For,
             CandidateList &List) const;
  const AotRecord *findRecord(const Signature &Sig, const Algorithm &Algo);
  bool isInArchive(const Signature &Sig, const Algorithm &Algo) const;
  Result<ConvKernel> getCode(const Signature &Sig, const Algorithm &Algo,
                             jit::Lookup Allowed) const;
  Status load(PlanKernel &Target, const Signature &Sig, const Algorithm &Algo,
              jit::Lookup Allowed);

  const std::shared_ptr<Backend> On;
  const ContextOptions Options;
  const std::string Digest, Producer;
  bool IsVerbose = false;
  std::atomic<unsigned> Arrivals{0};
  std::unique_ptr<KernelLibrary<Loader>> Archives; ///< null without archives
  std::mutex Loading;                              ///< for On->load()
  std::mutex Lock;                                 ///< guards all members below
  std::list<Answer> Answers;                       ///< last used first
  TuningTable Table;
  std::vector<AotRecords> Programs; ///< of programs and libraries
};

/// Returns an algorithm's name in messages, "IMPLICIT_GEMM/MFMA".
std::string getShortName(const Algorithm &Algo);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_CONTEXTSTATE_H
