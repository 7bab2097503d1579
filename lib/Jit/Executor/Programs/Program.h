//===- Executor/Programs/Program.h - compiled functions, loaded -*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a source text has become: its functions, ready to be called, and what is
// known of them. Everybody who may call one holds a reference; with the last
// one the code is unmapped. Counting is for those who keep a program, not for
// those who call: a call needs the function's address and nothing else.
//
// The code of ComposableKernel's stubs is never unloaded (Load.h). Who makes
// programs, and keeps those that are used often: ProgramCache.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAM_H
#define KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAM_H

#include "Jit/Executor/Load.h"

#include <atomic>
#include <memory>
#include <sys/types.h>
#include <utility>

namespace kpack::jit {

class Program;
class ProgramKernels;

/// A reference to a program, as a std::shared_ptr: may be given to C and taken
/// back. Different references to one program may be used by several threads.
class ProgramRef {
public:
  ProgramRef() = default;
  /// Takes over a count that somebody has, release()'s for example.
  static ProgramRef adopt(Program *Counted) { return ProgramRef(Counted); }
  ProgramRef(const ProgramRef &Other);
  ProgramRef(ProgramRef &&Other) noexcept
      : Held(std::exchange(Other.Held, nullptr)) {}
  ProgramRef &operator=(ProgramRef Other) noexcept {
    std::swap(Held, Other.Held);
    return *this;
  }
  ~ProgramRef();

  explicit operator bool() const { return Held != nullptr; }
  Program *get() const { return Held; }
  Program *operator->() const { return Held; }
  Program &operator*() const { return *Held; }
  /// Gives the count away.
  Program *release() { return std::exchange(Held, nullptr); }

private:
  explicit ProgramRef(Program *Counted) : Held(Counted) {}
  Program *Held = nullptr;
};

/// Immutable once it is there; thread-safe.
class Program {
public:
  /// Loads what \p Entry holds: a shared object of this machine, whose
  /// functions must be in a table (SourceUnit.h), or code of a GPU, which is
  /// read. Errors: those of LoadedCode; KernelNotFound, no table; IoError;
  /// InvalidFormat, its kernels are not those that the entry names.
  static Result<ProgramRef> load(StoredEntry Entry);
  /// Of a code object or PTX that somebody has compiled; its functions are all
  /// kernels of it, by their symbols. \p Name is for messages. Errors:
  /// InvalidFormat.
  static Result<ProgramRef> ofImage(std::string Image, std::string Name);
  /// What serialize() has given. Errors: InvalidFormat, it is none, or none any
  /// more; WrongIsa, of another machine; those of load().
  static Result<ProgramRef> deserialize(std::string_view Bytes);
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// All of it as the bytes of an entry (Entry.h). Errors: FileNotFound, it was
  /// loaded from a file that is gone; IoError.
  Result<std::string> serialize() const;

  /// What is known of it, functions in the table's order.
  const EntryInfo &info() const { return Info; }
  /// The digits of the entry's key.
  const std::string &key() const { return Key; }
  /// Whether it was compiled when this process loaded it; else it was found.
  bool wasCompiled() const { return IsCompiled; }
  /// Where it was found; may be gone.
  const std::string &path() const { return Path; }
  /// The address of a function of this process; null: it is a kernel. \p Index
  /// is below the number of info().Functions.
  void *function(size_t Index) const { return Table ? Table[Index] : nullptr; }
  /// The code object, or PTX; empty: it is a program of this process.
  const std::string &image() const { return Image; }
  /// Of an image; null: it has none.
  ProgramKernels *kernels() const { return Kernels.get(); }

  void retain() { Count.fetch_add(1, std::memory_order_relaxed); }
  /// The last one unloads the code: no function of it may be running. Kernels
  /// may, their end is waited for.
  void release();

private:
  Program(EntryInfo Info, std::string Path);
  ~Program();

  std::atomic<unsigned> Count{1};
  const EntryInfo Info;
  const std::string Key, Path;
  std::string InMemory; ///< the payload of code that no path leads to
  bool IsCompiled = false;
  std::optional<LoadedCode> Code;
  void *const *Table = nullptr; ///< in the code
  /// The process that has loaded code with kernels in it; 0: there are none.
  pid_t GpuLoader = 0;
  std::string Image;
  std::unique_ptr<ProgramKernels> Kernels; ///< last: uses the others
};

inline ProgramRef::ProgramRef(const ProgramRef &Other) : Held(Other.Held) {
  if (Held)
    Held->retain();
}
inline ProgramRef::~ProgramRef() {
  if (Held)
    Held->release();
}

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_PROGRAMS_PROGRAM_H
