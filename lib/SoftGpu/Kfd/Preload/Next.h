//===- Next.h - look-up of the replaced functions ---------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This library looks them up when it is initialised, before any other library.
// A look-up at the first call could deadlock: a constructor that runs under the
// dynamic linker's lock may wait for the calling thread. Even earlier calls
// look up their function themselves, so all objects are constant-initialised. A
// separate section lists them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_SOFTGPU_KFD_PRELOAD_NEXT_H
#define KPACK_LIB_SOFTGPU_KFD_PRELOAD_NEXT_H

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>

/// Marks the functions that programs can see.
#define KPACK_EXPORT extern "C" __attribute__((visibility("default")))

namespace kpack::softgpu {

/// Declares a Next.
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
    if (!Found) // programs could not call it either: this C library lacks it
      std::abort();
    return reinterpret_cast<Function *>(Found)(Arguments...);
  }

  bool exists() { return find() != nullptr; }
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_NEXT_H
