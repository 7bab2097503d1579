//===- MappedFiles.h - check of a compiler's libraries ----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel must not depend on the route by which it was compiled. So a request
// for a compiler is served only if that program would load the files that are
// mapped here: libclang-cpp and libLLVM, unchanged since they were mapped. The
// dynamic linker lists the files that a program would load. That takes ten
// milliseconds, so each warm compiler asks it once for each program.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_JIT_SERVER_MAPPEDFILES_H
#define KPACK_LIB_JIT_SERVER_MAPPEDFILES_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace kpack::jit {

class MappedFiles {
public:
  /// Records this process's libraries; call it right after they were mapped.
  MappedFiles();

  /// Returns true if \p Program, an absolute path, is a clang with our
  /// libraries.
  bool isClang(llvm::StringRef Program);
  /// Returns true for an lld with our library and of the version that is linked
  /// in.
  bool isLld(llvm::StringRef Program);

private:
  struct Library {
    std::string Path, Stamp;
  };

  bool loadsOurs(llvm::StringRef Program, llvm::StringRef Real, size_t Wanted);
  bool askLinker(llvm::StringRef Program, size_t Wanted) const;

  std::string DynamicLinker;
  std::vector<Library> Libraries;
  std::map<std::string, bool> Answers;
  std::map<std::string, bool> OurVersion; ///< by the stamp of an lld
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVER_MAPPEDFILES_H
