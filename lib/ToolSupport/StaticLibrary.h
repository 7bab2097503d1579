//===- StaticLibrary.h - members of a static library ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the members of a static library with LLVM's reader. That reader checks
// the size of a member only on the way to the next one, so the last member may
// reach beyond the file; it is refused here. So are names longer than a file's
// name can be, as a hostile library may give one long text to all its members.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_STATICLIBRARY_H
#define KPACK_TOOLSUPPORT_STATICLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <vector>

namespace llvm::object {
class Archive;
}

namespace kpack {

/// True if \p Bytes begin as a static library, thin or not.
bool startsStaticLibrary(llvm::StringRef Bytes);

/// True for a thin library, whose members are in other files.
bool startsThinLibrary(llvm::StringRef Bytes);

/// Refers to the bytes, which must outlive it; owns the members of a thin one.
class StaticLibrary {
public:
  struct Member {
    llvm::StringRef Name, Bytes;
  };

  /// Errors describe the problem without the name of the library.
  static llvm::Expected<StaticLibrary> read(llvm::MemoryBufferRef File);
  StaticLibrary(StaticLibrary &&);
  ~StaticLibrary();

  llvm::ArrayRef<Member> members() const { return Members; }

private:
  explicit StaticLibrary(std::unique_ptr<llvm::object::Archive> Library);

  std::unique_ptr<llvm::object::Archive> Library;
  std::vector<Member> Members;
};

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_STATICLIBRARY_H
