//===- Next.h - the function that ours stands in front of -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Found by the dynamic linker when this library is initialised, which is before
// any other library is: a lookup at the first call could wait for ever, where a
// constructor that the linker's lock is held for waits for the calling thread.
// What is called even earlier is looked up then, so all are
// constant-initialised. They are found as the elements of a section of their
// own.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_NEXT_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_NEXT_H

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>

/// What programs see of this library.
#define KPACK_EXPORT extern "C" __attribute__((visibility("default")))

namespace kpack::softgpu {

/// What stands in front of each Next that is declared.
#define KPACK_NEXT [[gnu::used, gnu::section("kpack_next")]] static constinit

class AnyNext {
public:
  explicit constexpr AnyNext(const char *Name) : Name(Name) {}

  void *find() {
    void *Function = Found.load(std::memory_order_relaxed);
    if (!Function) {
      Function = ::dlsym(RTLD_NEXT, Name);
      Found.store(Function, std::memory_order_relaxed);
    }
    return Function;
  }

private:
  const char *Name;
  std::atomic<void *> Found{nullptr};
};

template <typename Function> class Next : public AnyNext {
public:
  using AnyNext::AnyNext;

  template <typename... Values> auto operator()(Values... Arguments) {
    void *Found = find();
    if (!Found) // this C library has no such function, nor can a program
      std::abort();
    return reinterpret_cast<Function *>(Found)(Arguments...);
  }

  bool exists() { return find() != nullptr; }
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_NEXT_H
