//===- Programs/Program.h - loaded functions of a source text ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiled functions of a source text, ready to be called, and their
// description. All users of a program hold a reference; releasing the last one
// unmaps the code. Only owners count references: a call needs just the
// function's address.
//
// The code of ComposableKernel's stubs is never unloaded (Load.h).
// ProgramCache.h makes programs and keeps the frequently used ones.
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

/// A reference to a program, like a std::shared_ptr that can be passed through
/// C. Threads may use different references to one program.
class ProgramRef {
public:
  ProgramRef() = default;
  /// Takes over a counted reference, for example from release().
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
  /// Gives up the reference without releasing it.
  Program *release() { return std::exchange(Held, nullptr); }

private:
  explicit ProgramRef(Program *Counted) : Held(Counted) {}
  Program *Held = nullptr;
};

/// Immutable after construction; thread-safe.
class Program {
public:
  /// Loads \p Entry: a shared object for this machine, whose functions must be
  /// in a table (SourceUnit.h), or device code, which is parsed. Errors: those
  /// of LoadedCode; KernelNotFound without a table; IoError; InvalidFormat if
  /// its kernels are not those that the entry names.
  static Result<ProgramRef> load(StoredEntry Entry);
  /// Makes a program of a code object or PTX from elsewhere; its functions are
  /// all its kernels, by symbol. \p Name is for messages. Errors:
  /// InvalidFormat.
  static Result<ProgramRef> ofImage(std::string Image, std::string Name);
  /// Loads the result of serialize(). Errors: InvalidFormat for other or
  /// outdated bytes; WrongIsa for another machine; those of load().
  static Result<ProgramRef> deserialize(std::string_view Bytes);
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Returns the program as the bytes of an entry (Entry.h). Errors:
  /// FileNotFound if the file that it was loaded from is gone; IoError.
  Result<std::string> serialize() const;

  /// Returns the description; functions are in the table's order.
  const EntryInfo &info() const { return Info; }
  /// Returns the digits of the entry's key.
  const std::string &key() const { return Key; }
  /// True if this process compiled it; false if it was cached.
  bool wasCompiled() const { return IsCompiled; }
  /// Returns the path of the entry; it may be gone.
  const std::string &path() const { return Path; }
  /// Returns the address of a host function; null for a kernel. \p Index must
  /// be below the number of info().Functions.
  void *function(size_t Index) const { return Table ? Table[Index] : nullptr; }
  /// Returns the code object or PTX; empty for a host program.
  const std::string &image() const { return Image; }
  /// Returns the kernels of the image; null without an image.
  ProgramKernels *kernels() const { return Kernels.get(); }

  void retain() { Count.fetch_add(1, std::memory_order_relaxed); }
  /// Releasing the last reference unloads the code: no function of it may be
  /// running. It waits for running kernels.
  void release();

private:
  Program(EntryInfo Info, std::string Path);
  ~Program();

  std::atomic<unsigned> Count{1};
  const EntryInfo Info;
  const std::string Key, Path;
  std::string InMemory; ///< the payload of code without a path
  bool IsCompiled = false;
  std::optional<LoadedCode> Code;
  void *const *Table = nullptr; ///< points into the code
  /// The process that loaded host code with kernels; 0 without kernels.
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
