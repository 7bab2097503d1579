//===- LoadedObjects.h - loaded libraries and dependencies ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the objects that the dynamic linker has loaded in our namespace and
// their dependencies (DT_NEEDED). dlsym() cannot find the users of a library;
// HipFunctions.cpp needs them when all other ways have failed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_LOADEDOBJECTS_H
#define KPACK_LIB_HIPSHIM_LOADEDOBJECTS_H

#include <string>
#include <string_view>
#include <vector>

struct link_map;

namespace kpack::hipshim {

/// Returns DT_SONAME, or an empty string.
std::string getSoName(const link_map &Object);

class LoadedObjects {
public:
  /// Reads the current state. Takes the dynamic linker's lock.
  static LoadedObjects read();

  /// Returns the paths of the objects that need the one at \p Path, directly or
  /// not, in load order. The program itself is not among them.
  std::vector<std::string> findUsers(std::string_view Path) const;

  /// Returns the paths of the objects whose DT_SONAME, or else file name,
  /// begins with \p Name.
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
