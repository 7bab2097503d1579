//===- HipFunctions.h - search for the caller's HIP runtime -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the HIP runtime that a caller would reach without the shim. A process
// may hold several: dlopen() of a library loads its runtime into a local scope
// that other libraries do not see (Python loads all of its extensions so), and
// dlmopen() makes whole namespaces.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_HIPFUNCTIONS_H
#define KPACK_LIB_HIPSHIM_HIPFUNCTIONS_H

namespace kpack::hipshim {

/// The runtime's functions.
struct HipFunctions {
  void **(*Register)(const void *);
  void (*Unregister)(void **);

  explicit operator bool() const { return Register; }
};

/// Returns the functions that a call from \p Caller, an address in its code,
/// would reach without the shim; empty if the process has no runtime. If the
/// caller only passes calls on, the registered \p Wrapper identifies the real
/// one. May be called from any thread and from constructors of a library that
/// is being loaded; takes no lock but the dynamic linker's, and loads nothing.
HipFunctions findHipFunctions(const void *Caller, const void *Wrapper);

/// Returns the function \p Name of the runtime \p Hip, or null.
void *findHipFunction(const HipFunctions &Hip, const char *Name);

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_HIPFUNCTIONS_H
