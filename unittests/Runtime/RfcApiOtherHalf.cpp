//===- RfcApiOtherHalf.cpp - calls into librocm_kpack.so ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RfcApiTest.cpp.
//
//===----------------------------------------------------------------------===//
#include "RfcApiOtherHalf.h"

#include "rocm_kpack/kpack.h"

std::string kpack::testing::readThroughSharedLibrary(const std::string &Path,
                                                     const std::string &Binary,
                                                     const std::string &Arch) {
  kpack_archive_t A = nullptr;
  kpack_error_t Error = kpack_open(Path.c_str(), &A);
  void *Bytes = nullptr;
  size_t Size = 0;
  if (Error == KPACK_SUCCESS)
    Error = kpack_get_kernel(A, Binary.c_str(), Arch.c_str(), &Bytes, &Size);
  std::string Out = Error == KPACK_SUCCESS
                        ? std::string(static_cast<char *>(Bytes), Size)
                        : "error " + std::to_string(Error);
  kpack_free_kernel(Bytes);
  kpack_close(A);
  return Out;
}

std::string kpack::testing::loadThroughSharedLibrary(const std::string &Marker,
                                                     int Index,
                                                     const std::string &Arch) {
  kpack_cache_t Cache = nullptr;
  kpack_error_t Error = kpack_cache_create(&Cache);
  const char *Archs[] = {Arch.c_str()};
  void *Bytes = nullptr;
  size_t Size = 0;
  if (Error == KPACK_SUCCESS)
    Error = kpack_load_code_object(Cache, Marker.data(), "/none/app",
                                   static_cast<uint32_t>(Index), Archs, 1,
                                   &Bytes, &Size);
  std::string Out = Error == KPACK_SUCCESS
                        ? std::string(static_cast<char *>(Bytes), Size)
                        : "error " + std::to_string(Error);
  kpack_free_code_object(Bytes);
  kpack_cache_destroy(Cache);
  return Out;
}
