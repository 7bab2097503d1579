//===- ToolSupport/StaticLibrary.h - members of a .a ------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The members of a static library, by LLVM's reader. That one compares the size
// of a member with what is left of the file only when it goes to the next one,
// so the last member may lead out of the file: it is refused here. So are names
// that are longer than a file's can be, as a hostile library may give one text
// to all of its members.
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

/// Whether \p Bytes begin as a static library does, a thin one included.
bool startsStaticLibrary(llvm::StringRef Bytes);

/// The same for a thin one, whose members are in other files.
bool startsThinLibrary(llvm::StringRef Bytes);

/// Refers to the bytes, which must outlive it; holds the members of a thin one.
class StaticLibrary {
public:
  struct Member {
    llvm::StringRef Name, Bytes;
  };

  /// An error says what is wrong with the library, and not how it is called.
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
