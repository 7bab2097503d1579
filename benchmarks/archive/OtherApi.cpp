//===- OtherApi.cpp - code objects read through librocm_kpack.so ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See OtherApi.h.
//
//===----------------------------------------------------------------------===//

#include "OtherApi.h"
#include "kpack/Archive/Marker.h"
#include "rocm_kpack/kpack.h"

#include <cstdio>
#include <cstdlib>

using namespace kpack;
using namespace kpack::bench;

static void check(kpack_error_t Error, const char *Description) {
  if (Error == KPACK_SUCCESS)
    return;
  std::fprintf(stderr, "archive-bench: error: %s: %d\n", Description, Error);
  std::exit(1);
}

struct OtherApi::Impl {
  kpack_archive_t Archive = nullptr;
  kpack_cache_t Cache = nullptr;
  std::string Marker;
  std::string Arch;
};

OtherApi::OtherApi(const std::string &Path, const std::string &KernelName,
                   const std::string &Arch)
    : P(std::make_unique<Impl>()) {
  kpack::Marker M;
  M.KernelName = KernelName;
  M.SearchPaths = {Path};
  Result<std::string> Bytes = encodeMarker(M);
  check(Bytes ? KPACK_SUCCESS : KPACK_ERROR_INVALID_METADATA, "encodeMarker");
  P->Marker = *Bytes;
  P->Arch = Arch;
  check(kpack_open(Path.c_str(), &P->Archive), "kpack_open");
  check(kpack_cache_create(&P->Cache), "kpack_cache_create");
}

OtherApi::~OtherApi() {
  kpack_close(P->Archive);
  kpack_cache_destroy(P->Cache);
}

void OtherApi::get(const std::string &Key) {
  void *Bytes = nullptr;
  size_t Size = 0;
  check(
      kpack_get_kernel(P->Archive, Key.c_str(), P->Arch.c_str(), &Bytes, &Size),
      "kpack_get_kernel");
  kpack_free_kernel(Bytes);
}

void OtherApi::load(uint32_t Index) {
  const char *Archs[] = {P->Arch.c_str()};
  void *Bytes = nullptr;
  size_t Size = 0;
  check(kpack_load_code_object(P->Cache, P->Marker.data(), "/bench", Index,
                               Archs, 1, &Bytes, &Size),
        "kpack_load_code_object");
  kpack_free_code_object(Bytes);
}
