//===- Next.h - the function that ours stands in front of -------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Found by the dynamic linker at the first call and kept. Constant-initialised,
// as functions of ours are called before any constructor has run.
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

template <typename Function> class Next {
public:
  explicit constexpr Next(const char *Name) : Name(Name) {}

  template <typename... Values> auto operator()(Values... Arguments) {
    if (!exists()) // this C library has no such function, nor can a program
      std::abort();
    return Found.load(std::memory_order_relaxed)(Arguments...);
  }

  bool exists() {
    if (!Found.load(std::memory_order_relaxed))
      Found.store(reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, Name)),
                  std::memory_order_relaxed);
    return Found.load(std::memory_order_relaxed) != nullptr;
  }

private:
  const char *Name;
  std::atomic<Function *> Found{nullptr};
};

} // namespace kpack::softgpu

#endif // KPACK_LIB_SOFTGPU_KFD_PRELOAD_NEXT_H
