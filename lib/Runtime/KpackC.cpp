//===- KpackC.cpp - the RFC's API for C programs --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack/kpack.h is header-only for C++. This file, in libkpack.a, defines the
// same functions for C under the symbol names that the header declares.
//
//===----------------------------------------------------------------------===//
#include "kpack/kpack.h"

extern "C" {

kpack_error_t kpack_rfc1_open(const char *path, kpack_archive_t *archive) {
  return kpack_open(path, archive);
}

void kpack_rfc1_close(kpack_archive_t archive) { kpack_close(archive); }

kpack_error_t kpack_rfc1_get_architectures(kpack_archive_t archive,
                                           const char ***arches,
                                           size_t *count) {
  return kpack_get_architectures(archive, arches, count);
}

kpack_error_t kpack_rfc1_list_kernels(kpack_archive_t archive,
                                      const char *binary_name, const char *arch,
                                      const char ***kernel_names,
                                      size_t *count) {
  return kpack_list_kernels(archive, binary_name, arch, kernel_names, count);
}

kpack_error_t kpack_rfc1_get_kernel(kpack_archive_t archive,
                                    const char *binary_name, const char *arch,
                                    const void **kernel_data,
                                    size_t *kernel_size) {
  return kpack_get_kernel(archive, binary_name, arch, kernel_data, kernel_size);
}

void kpack_rfc1_free_kernel(kpack_archive_t archive, const void *kernel_data) {
  kpack_free_kernel(archive, kernel_data);
}

kpack_error_t kpack_rfc1_get_kernel_metadata(kpack_archive_t archive,
                                             const char *binary_name,
                                             const char *arch,
                                             const char **metadata_json,
                                             size_t *size) {
  return kpack_get_kernel_metadata(archive, binary_name, arch, metadata_json,
                                   size);
}

const char *kpack_rfc1_get_last_error(kpack_archive_t archive) {
  return kpack_get_last_error(archive);
}

} // extern "C"
