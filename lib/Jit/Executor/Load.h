//===- Jit/Executor/Load.h - cache entries as loaded code -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the shared object of an entry (RTLD_NOW, RTLD_LOCAL) and finds the
// exact symbol. It maps the file that was verified, not the file that has its
// name by then; if the file system forbids mapping code, it maps a copy in
// memory.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_LOAD_H
#define KPACK_JIT_EXECUTOR_LOAD_H

#include "Jit/Store/Store.h"

namespace kpack::jit {

/// Returns true if \p Entry is an ELF file for another kind of machine.
bool isForeignObject(const StoredEntry &Entry);

/// Code that stays mapped: stubs keep pointers into it, so it is only unmapped
/// by unload(). Copies are cheap.
class LoadedCode {
public:
  /// Takes only the descriptor of the entry. Errors: InvalidFormat if it is not
  /// a shared object for this machine; IoError with the dynamic linker's
  /// message.
  static Result<LoadedCode> load(StoredEntry &&Entry);

  /// Returns the symbol's address. Errors: KernelNotFound.
  Result<void *> symbol(const std::string &Name) const;

  /// Unmaps the code, also for copies. No pointer into it may be left.
  void unload();

private:
  LoadedCode(void *Handle, std::string Name)
      : Handle(Handle), Name(std::move(Name)) {}

  void *Handle;
  std::string Name; ///< of the kernel, for messages
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_LOAD_H
