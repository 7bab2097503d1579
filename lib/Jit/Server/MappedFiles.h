//===- MappedFiles.h - whose libraries are mapped ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel must not depend on the route by which it was compiled. So a request
// for a compiler is served only when that program would load the same files
// that are mapped here: libclang-cpp and libLLVM, as they were when they were
// mapped. The dynamic linker says which a program would load; that takes ten
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
  /// Of this process; looked at when the libraries have just been mapped.
  MappedFiles();

  /// Whether \p Program, an absolute path, is a clang with our libraries.
  bool isClang(llvm::StringRef Program);
  /// Whether it is an lld with our library, of the version that is linked in.
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
  std::map<std::string, bool> OurVersion; ///< of an lld, by its stamp
};

} // namespace kpack::jit

#endif // KPACK_LIB_JIT_SERVER_MAPPEDFILES_H
