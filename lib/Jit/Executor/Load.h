//===- Jit/Executor/Load.h - an entry as code -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the shared object that an entry holds (RTLD_NOW, RTLD_LOCAL) and finds
// the exact symbol in it. What is mapped is the file that was verified, not
// whatever has its name by then; where the file system forbids to map code, a
// copy in memory is.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_JIT_EXECUTOR_LOAD_H
#define KPACK_JIT_EXECUTOR_LOAD_H

#include "Jit/Store/Store.h"

namespace kpack::jit {

/// Whether \p Entry holds an ELF file for machines of another kind than this.
bool isForeignObject(const StoredEntry &Entry);

/// Code that stays mapped: stubs keep pointers into it, so that nothing unmaps
/// it by itself. Copies are cheap.
class LoadedCode {
public:
  /// Takes the entry's descriptor, and nothing else of it. Errors:
  /// InvalidFormat when it is no shared object of this machine; IoError with
  /// the dynamic linker's words.
  static Result<LoadedCode> load(StoredEntry &&Entry);

  /// The symbol's address. Errors: KernelNotFound.
  Result<void *> symbol(const std::string &Name) const;

  /// For who knows that nobody has a pointer into it any more; of a copy, too.
  void unload();

private:
  LoadedCode(void *Handle, std::string Name)
      : Handle(Handle), Name(std::move(Name)) {}

  void *Handle;
  std::string Name; ///< of the kernel, for messages
};

} // namespace kpack::jit

#endif // KPACK_JIT_EXECUTOR_LOAD_H
