//===- CApi/CApi.h - what the pieces of the C API share ---------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What handles of kpack/kpack_jit.h are, and how its functions begin and end.
// No exception leaves them: the only ones there are come from the standard
// library, for want of memory, and from functions of the caller. What callers
// give as structures is copied to our own size first: a shorter one is of an
// earlier version, and the rest of it is 0.
//
// CApi.cpp has errors and keys, CApiCache.cpp caches and their options,
// CApiRequests.cpp requests and the background, CApiEntries.cpp what they give,
// CApiPrograms.cpp source texts and what becomes of them, CApiFiles.cpp all
// that is in files at once.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_CAPI_CAPI_H
#define KPACK_JIT_EXECUTOR_CAPI_CAPI_H

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
  kpack::jit::StoredEntry Stored; ///< without the file when it is loaded
  std::optional<kpack::jit::LoadedCode> Code;
};

struct kpack_jit_cache {
  std::unique_ptr<kpack::jit::SourceCache> Sources;
  std::unique_ptr<kpack::jit::ProgramCache> Programs;
  std::string RemoteHelper; ///< path of kpack-jit-remote
  kpack::jit::Async<kpack::jit::StoredEntry> Background; ///< last: uses it
};

/// Not of kpack::jit, whose names the library exports.
namespace kpack::capi {

/// Each returns its code and keeps the rest for kpack_jit_last_error().
kpack_jit_status fail(kpack_jit_status Code, std::string_view Message,
                      Errc Detail = Errc::None) noexcept;
kpack_jit_status fail(const Status &Why);
kpack_jit_status failArgument(const char *What);

/// Runs \p Body, whose only exceptions are those for want of memory and those
/// of the caller's functions.
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

/// Where the compiler is what refuses.
kpack_jit_status failCompile(const Status &Why);

inline const char *orEmpty(const char *Text) { return Text ? Text : ""; }

inline std::vector<std::string> listOf(const char *const *Texts) {
  std::vector<std::string> List;
  for (; Texts && *Texts; ++Texts)
    List.emplace_back(*Texts);
  return List;
}

/// \p From as this version knows it; false when its size makes no sense.
template <typename T> bool take(const T *From, T &To) {
  if (!From || From->size < sizeof(size_t))
    return false;
  To = T();
  std::memcpy(&To, From, std::min(From->size, sizeof(T)));
  return true;
}

/// As much of \p From as the caller's version knows.
template <typename T> bool give(T From, T *To) {
  if (!To || To->size < sizeof(size_t))
    return false;
  From.size = To->size;
  std::memcpy(To, &From, std::min(To->size, sizeof(T)));
  return true;
}

} // namespace kpack::capi

#endif // KPACK_JIT_EXECUTOR_CAPI_CAPI_H
