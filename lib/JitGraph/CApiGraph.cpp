//===- CApiGraph.cpp - C API of prepared graphs ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps AnyGraph for C. The last error is this library's: libkpack_jit.so has
// another, which only that library can set.
//
//===----------------------------------------------------------------------===//
#include "kpack/JitGraph/AnyGraph.h"
#include "kpack/JitGraph/GraphError.h"
#include "kpack/kpack_jit_graph.h"

#include <cstring>
#include <new>

using namespace kpack;
using namespace kpack::jit;

struct kpack_jit_graph {
  AnyGraph Graph;
};

struct kpack_jit_graph_event {
  Event Of;
};

static_assert(static_cast<int>(GraphErrc::NotPrepared) ==
                  KPACK_JIT_GRAPH_NOT_PREPARED &&
              static_cast<int>(GraphErrc::Runtime) == KPACK_JIT_GRAPH_RUNTIME &&
              static_cast<int>(GraphErrc::OutOfMemory) ==
                  KPACK_JIT_GRAPH_OUT_OF_MEMORY &&
              static_cast<int>(ElementType::Bool) == KPACK_JIT_BOOL);

namespace {
struct LastFailure {
  std::string Text;
  int Detail = 0;
};
} // namespace

static LastFailure &lastFailure() {
  static thread_local LastFailure Last;
  return Last;
}

static kpack_jit_status fail(const Status &Why) {
  lastFailure() = {Why.message(), static_cast<int>(Why.detail())};
  bool IsNamed = Why.code() <= StatusCode::KernelNotFound ||
                 Why.code() == StatusCode::OutOfMemory;
  return IsNamed ? static_cast<kpack_jit_status>(Why.code())
                 : KPACK_JIT_ERROR_IO;
}

static kpack_jit_status failArgument(const char *Message) {
  return fail(Status(StatusCode::InvalidArgument, Message));
}

/// Runs \p Body, which throws only when out of memory.
template <typename Function> static kpack_jit_status guarded(Function Body) {
  try {
    Status S = Body();
    return S.ok() ? KPACK_JIT_SUCCESS : fail(S);
  } catch (const std::exception &) {
    lastFailure().Text.clear();
    lastFailure().Detail = KPACK_JIT_GRAPH_OUT_OF_MEMORY;
    return KPACK_JIT_ERROR_OUT_OF_MEMORY;
  }
}

/// For null, returns a graph with nothing prepared, whose functions report
/// that.
static const AnyGraph &getGraph(const kpack_jit_graph *G) {
  static const AnyGraph None;
  return G ? G->Graph : None;
}

const char *kpack_jit_graph_last_error(void) {
  return lastFailure().Text.c_str();
}

int kpack_jit_graph_last_error_detail(void) { return lastFailure().Detail; }

kpack_jit_status kpack_jit_graph_load(const char *Path, kpack_jit_cache *Cache,
                                      kpack_jit_graph **G) {
  if (!Path || !*Path || !G)
    return failArgument("kpack_jit_graph_load: a path and a place for the "
                        "graph are needed");
  return guarded([&]() -> Status {
    PrepareConfig Config = PrepareConfig::from_env();
    Config.cache = Cache;
    Result<AnyGraph> Loaded = AnyGraph::load(Path, Config);
    if (!Loaded)
      return Loaded.status();
    *G = new kpack_jit_graph{std::move(*Loaded)};
    return Status::success();
  });
}

kpack_jit_status kpack_jit_graph_clone(const kpack_jit_graph *G,
                                       kpack_jit_graph **Clone) {
  if (!Clone)
    return failArgument("kpack_jit_graph_clone: a place for the clone is "
                        "needed");
  return guarded([&]() -> Status {
    Result<AnyGraph> Other = getGraph(G).clone();
    if (!Other)
      return Other.status();
    *Clone = new kpack_jit_graph{std::move(*Other)};
    return Status::success();
  });
}

void kpack_jit_graph_destroy(kpack_jit_graph *G) { delete G; }

kpack_jit_status kpack_jit_graph_set_variable(kpack_jit_graph *G,
                                              const char *Name, int64_t Value) {
  if (!Name)
    return failArgument("kpack_jit_graph_set_variable: a name is needed");
  return guarded([&] {
    return G ? G->Graph.set(Name, Value) : AnyGraph().set(Name, Value);
  });
}

kpack_jit_status kpack_jit_graph_bind_input(kpack_jit_graph *G,
                                            const char *Name, const void *Data,
                                            size_t Size) {
  if (!Name)
    return failArgument("kpack_jit_graph_bind_input: a name is needed");
  return guarded([&] {
    return G ? G->Graph.bind(Name, Data, Size)
             : AnyGraph().bind(Name, Data, Size);
  });
}

kpack_jit_status kpack_jit_graph_execute(kpack_jit_graph *G) {
  return guarded([&] { return G ? G->Graph.execute() : AnyGraph().execute(); });
}

kpack_jit_status kpack_jit_graph_execute_async(kpack_jit_graph *G, void *Where,
                                               kpack_jit_graph_event **Begun) {
  return guarded([&]() -> Status {
    std::unique_ptr<kpack_jit_graph_event> Created(
        Begun ? new kpack_jit_graph_event : nullptr);
    Result<Event> Started =
        G ? G->Graph.execute_async(Stream{Where}) : AnyGraph().execute_async();
    if (!Started)
      return Started.status();
    if (Begun) {
      Created->Of = std::move(*Started);
      *Begun = Created.release();
    }
    return Status::success();
  });
}

/// For null, returns the event of a call that has ended.
static Event getEvent(const kpack_jit_graph_event *E) {
  return E ? E->Of : Event();
}

kpack_jit_status kpack_jit_graph_event_wait(const kpack_jit_graph_event *E) {
  return guarded([&] { return getEvent(E).wait(); });
}

kpack_jit_status
kpack_jit_graph_event_wait_for_inputs(const kpack_jit_graph_event *E) {
  return guarded([&] { return getEvent(E).wait_for_inputs(); });
}

int kpack_jit_graph_event_done(const kpack_jit_graph_event *E) {
  return getEvent(E).done();
}

int kpack_jit_graph_event_inputs_consumed(const kpack_jit_graph_event *E) {
  return getEvent(E).inputs_consumed();
}

void kpack_jit_graph_event_destroy(kpack_jit_graph_event *E) { delete E; }

static Status give(const Result<AnyGraph::Tensor> &Found,
                   kpack_jit_tensor *Target) {
  if (!Found)
    return Found.status();
  kpack_jit_tensor T{};
  T.size = Target->size;
  T.data = Found->Data;
  T.type = static_cast<int>(Found->Type);
  T.bytes = Found->Bytes;
  T.rank = Found->Extents.size();
  std::copy(Found->Extents.begin(), Found->Extents.end(), T.extents);
  std::copy(Found->Strides.begin(), Found->Strides.end(), T.strides);
  std::memcpy(Target, &T, std::min(Target->size, sizeof(T)));
  return Status::success();
}

kpack_jit_status kpack_jit_graph_input(const kpack_jit_graph *G,
                                       const char *Name, kpack_jit_tensor *T) {
  if (!Name || !T || T->size < sizeof(T->size))
    return failArgument("kpack_jit_graph_input: a name and a structure with "
                        "its size are needed");
  return guarded([&] { return give(getGraph(G).input(Name), T); });
}

kpack_jit_status kpack_jit_graph_output(const kpack_jit_graph *G,
                                        const char *Name, kpack_jit_tensor *T) {
  if (!Name || !T || T->size < sizeof(T->size))
    return failArgument("kpack_jit_graph_output: a name and a structure with "
                        "its size are needed");
  return guarded([&] { return give(getGraph(G).output(Name), T); });
}
