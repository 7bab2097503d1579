//===- LoadedObjects.h - who needs whom -------------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the dynamic linker has loaded in our namespace, and what each object
// asks for (DT_NEEDED). For the one question that dlsym() cannot answer: who
// uses a library. HipRuntime.cpp asks it when everything else has failed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_LOADEDOBJECTS_H
#define KPACK_LIB_HIPSHIM_LOADEDOBJECTS_H

#include <string>
#include <string_view>
#include <vector>

struct link_map;

namespace kpack::hipshim {

/// DT_SONAME; empty if it has none.
std::string soNameOf(const link_map &Object);

class LoadedObjects {
public:
  /// As it is now. Takes the dynamic linker's lock.
  static LoadedObjects read();

  /// Paths of those that need the object at \p Path, directly or not, in the
  /// order in which they were loaded. The program itself is none of them.
  std::vector<std::string> usersOf(std::string_view Path) const;

  /// Paths of those whose name (DT_SONAME, or else that of the file) begins
  /// with \p Name.
  std::vector<std::string> named(std::string_view Name) const;

private:
  struct Object {
    std::string Path;
    std::string Name;
    std::vector<std::string> Needed;
  };
  std::vector<Object> All;
};

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_LOADEDOBJECTS_H
