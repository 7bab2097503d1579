//===- Emulator.cpp - loader of the driver library ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the driver from this library's folder, and privately: its LLVM is not
// the one of the program or of the runtime's compiler.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Preload/Emulator.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

using namespace kpack::softgpu;

static pthread_once_t Once = PTHREAD_ONCE_INIT;
static std::atomic<const EmulatorTable *> Table{nullptr};

/// Sets \p Path to that of a file \p Name beside this library. Returns false if
/// the library's path is not known or the result is too long.
static bool besideUs(const char *Name, char (&Path)[PATH_MAX]) {
  Dl_info Us;
  if (!::dladdr(reinterpret_cast<void *>(&besideUs), &Us) || !Us.dli_fname)
    return false;
  const char *Slash = std::strrchr(Us.dli_fname, '/');
  int Folder = Slash ? int(Slash - Us.dli_fname) : 0;
  return std::snprintf(Path, sizeof(Path), "%.*s/%s", Folder, Us.dli_fname,
                       Name) < int(sizeof(Path));
}

static void load() {
  char Path[PATH_MAX];
  if (!besideUs("libsoftgpu_driver.so", Path))
    return;
  void *Library = ::dlopen(Path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!Library) {
    std::fprintf(stderr,
                 "kpack-run: error: %s: cannot be loaded: %s; build or install "
                 "'softgpu_driver' of kpack\n",
                 Path, ::dlerror());
    return;
  }
  auto Entry =
      reinterpret_cast<EmulatorEntry>(::dlsym(Library, EmulatorEntryName));
  const EmulatorTable *Loaded = Entry ? Entry() : nullptr;
  if (Loaded)
    Loaded->UseSignals(nextSigaction());
  Table = Loaded;
}

const EmulatorTable *kpack::softgpu::emulator() {
  ::pthread_once(&Once, load);
  return Table;
}

const EmulatorTable *kpack::softgpu::loadedEmulator() { return Table; }
