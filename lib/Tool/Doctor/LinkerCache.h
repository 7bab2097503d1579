//===- Tool/Doctor/LinkerCache.h - reader of /etc/ld.so.cache ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the table of ldconfig, "glibc-ld.so.cache1.1" (glibc 2.2 and later), in
// which the dynamic linker finds libraries outside of a program's search paths.
// Used by NeededLibraries.h.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOL_DOCTOR_LINKERCACHE_H
#define KPACK_TOOL_DOCTOR_LINKERCACHE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace kpack::tool {

class LinkerCache {
public:
  /// Returns an empty cache if there is no such file, or another format.
  static LinkerCache read(llvm::StringRef Path = "/etc/ld.so.cache");
  static LinkerCache parse(llvm::StringRef Bytes);

  /// Returns the files for a library's name, in the order of the table. Some
  /// may be for other machines.
  std::vector<std::string> find(llvm::StringRef Name) const;

private:
  llvm::StringMap<std::vector<std::string>> Files;
};

} // namespace kpack::tool

#endif // KPACK_TOOL_DOCTOR_LINKERCACHE_H
