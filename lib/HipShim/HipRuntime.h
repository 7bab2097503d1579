//===- HipRuntime.h - the runtime behind us ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which HIP runtime a caller would have reached if the shim were not there. A
// process may hold several: a library that dlopen() loads brings its runtime
// along in a scope of its own, where nobody else sees it (Python loads all of
// its extensions so), and dlmopen() makes whole namespaces.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_HIPRUNTIME_H
#define KPACK_LIB_HIPSHIM_HIPRUNTIME_H

namespace kpack::hipshim {

/// The runtime's functions.
struct HipFunctions {
  void **(*Register)(const void *);
  void (*Unregister)(void **);

  explicit operator bool() const { return Register; }
};

/// The functions that a call from \p Caller, an address in its code, would
/// reach without the shim; empty if there is no runtime in the process.
/// \p Wrapper, which is registered, stands for the caller if that one only
/// passes calls on. From any thread, also from constructors of a library that
/// is being loaded; takes no lock but the dynamic linker's, and loads nothing.
HipFunctions findHipFunctions(const void *Caller, const void *Wrapper);

/// A function of the runtime \p Hip that its callers know by \p Name; null when
/// it has none.
void *findHipFunction(const HipFunctions &Hip, const char *Name);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_HIPRUNTIME_H
