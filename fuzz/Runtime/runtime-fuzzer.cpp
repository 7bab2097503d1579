//===- runtime-fuzzer.cpp - fuzzer of kpack_load_code_object() ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole way of kpack_load_code_object(): two bytes with the length of the
// marker, the marker, the archive. The marker stands at the very end of
// readable memory; the archive is a file in memory that ROCM_KPACK_PATH names,
// whatever the marker says.
//
//===----------------------------------------------------------------------===//
#include "rocm_kpack/kpack.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr size_t MarkerRoom = 1 << 16;

struct Surroundings {
  int Archive = memfd_create("archive", 0);
  std::FILE *Null = std::fopen("/dev/null", "w");
  char *MarkerEnd;

  Surroundings() {
    char *Start = static_cast<char *>(mmap(nullptr, 2 * MarkerRoom,
                                           PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (Archive < 0 || !Null || Start == MAP_FAILED ||
        mprotect(Start + MarkerRoom, MarkerRoom, PROT_NONE) != 0)
      std::abort();
    MarkerEnd = Start + MarkerRoom;
    std::string Path = "/proc/self/fd/" + std::to_string(Archive);
    setenv("ROCM_KPACK_PATH", Path.c_str(), 1);
    setenv("ROCM_KPACK_DEBUG", "1", 1); // its texts are made from the input
  }

  void writeArchive(const uint8_t *Bytes, size_t Size) const {
    if (ftruncate(Archive, 0) != 0 ||
        pwrite(Archive, Bytes, Size, 0) != static_cast<ssize_t>(Size))
      std::abort();
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const Surroundings Here;
  if (Size < 2)
    return 0;
  size_t MarkerSize = Data[0] | Data[1] << 8;
  Data += 2;
  Size -= 2;
  if (MarkerSize > Size)
    return 0;
  char *Marker = Here.MarkerEnd - MarkerSize;
  std::memcpy(Marker, Data, MarkerSize);
  Here.writeArchive(Data + MarkerSize, Size - MarkerSize);

  // Thousands of warnings a second would hide the fuzzer's own messages.
  std::FILE *Shown = stderr;
  stderr = Here.Null;
  kpack_cache_t Cache = nullptr;
  if (kpack_cache_create(&Cache) != KPACK_SUCCESS)
    std::abort();
  const char *Archs[] = {"gfx942:sramecc+:xnack-", "gfx1100"};
  for (uint32_t Index : {0u, 0u, 1u}) {
    void *Bytes = nullptr;
    size_t Length = 0;
    kpack_error_t Error = kpack_load_code_object(
        Cache, Marker, "/bin/app", Index, Archs, 2, &Bytes, &Length);
    if ((Error == KPACK_SUCCESS) != (Bytes != nullptr) ||
        Error > KPACK_ERROR_ARCH_NOT_FOUND)
      std::abort();
    kpack_free_code_object(Bytes);
  }
  kpack_cache_destroy(Cache);
  stderr = Shown;
  return 0;
}
