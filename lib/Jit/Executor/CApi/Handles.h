//===- CApi/Handles.h - C API: handles, errors and keys ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the handles of kpack/kpack_jit.h and the start and end of its
// functions. No exception leaves them: only the standard library (out of
// memory) and functions of the caller throw. A caller's structure is first
// copied to one of our size: a shorter one is from an earlier version, and the
// rest is set to 0.
//
// Handles.cpp has errors and keys, CApiCache.cpp caches and their options,
// CApiRequests.cpp requests and background work, CApiEntries.cpp entries,
// CApiPrograms.cpp programs from source texts, CApiKernels.cpp their kernels,
// CApiFiles.cpp operations on all files of a cache.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CAPI_HANDLES_H
#define KPACK_JIT_EXECUTOR_CAPI_HANDLES_H

#include "Jit/Executor/Background.h"
#include "Jit/Executor/Cache/SourceCache.h"
#include "Jit/Executor/Load.h"
#include "Jit/Executor/Programs/ProgramCache.h"
#include "kpack/kpack_jit.h"

#include <cstring>

struct kpack_jit_key {
  kpack::jit::KeyBuilder Builder;
};

struct kpack_jit_entry {
  kpack::jit::StoredEntry Stored; ///< without its file after loading
  std::optional<kpack::jit::LoadedCode> Code;
};

struct kpack_jit_cache {
  std::unique_ptr<kpack::jit::SourceCache> Sources;
  std::unique_ptr<kpack::jit::ProgramCache> Programs;
  std::string RemoteHelper; ///< path of kpack-jit-remote
  kpack::jit::Async<kpack::jit::StoredEntry> Background; ///< last: uses it
};

/// Not in kpack::jit: the library exports the names of that namespace.
namespace kpack::capi {

/// These return the code and store the rest for kpack_jit_last_error().
kpack_jit_status fail(kpack_jit_status Code, std::string_view Message,
                      Errc Detail = Errc::None) noexcept;
kpack_jit_status fail(const Status &Why);
kpack_jit_status failArgument(const char *Message);

/// Runs \p Body. It may throw std::bad_alloc and exceptions of the caller's
/// functions.
template <typename Function> kpack_jit_status guarded(Function Body) {
  try {
    return Body();
  } catch (const std::bad_alloc &) {
    return fail(KPACK_JIT_ERROR_OUT_OF_MEMORY, "out of memory");
  } catch (...) {
    return fail(KPACK_JIT_ERROR_INVALID_ARGUMENT,
                "a callback has thrown an exception");
  }
}

/// For errors that come from a compile.
kpack_jit_status failCompile(const Status &Why);

inline const char *orEmpty(const char *Text) { return Text ? Text : ""; }

inline std::vector<std::string> toList(const char *const *Texts) {
  std::vector<std::string> List;
  for (; Texts && *Texts; ++Texts)
    List.emplace_back(*Texts);
  return List;
}

/// Copies \p Source to our version's size; returns false for an impossible
/// size.
template <typename T> bool take(const T *Source, T &Target) {
  if (!Source || Source->size < sizeof(size_t))
    return false;
  Target = T();
  std::memcpy(&Target, Source, std::min(Source->size, sizeof(T)));
  return true;
}

/// Copies the part of \p Value that the caller's version has.
template <typename T> bool give(T Value, T *Target) {
  if (!Target || Target->size < sizeof(size_t))
    return false;
  Value.size = Target->size;
  std::memcpy(Target, &Value, std::min(Target->size, sizeof(T)));
  return true;
}

} // namespace kpack::capi

#endif // KPACK_JIT_EXECUTOR_CAPI_HANDLES_H
