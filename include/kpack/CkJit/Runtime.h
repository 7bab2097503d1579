//===- CkJit/Runtime.h - calls of kernels compiled on demand ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by rewritten dispatchers, and the types of tables of stubs. A stub's
// slot holds the address of its function: a warm call is one atomic load and an
// indirect call. The first call passes the slot to libckjit, which finds the
// blob in the library's manifest, compiles it or loads it from the cache, and
// stores the address.
//
// A call that cannot be resolved never returns a number that looks like a
// result: it throws ck_jit_error, after it has called the handler if there is
// one. ck_jit_try() returns the error instead. For several kernels that depend
// on each other, ck_jit_ready() resolves all of them before the first one runs.
//
// C++17, no other header of the project. docs/reference/ck-jit-runtime.md.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CKJIT_RUNTIME_H
#define KPACK_CKJIT_RUNTIME_H

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

extern "C" {

/// One source file that is compiled on demand.
struct ck_jit_blob {
  const char *stem;   ///< file name without folder and extension; unique
  const char *source; ///< absolute, or relative to the manifest's root
  /// The folder in which the build compiled it; null: the source's.
  const char *directory;
  /// Null-terminated lists. Flags are those of the build without the compiler,
  /// -c, -o and the source; "{root}" in them is the manifest's root. Symbols
  /// are the functions that the blob defines, by their names in the symbol
  /// table.
  const char *const *flags;
  const char *const *symbols;
};

/// A number that a library was linked with, in place of the function of a blob
/// that returned it.
struct ck_jit_constant {
  const char *blob; ///< stem
  const char *symbol;
  unsigned kind;           ///< ck_jit_kind
  unsigned size;           ///< bytes of the number's type
  unsigned parameters;     ///< with the object of a member function
  unsigned weak;           ///< not 0: the blob need not have it
  unsigned long long bits; ///< integers sign- or zero-extended by their type
};

enum ck_jit_kind { CK_JIT_INTEGER = 0, CK_JIT_FLOATING = 1 };

/// The blobs of a library with stubs. Sorted by stem.
struct ck_jit_manifest {
  unsigned abi; ///< CK_JIT_ABI or less
  const char *name;
  /// The folder of relative sources; a relative root starts at the folder of
  /// the binary that holds this manifest. Null: "ck_jit".
  const char *root;
  const char *compiler; ///< null: clang++ of ROCm, else of PATH
  const struct ck_jit_blob *blobs;
  size_t blob_count;
  const char *const *link_flags; ///< null-terminated, or null
  /// Since CK_JIT_ABI 2. Sorted by stem.
  const struct ck_jit_constant *constants = nullptr;
  size_t constant_count = 0;
};

/// One stub. The first word is the function's address, null until it is known;
/// tables that assembly jumps through start with a resolver there instead.
struct ck_jit_slot {
  std::atomic<void *> address;
  const char *blob;
  const char *symbol;
  const struct ck_jit_manifest *manifest;
};

/// The ABI of a manifest with constants; without, it is 1.
#define CK_JIT_ABI 2u

enum ck_jit_code {
  CK_JIT_OK = 0,
  CK_JIT_NO_BLOB = 1,      ///< no manifest knows the blob
  CK_JIT_NO_SOURCE = 2,    ///< the source cannot be read
  CK_JIT_NO_COMPILER = 3,  ///< the compiler cannot be run
  CK_JIT_COMPILE = 4,      ///< the compiler fails, until it changes
  CK_JIT_LOAD = 5,         ///< the dynamic linker fails
  CK_JIT_NO_SYMBOL = 6,    ///< the blob does not define the function
  CK_JIT_NOT_PREBUILT = 7, ///< strict mode, and not in the cache
  CK_JIT_TRANSIENT = 8,    ///< disk full, memory, interrupted; is retried
  CK_JIT_NO_TARGET = 9,    ///< no GPU, or an unknown one
  CK_JIT_PENDING = 10,     ///< no answer yet: ck_jit_resolve_async()
  CK_JIT_STALE = 11        ///< the source has other numbers than at the link
};

/// The reason why a slot has no function. Plain data that lives as long as the
/// process.
struct ck_jit_failure {
  int code; ///< ck_jit_code
  const char *blob;
  const char *symbol;
  const char *message; ///< the compiler's message if there is one
};

/// Returns the function of \p Slot; null, with \p Why set, if there is none.
/// Stores the address in the slot. Thread-safe; never throws. Reports a failure
/// on stderr once. Later calls retry failures that may go away, after a pause
/// that doubles up to a minute.
void *ck_jit_resolve(struct ck_jit_slot *Slot,
                     const struct ck_jit_failure **Why);

/// Like ck_jit_resolve() for all of \p Count slots at once. Returns null, or
/// the failure of the first slot without a function.
const struct ck_jit_failure *
ck_jit_resolve_all(struct ck_jit_slot *const *Slots, size_t Count);

/// Like ck_jit_resolve(), but never waits: while a thread of libckjit works on
/// the slot the failure is CK_JIT_PENDING, which is not reported. The slot must
/// stay in place until then.
void *ck_jit_resolve_async(struct ck_jit_slot *Slot,
                           const struct ck_jit_failure **Why);

/// Like ck_jit_resolve(), for the assembly of the link seam: throws
/// ck_jit_error.
void *ck_jit_resolve_or_throw(struct ck_jit_slot *Slot);

/// The generated manifest of the library that includes this header.
extern const struct ck_jit_manifest ck_jit_embedded_manifest
    __attribute__((visibility("hidden")));

/// Sets the folder of compiled blobs, instead of CK_JIT_CACHE_DIR. Call it
/// before the first call of a stub; afterwards it returns false and changes
/// nothing.
bool ck_jit_set_cache_dir(const char *Path);
/// Sets the target id that blobs are compiled for ("gfx942"), instead of the
/// GPU that is found. Call it before the first call of a stub.
bool ck_jit_set_target(const char *TargetId);

/// Called for every call that fails, before it throws; may throw something
/// else.
using ck_jit_error_handler = void (*)(const struct ck_jit_failure *, void *);
void ck_jit_set_error_handler(ck_jit_error_handler Handler, void *User);
ck_jit_error_handler ck_jit_get_error_handler(void **User);

/// Counts of this process.
struct ck_jit_statistics {
  unsigned long long resolved, hits, compiles, failures;
  double compile_seconds;
};
void ck_jit_get_statistics(struct ck_jit_statistics *Out);

} // extern "C"

/// A call that could not be made.
class ck_jit_error : public std::runtime_error {
public:
  explicit ck_jit_error(const ck_jit_failure &Why)
      : std::runtime_error(std::string(Why.blob) + ": " + Why.message),
        Failure(&Why) {}
  const ck_jit_failure &failure() const { return *Failure; }

private:
  const ck_jit_failure *Failure;
};

namespace ck_jit_detail {

/// Handles a call whose function does not exist; out of line and cold.
[[noreturn]] __attribute__((noinline, cold)) inline void
fail(const ck_jit_failure &Why) {
  void *User = nullptr;
  if (ck_jit_error_handler Handler = ck_jit_get_error_handler(&User))
    Handler(&Why, User);
#if defined(__cpp_exceptions)
  throw ck_jit_error(Why);
#else
  std::fprintf(stderr,
               "ck-jit: error: %s: %s; stopped here, because nothing "
               "can be computed without it\n",
               Why.blob, Why.message);
  std::abort();
#endif
}

__attribute__((noinline, cold)) inline void *resolve(ck_jit_slot &Slot) {
  const ck_jit_failure *Why = nullptr;
  if (void *Address = ck_jit_resolve(&Slot, &Why))
    return Address;
  fail(*Why);
}

__attribute__((noinline, cold)) inline void
resolveAll(ck_jit_slot *const *Slots, size_t Count) {
  if (const ck_jit_failure *Why = ck_jit_resolve_all(Slots, Count))
    fail(*Why);
}

} // namespace ck_jit_detail

/// Calls the function of \p Slot, whose type is \p Signature. Throws
/// ck_jit_error if it cannot be resolved.
template <typename Signature, typename... Arguments>
inline decltype(auto) ck_jit_call(ck_jit_slot &Slot, Arguments &&...Args) {
  void *Address = Slot.address.load(std::memory_order_acquire);
  if (__builtin_expect(!Address, 0))
    Address = ck_jit_detail::resolve(Slot);
  return reinterpret_cast<Signature *>(Address)(
      std::forward<Arguments>(Args)...);
}

/// The result of ck_jit_try(): a value, or the failure.
template <typename Type> struct ck_jit_result {
  Type value{};
  const ck_jit_failure *failure = nullptr;
  explicit operator bool() const { return !failure; }
};
template <> struct ck_jit_result<void> {
  const ck_jit_failure *failure = nullptr;
  explicit operator bool() const { return !failure; }
};

namespace ck_jit_detail {

template <typename Signature, typename... Arguments>
inline auto tryWith(void *(*Resolve)(ck_jit_slot *, const ck_jit_failure **),
                    ck_jit_slot &Slot, Arguments &&...Args) {
  using Value = std::invoke_result_t<Signature *, Arguments...>;
  ck_jit_result<Value> Result;
  void *Address = Slot.address.load(std::memory_order_acquire);
  if (__builtin_expect(!Address, 0))
    Address = Resolve(&Slot, &Result.failure);
  if (!Address)
    return Result;
  auto *Function = reinterpret_cast<Signature *>(Address);
  if constexpr (std::is_void_v<Value>)
    Function(std::forward<Arguments>(Args)...);
  else
    Result.value = Function(std::forward<Arguments>(Args)...);
  return Result;
}

} // namespace ck_jit_detail

/// Like ck_jit_call(), with the error as a value; calls no handler.
template <typename Signature, typename... Arguments>
inline auto ck_jit_try(ck_jit_slot &Slot, Arguments &&...Args) {
  return ck_jit_detail::tryWith<Signature>(&ck_jit_resolve, Slot,
                                           std::forward<Arguments>(Args)...);
}

/// Like ck_jit_try(), for callers with a fallback kernel: the failure is
/// CK_JIT_PENDING while the function is compiled in the background.
template <typename Signature, typename... Arguments>
inline auto ck_jit_try_async(ck_jit_slot &Slot, Arguments &&...Args) {
  return ck_jit_detail::tryWith<Signature>(&ck_jit_resolve_async, Slot,
                                           std::forward<Arguments>(Args)...);
}

/// Resolves all slots before any of them is called, for steps of which the
/// first alone would leave wrong data. Compiles them at once. Throws
/// ck_jit_error.
template <typename... Slots> inline void ck_jit_ready(Slots &...All) {
  if (__builtin_expect((All.address.load(std::memory_order_acquire) && ...), 1))
    return;
  ck_jit_slot *const Each[] = {&All...};
  ck_jit_detail::resolveAll(Each, sizeof...(All));
}

/// Defines a slot at namespace scope or in a function; it is constant data
/// until its first call, without a constructor or a guard.
#define CK_JIT_SLOT(NAME, STEM, SYMBOL)                                        \
  static ck_jit_slot NAME { {nullptr}, STEM, SYMBOL, &ck_jit_embedded_manifest }

#endif // KPACK_CKJIT_RUNTIME_H
