//===- DynamicLinker.h - loaded objects and their scopes --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the loaded object at an address, and the symbols in its scope. dlsym()
// on a handle searches the scope of that object, so the result is the
// definition that a caller in it would reach. Used to find the HIP runtime that
// the shim hides (lib/HipShim/HipFunctions.cpp) and the HSA runtime
// (DeviceList.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_DYNAMICLINKER_H
#define KPACK_RUNTIME_DYNAMICLINKER_H

#include <dlfcn.h>

struct link_map;

namespace kpack::runtime {

/// Returns the loaded object that contains \p Address, or null. Takes no lock
/// with glibc 2.35 or later.
link_map *findObject(const void *Address);

/// Returns the dlmopen() namespace of \p Object; for null, the program's.
Lmid_t getNamespace(link_map *Object);

/// Clears the dlerror() of a failed look-up: the program, whose dlopen() may
/// have called us, must not see it. Returns \p Found.
void *quietly(void *Found);

/// A handle of an object that is loaded already. A link map alone does not do:
/// glibc builds the scope of a library that was loaded as a dependency only
/// when the library itself is opened. Takes the dynamic linker's lock.
class LoadedHandle {
public:
  /// Opens an object of our namespace; the program itself if \p Path is empty.
  explicit LoadedHandle(const char *Path);
  explicit LoadedHandle(link_map *Object);
  ~LoadedHandle();
  LoadedHandle(const LoadedHandle &) = delete;
  LoadedHandle &operator=(const LoadedHandle &) = delete;

  /// Returns a definition of \p Name in the object or its dependencies, or
  /// null.
  void *find(const char *Name) const;
  /// Keeps the object loaded after the handle is gone.
  void keep() { IsBorrowed = true; }

private:
  void *Value;
  bool IsBorrowed = false;
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_DYNAMICLINKER_H
