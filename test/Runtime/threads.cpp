//===- threads.cpp - both APIs under ThreadSanitizer ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the APIs promise about threads, with everything compiled for
// ThreadSanitizer: archives opened at once, one archive queried and loaded from
// at once, one cache used by many threads from its first moment on, archives
// that are damaged or missing among them.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %host_cxx -std=c++17 -O1 -g1 -fsanitize=thread -DKPACK_LIBDIR_FROM_BINDIR='""' -DKPACK_BINDIR_FROM_LIBDIR='""' -I %srcroot/include -I %srcroot/lib \
// RUN:   -c %srcroot/lib/Archive/*.cpp %srcroot/lib/Support/*.cpp %srcroot/lib/Runtime/*.cpp
// RUN: %host_cxx -std=c++17 -O1 -g1 -fsanitize=thread -I %srcroot/include -DRFC -c %s -o rfc.o
// RUN: %host_cxx -std=c++17 -O1 -g1 -fsanitize=thread -I %srcroot/include -c %s -o main.o
// RUN: %host_cxx -fsanitize=thread *.o -lzstd -o program
// RUN: ./program 2>&1 | FileCheck --implicit-check-not=ThreadSanitizer %s
//
// CHECK-COUNT-1: kpack: warning: ./damaged.kpack:
// CHECK-NOT: warning
// CHECK: 8 threads, 0 wrong
//
//===----------------------------------------------------------------------===//
#include <atomic>
#include <string>
#include <thread>
#include <vector>

void rfcThread(const std::string &Scheme, std::atomic<int> &Wrong);
void openShared();
void closeShared();

#ifdef RFC
#include <kpack/kpack.h>

static kpack_archive_t Shared[2];

void openShared() {
  kpack_open("none.kpack", &Shared[0]);
  kpack_open("zstd.kpack", &Shared[1]);
}

void closeShared() {
  for (kpack_archive_t A : Shared)
    kpack_close(A);
}

void rfcThread(const std::string &Scheme, std::atomic<int> &Wrong) {
  kpack_archive_t Own = nullptr;
  Wrong += kpack_open((Scheme + ".kpack").c_str(), &Own) != KPACK_SUCCESS;
  for (kpack_archive_t A : {Shared[0], Shared[1], Own}) {
    const char **Names = nullptr;
    const char *Json = nullptr;
    const void *Bytes = nullptr;
    size_t Size = 0;
    kpack_get_architectures(A, &Names, &Size);
    Wrong += std::string(Names[0]) != "gfx942";
    kpack_list_kernels(A, "app", "gfx942", &Names, &Size);
    Wrong += Size != 4 || std::string(Names[3]) != "app#3";
    kpack_get_kernel_metadata(A, "app", "gfx942", &Json, &Size);
    Wrong += std::string(Json).size() != Size;
    for (const char *Name : {"app#0", "app#1", "app#2", "app#3"}) {
      Wrong +=
          kpack_get_kernel(A, Name, "gfx942", &Bytes, &Size) != KPACK_SUCCESS ||
          Size != 3000;
      kpack_free_kernel(A, Bytes);
    }
    Wrong += kpack_get_kernel(A, "none", "gfx942", &Bytes, &Size) !=
             KPACK_ERROR_KERNEL_NOT_FOUND;
    Wrong += *kpack_get_last_error(A) == '\0';
  }
  kpack_close(Own);
}
#else
#include <rocm_kpack/kpack.h>

#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/Archive/Marker.h"

#include <cstdio>

static bool write(const std::string &Path, kpack::CompressionScheme Scheme) {
  kpack::ArchiveWriterOptions Options;
  Options.Scheme = Scheme;
  Options.Threads = 2;
  auto Writer = kpack::ArchiveWriter::create(Path, Options);
  if (!Writer)
    return false;
  for (char I = '0'; I != '4'; ++I)
    if (!(*Writer)
             ->add(std::string("app#") + I, "gfx942", std::string(3000, I))
             .ok())
      return false;
  return (*Writer)->commit().ok();
}

static void rocmThread(kpack_cache_t Cache, const std::string &Marker,
                       std::atomic<int> &Wrong) {
  const char *Archs[] = {"gfx942:sramecc+:xnack-"};
  for (uint32_t Index = 0; Index != 5; ++Index) {
    void *Bytes = nullptr;
    size_t Size = 0;
    kpack_error_t Error = kpack_load_code_object(
        Cache, Marker.data(), "./app", Index, Archs, 1, &Bytes, &Size);
    if (Index == 4) // the damaged archive might have had it
      Wrong += Error != KPACK_ERROR_INVALID_FORMAT;
    else
      Wrong += Error != KPACK_SUCCESS || Size != 3000 ||
               *static_cast<char *>(Bytes) != char('0' + Index);
    kpack_free_code_object(Bytes);
  }
  char Path[4096];
  Wrong +=
      kpack_discover_binary_path(reinterpret_cast<void *>(&rocmThread), Path,
                                 sizeof(Path), nullptr) != KPACK_SUCCESS;
}

int main() {
  std::FILE *Damaged = std::fopen("damaged.kpack", "w");
  std::fputs("damaged", Damaged);
  std::fclose(Damaged);
  kpack::Marker M;
  M.KernelName = "app";
  M.SearchPaths = {"damaged.kpack", "missing_@GFXARCH@.kpack", "zstd.kpack",
                   "none.kpack"};
  auto Marker = kpack::encodeMarker(M);
  if (!Marker || !write("none.kpack", kpack::CompressionScheme::None) ||
      !write("zstd.kpack", kpack::CompressionScheme::ZstdPerKernel))
    return 1;

  std::atomic<int> Wrong{0};
  kpack_cache_t Cache = nullptr;
  kpack_cache_create(&Cache);
  openShared();
  std::vector<std::thread> Threads;
  for (int T = 0; T != 8; ++T)
    Threads.emplace_back([&, T] {
      for (int Round = 0; Round != 20; ++Round) {
        rocmThread(Cache, *Marker, Wrong);
        rfcThread(T % 2 ? "none" : "zstd", Wrong);
      }
    });
  for (std::thread &T : Threads)
    T.join();
  closeShared();
  kpack_cache_destroy(Cache);
  std::printf("%zu threads, %d wrong\n", Threads.size(), Wrong.load());
}
#endif
