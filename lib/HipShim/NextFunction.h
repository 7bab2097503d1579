//===- NextFunction.h - next definition of a replaced function --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the C library's functions that libkpack_hip.so replaces.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HIPSHIM_NEXTFUNCTION_H
#define KPACK_LIB_HIPSHIM_NEXTFUNCTION_H

#include <atomic>
#include <dlfcn.h>

#define KPACK_INTERPOSED __attribute__((visibility("default")))

namespace kpack::hipshim {

/// Returns the next definition after ours. Several threads may look it up at
/// once: a lock around dlsym() could wait for a thread that holds the dynamic
/// linker's.
template <typename Function>
Function *nextFunction(std::atomic<Function *> &Known, const char *Name) {
  Function *Next = Known.load(std::memory_order_acquire);
  if (!Next) {
    Next = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
    Known.store(Next, std::memory_order_release);
  }
  return Next;
}

/// The same for a function of libc, which precedes us in the search order if
/// the program is not linked with the shim but with a library that is.
template <typename Function>
Function *nextOfLibc(std::atomic<Function *> &Known, const char *Name) {
  if (Function *Next = nextFunction(Known, Name))
    return Next;
  void *Libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  auto *Next = reinterpret_cast<Function *>(Libc ? dlsym(Libc, Name) : nullptr);
  Known.store(Next, std::memory_order_release);
  return Next;
}

} // namespace kpack::hipshim

#endif // KPACK_LIB_HIPSHIM_NEXTFUNCTION_H
