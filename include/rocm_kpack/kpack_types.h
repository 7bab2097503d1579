/*===- rocm_kpack/kpack_types.h - handles and error numbers -------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Every number here is ABI shared with the library of the same name that ROCm
|* ships, and never changes. docs/reference/c-api.md lists the errors of each
|* function. The RFC's API (kpack/kpack.h) has the same names with other
|* numbers, so a translation unit can include only one of the two.
|*
\*===----------------------------------------------------------------------===*/
#ifndef ROCM_KPACK_TYPES_H
#define ROCM_KPACK_TYPES_H

#ifdef KPACK_KPACK_H
#error "include only one of kpack/kpack.h and rocm_kpack/kpack.h: same names"
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open archive. */
typedef struct kpack_archive *kpack_archive_t;

/* Open archives and the settings of the environment. */
typedef struct kpack_cache *kpack_cache_t;

typedef enum {
  KPACK_SUCCESS = 0,
  KPACK_ERROR_INVALID_ARGUMENT = 1,
  KPACK_ERROR_FILE_NOT_FOUND = 2,
  KPACK_ERROR_INVALID_FORMAT = 3,
  KPACK_ERROR_UNSUPPORTED_VERSION = 4,
  KPACK_ERROR_KERNEL_NOT_FOUND = 5,
  KPACK_ERROR_DECOMPRESSION_FAILED = 6,
  KPACK_ERROR_OUT_OF_MEMORY = 7,
  KPACK_ERROR_NOT_IMPLEMENTED = 8,
  KPACK_ERROR_IO_ERROR = 9,
  KPACK_ERROR_MSGPACK_PARSE_FAILED = 10,
  /* Only from the loading functions: */
  KPACK_ERROR_PATH_DISCOVERY_FAILED = 11,
  KPACK_ERROR_INVALID_METADATA = 12,
  KPACK_ERROR_ARCHIVE_NOT_FOUND = 13,
  KPACK_ERROR_ARCH_NOT_FOUND = 14
} kpack_error_t;

/* First bytes and version of an archive file. */
#define KPACK_MAGIC "KPAK"
#define KPACK_MAGIC_SIZE 4
#define KPACK_CURRENT_VERSION 1

typedef enum {
  KPACK_COMPRESSION_NOOP = 0,
  KPACK_COMPRESSION_ZSTD_PER_KERNEL = 1
} kpack_compression_scheme_t;

#ifdef __cplusplus
}
#endif

#endif /* ROCM_KPACK_TYPES_H */
