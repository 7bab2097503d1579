//===- CApi.cpp - C API of convolution plans ------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C interface of Context and Plan, only in libkpack_conv.so. The last error
// is separate from that of libkpack_jit.so, which this library cannot set. No
// exception leaves a function; the only possible ones are failed allocations.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/CApi.h"

#include "kpack/ConvBuilder/Context.h"
#include "kpack/ConvBuilder/MiopenOptions.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>

using namespace kpack;
using namespace kpack::conv;

struct kpack_conv_context {
  Context Its;
};

struct kpack_conv_plan_s {
  Plan Its;
  /// Texts that a caller has asked for.
  std::map<size_t, std::string> Texts, Refusals;
};

static_assert(static_cast<int>(StatusCode::InvalidArgument) ==
                  KPACK_CONV_ERROR_INVALID_ARGUMENT &&
              static_cast<int>(StatusCode::FileNotFound) ==
                  KPACK_CONV_ERROR_FILE_NOT_FOUND &&
              static_cast<int>(StatusCode::InvalidFormat) ==
                  KPACK_CONV_ERROR_INVALID_FORMAT &&
              static_cast<int>(StatusCode::KernelNotFound) ==
                  KPACK_CONV_ERROR_NOT_FOUND &&
              static_cast<int>(StatusCode::OutOfMemory) ==
                  KPACK_CONV_ERROR_OUT_OF_MEMORY &&
              static_cast<int>(StatusCode::IoError) == KPACK_CONV_ERROR_IO &&
              static_cast<int>(KPACK_JIT_PENDING) == KPACK_CONV_PENDING);
static_assert(static_cast<int>(Cold::Wait) == KPACK_CONV_WAIT &&
              static_cast<int>(Cold::UseWarm) == KPACK_CONV_USE_WARM &&
              static_cast<int>(Cold::Background) == KPACK_CONV_BACKGROUND &&
              static_cast<int>(Cold::Fail) == KPACK_CONV_FAIL);
static_assert(static_cast<int>(KernelState::Aot) == KPACK_CONV_AOT &&
              static_cast<int>(KernelState::Cached) == KPACK_CONV_CACHED &&
              static_cast<int>(KernelState::Cold) == KPACK_CONV_COLD);
static_assert(MaxAuxiliary == 5);

static std::string &lastError() {
  static thread_local std::string Last;
  return Last;
}

static kpack_conv_status fail(const Status &Why) {
  lastError() = Why.message();
  if (Why.detail() == Errc::MissingKernel)
    return KPACK_CONV_PENDING;
  bool IsNamed = Why.code() <= StatusCode::KernelNotFound ||
                 Why.code() == StatusCode::OutOfMemory;
  return IsNamed ? static_cast<kpack_conv_status>(Why.code())
                 : KPACK_CONV_ERROR_IO;
}

static kpack_conv_status failArgument(const char *Message) {
  return fail(Status(StatusCode::InvalidArgument, Message));
}

template <typename Function> static kpack_conv_status guarded(Function Body) {
  try {
    Status S = Body();
    return S.ok() ? KPACK_CONV_SUCCESS : fail(S);
  } catch (const std::exception &) {
    lastError().clear();
    return KPACK_CONV_ERROR_OUT_OF_MEMORY;
  }
}

/// Copies \p Source into this version of the struct. Returns false if its size
/// is neither that of the size member alone nor at least the size of the first
/// version.
template <typename T> static bool take(const T *Source, T &Target) {
  Target = T();
  if (!Source)
    return true;
  if (Source->size != sizeof(size_t) && Source->size < sizeof(T))
    return false;
  std::memcpy(&Target, Source, std::min(Source->size, sizeof(T)));
  return true;
}

static std::vector<std::string> toList(const char *const *Texts) {
  std::vector<std::string> List;
  for (; Texts && *Texts; ++Texts)
    List.emplace_back(*Texts);
  return List;
}

const char *kpack_conv_last_error(void) { return lastError().c_str(); }
const char *kpack_conv_version(void) { return KPACK_VERSION; }

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static Result<std::unique_ptr<Backend>> chooseBackend(const char *Device) {
  if (!Device)
    return makeHipBackend();
  if (Device == CpuProcessor)
    return makeCpuBackend();
  return Status(StatusCode::InvalidArgument,
                std::string(Device) + ": is no device; take \"cpu\", or null "
                                      "for the current GPU");
}

kpack_conv_status
kpack_conv_context_create(const kpack_conv_context_options *Options,
                          kpack_conv_context **Out) {
  kpack_conv_context_options O;
  if (!take(Options, O) || !Out)
    return failArgument("kpack_conv_context_create: options with their size, "
                        "and a place for the context are needed");
  return guarded([&]() -> Status {
    Result<std::unique_ptr<Backend>> On = chooseBackend(O.device);
    if (!On)
      return On.status();
    ContextOptions Opts;
    if (O.cache)
      Opts.jit.cache = jit::Cache(static_cast<kpack_jit_cache *>(O.cache));
    Opts.archives = toList(O.archives);
    Opts.tuning_files = toList(O.tuning_files);
    Result<Context> In = Context::create(std::move(*On), std::move(Opts));
    if (!In)
      return In.status();
    *Out = new kpack_conv_context{std::move(*In)};
    return Status::success();
  });
}

void kpack_conv_context_destroy(kpack_conv_context *Handle) { delete Handle; }

const char *kpack_conv_context_processor(const kpack_conv_context *Handle) {
  return Handle ? Handle->Its.processor().c_str() : "";
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static Status takeOptions(const kpack_conv_plan_options &O, PlanOptions &Opts) {
  if (O.cold < KPACK_CONV_WAIT || O.cold > KPACK_CONV_FAIL)
    return Status(StatusCode::InvalidArgument,
                  "kpack_conv_plan: cold is no kpack_conv_cold");
  if (O.has_workspace_limit)
    Opts.workspace_limit = static_cast<long long>(
        std::min<size_t>(O.workspace_limit, static_cast<size_t>(Huge)));
  Opts.deterministic = O.deterministic != 0;
  Opts.allow_reference = O.allow_reference != 0;
  Opts.cold = static_cast<Cold>(O.cold);
  if (!O.algorithm)
    return Status::success();
  Result<Algorithm> Only = parse<Algorithm>(O.algorithm);
  if (!Only)
    return Only.status();
  Opts.algorithm = *Only;
  return Status::success();
}

kpack_conv_status kpack_conv_plan(kpack_conv_context *In, const char *Sig,
                                  const char *Sizes,
                                  const kpack_conv_plan_options *Options,
                                  kpack_conv_plan_t **Out) {
  kpack_conv_plan_options O;
  if (!In || !Sig || !Sizes || !take(Options, O) || !Out)
    return failArgument("kpack_conv_plan: a context, texts of a signature and "
                        "a problem, options with their size and a place for "
                        "the plan are needed");
  return guarded([&]() -> Status {
    PlanOptions Opts;
    if (Status S = takeOptions(O, Opts); !S.ok())
      return S;
    Result<Signature> ParsedSig = parse<Signature>(Sig);
    if (!ParsedSig)
      return ParsedSig.status();
    Result<Problem> ParsedSizes = problemFor(*ParsedSig, Sizes);
    if (!ParsedSizes)
      return ParsedSizes.status();
    Result<Plan> P = In->Its.plan(*ParsedSig, *ParsedSizes, Opts);
    if (!P)
      return P.status();
    *Out = new kpack_conv_plan_s{std::move(*P), {}, {}};
    return Status::success();
  });
}

void kpack_conv_release(kpack_conv_plan_t *P) { delete P; }

size_t kpack_conv_count(const kpack_conv_plan_t *P) {
  return P ? P->Its.size() : 0;
}

static bool has(const kpack_conv_plan_t *P, size_t Index) {
  return Index < kpack_conv_count(P);
}

/// Returns the text with the number \p Index, which \p Make computes on first
/// use.
template <typename Function>
static const char *textIn(std::map<size_t, std::string> &Known, size_t Index,
                          Function Make) {
  const char *Text = nullptr;
  (void)guarded([&] {
    auto [It, IsNew] = Known.try_emplace(Index);
    if (IsNew)
      It->second = Make();
    Text = It->second.c_str();
    return Status::success();
  });
  return Text;
}

const char *kpack_conv_text(kpack_conv_plan_t *P, size_t Index) {
  return has(P, Index)
             ? textIn(P->Texts, Index, [&] { return P->Its.text(Index); })
             : nullptr;
}

kpack_conv_state_t kpack_conv_state(const kpack_conv_plan_t *P, size_t Index) {
  kpack_conv_state_t State = KPACK_CONV_NONE;
  if (has(P, Index))
    (void)guarded([&] {
      State = static_cast<kpack_conv_state_t>(P->Its.state(Index));
      return Status::success();
    });
  return State;
}

double kpack_conv_estimate(const kpack_conv_plan_t *P, size_t Index) {
  return has(P, Index)
             ? P->Its.measured(Index).value_or(P->Its[Index].estimate.total)
             : -1;
}

size_t kpack_conv_workspace(const kpack_conv_plan_t *P, size_t Index) {
  return has(P, Index) ? static_cast<size_t>(P->Its[Index].workspace) : 0;
}

size_t kpack_conv_refusal_count(const kpack_conv_plan_t *P) {
  return P ? P->Its.refusals().size() : 0;
}

const char *kpack_conv_refusal(kpack_conv_plan_t *P, size_t Index) {
  return Index < kpack_conv_refusal_count(P)
             ? textIn(
                   P->Refusals, Index,
                   [&] { return P->Its.refusals()[Index].text(); })
             : nullptr;
}

size_t kpack_conv_selected(const kpack_conv_plan_t *P) {
  return P ? P->Its.selected() : static_cast<size_t>(-1);
}

kpack_conv_status kpack_conv_select(kpack_conv_plan_t *P, const char *Text) {
  if (!P || !Text)
    return failArgument("kpack_conv_select: a plan and the text of an "
                        "algorithm are needed");
  return guarded([&] { return P->Its.select(std::string_view(Text)); });
}

kpack_conv_status kpack_conv_prepare(kpack_conv_plan_t *P, size_t Index) {
  if (!has(P, Index))
    return failArgument("kpack_conv_prepare: a plan that has so many "
                        "candidates is needed");
  return guarded([&] { return P->Its.prepare(Index); });
}

kpack_conv_status kpack_conv_wait(kpack_conv_plan_t *P) {
  if (!P)
    return failArgument("kpack_conv_wait: a plan is needed");
  return guarded([&] { return P->Its.wait(); });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static OpNumbers makeNumbers(const kpack_conv_numbers &N) {
  return {N.a, N.b, N.c};
}
static kpack_conv_numbers makeNumbers(const OpNumbers &N) {
  return {N.a, N.b, N.c};
}

static TensorArgs makeArgs(const kpack_conv_tensor &Source) {
  TensorArgs Result;
  Result.data = Source.data;
  static_cast<OpNumbers &>(Result.params) = makeNumbers(Source.numbers);
  Result.params.activation = makeNumbers(Source.activation);
  Result.params.dynamic = static_cast<ElementwiseOperation>(Source.dynamic);
  for (unsigned I = 0; I < MaxAuxiliary; ++I)
    Result.auxiliary[I] = {Source.auxiliary[I].data,
                           makeNumbers(Source.auxiliary[I].numbers)};
  return Result;
}

static kpack_conv_tensor tensorOf(const TensorArgs &Source) {
  kpack_conv_tensor Result{};
  Result.numbers = makeNumbers(static_cast<const OpNumbers &>(Source.params));
  Result.activation = makeNumbers(Source.params.activation);
  Result.dynamic = static_cast<int>(Source.params.dynamic);
  for (unsigned I = 0; I < MaxAuxiliary; ++I)
    Result.auxiliary[I].numbers = makeNumbers(Source.auxiliary[I].params);
  return Result;
}

kpack_conv_status kpack_conv_args_init(const kpack_conv_plan_t *P,
                                       kpack_conv_args *Out) {
  if (!P || !Out || Out->size < sizeof(size_t))
    return failArgument("kpack_conv_args_init: a plan, and arguments with "
                        "their size are needed");
  Args Defaults = argsFor(P->Its.signature());
  kpack_conv_args Filled{};
  Filled.size = Out->size;
  Filled.input = tensorOf(Defaults.input);
  Filled.weight = tensorOf(Defaults.weight);
  Filled.output = tensorOf(Defaults.output);
  std::memcpy(Out, &Filled, std::min(Out->size, sizeof(Filled)));
  return KPACK_CONV_SUCCESS;
}

/// True if the numbers of operations are valid; kernels do not check them.
static bool areOperations(const kpack_conv_args &A) {
  for (const kpack_conv_tensor *T : {&A.input, &A.weight, &A.output})
    if (T->dynamic < 0 ||
        T->dynamic >= static_cast<int>(EnumCount<ElementwiseOperation>) ||
        !isUnary(static_cast<ElementwiseOperation>(T->dynamic)))
      return false;
  return true;
}

kpack_conv_status kpack_conv_run(const kpack_conv_plan_t *P, void *Stream,
                                 const kpack_conv_args *With) {
  kpack_conv_args A;
  if (!P || !With || !take(With, A))
    return failArgument("kpack_conv_run: a plan, and arguments with their size "
                        "are needed");
  if (!areOperations(A))
    return failArgument("kpack_conv_run: dynamic is no operation of one value; "
                        "kpack_conv_args_init() sets it");
  return guarded([&] {
    Args All{makeArgs(A.input), makeArgs(A.weight), makeArgs(A.output),
             A.workspace};
    return P->Its.run(Stream, All);
  });
}
