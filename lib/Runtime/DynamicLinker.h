//===- Runtime/DynamicLinker.h - what is loaded where -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which loaded object an address is in, and what that object sees. dlsym() on a
// handle answers for the scope of that object, which is what a caller in it
// would have reached. Used to find the HIP runtime behind the shim
// (lib/HipShim/HipRuntime.cpp) and the HSA runtime (Devices.h).
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_RUNTIME_DYNAMICLINKER_H
#define KPACK_RUNTIME_DYNAMICLINKER_H

#include <dlfcn.h>

struct link_map;

namespace kpack::runtime {

/// The loaded object that \p Address is in; null if there is none. Takes no
/// lock with glibc 2.35 or later.
link_map *objectOf(const void *Address);

/// The namespace of dlmopen() that \p Object is in; null: that of the program.
Lmid_t namespaceOf(link_map *Object);

/// What was looked for in vain is no error of the program's, which may ask
/// dlerror() after the dlopen() that brought us here. Returns \p Found.
void *quietly(void *Found);

/// A handle of an object that is loaded already. A link map alone does not do:
/// glibc makes the scope of a library that came with another one only when the
/// library itself is opened. Takes the dynamic linker's lock.
class LoadedHandle {
public:
  /// In our namespace; the program itself if \p Path is empty.
  explicit LoadedHandle(const char *Path);
  explicit LoadedHandle(link_map *Object);
  ~LoadedHandle();
  LoadedHandle(const LoadedHandle &) = delete;
  LoadedHandle &operator=(const LoadedHandle &) = delete;

  /// A definition of \p Name in the object or what it was linked with; null if
  /// there is none.
  void *find(const char *Name) const;
  /// The object stays loaded for ever.
  void keep() { IsBorrowed = true; }

private:
  void *Value;
  bool IsBorrowed = false;
};

} // namespace kpack::runtime

#endif // KPACK_RUNTIME_DYNAMICLINKER_H
