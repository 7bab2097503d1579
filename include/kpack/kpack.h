/*===- kpack/kpack.h - C API of the kpack RFC ---------------------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Reads one archive: its contents and the bytes of its code objects.
|*
|* C++17: header-only; needs zstd and the header of xxHash. Every function
|* is in a hidden inline namespace. C11: the same declarations; link libkpack.a.
|*
|* librocm_kpack.so (rocm_kpack/kpack.h) has functions with the same names and
|* other signatures. One process may use both, because this namespace and the
|* linker names below differ from its names; one translation unit may include
|* only one of the two headers.
|*
|* Threads: any number of threads may open archives, and query and load from one
|* archive, at the same time. kpack_close must not overlap with another call on
|* that archive. Arrays and strings that a query returns belong to the archive
|* and live until kpack_close.
|*
|* Every function writes its outputs only on success.
|* Reference: docs/reference/c-api.md.
|*
\*===----------------------------------------------------------------------===*/
#ifndef KPACK_KPACK_H
#define KPACK_KPACK_H

#ifdef ROCM_KPACK_H
#error "include only one of kpack/kpack.h and rocm_kpack/kpack.h: same names"
#endif

#include <stddef.h>

#ifdef __cplusplus
#define KPACK_FUNCTION inline
#define KPACK_LINKER_NAME(Name)
inline namespace __attribute__((visibility("hidden"))) kpack_rfc1 {
#else
#define KPACK_FUNCTION extern
#define KPACK_TEXT_OF(Token) #Token
#define KPACK_TEXT(Token) KPACK_TEXT_OF(Token)
#define KPACK_LINKER_NAME(Name)                                                \
  __asm__(KPACK_TEXT(__USER_LABEL_PREFIX__) "kpack_rfc1_" #Name)
#endif

  /* An open archive. */
  typedef struct kpack_archive *kpack_archive_t;

  /* The RFC names this handle; none of its functions takes one. */
  typedef struct kpack_kernel *kpack_kernel_t;

  /* 0 to 6 are the RFC's numbers; numbers from 64 on are additions. */
  typedef enum {
    KPACK_SUCCESS = 0,
    KPACK_ERROR_FILE_NOT_FOUND = 1,
    KPACK_ERROR_INVALID_FORMAT = 2,
    KPACK_ERROR_UNSUPPORTED_VERSION = 3,
    KPACK_ERROR_DECOMPRESSION_FAILED = 4,
    KPACK_ERROR_KERNEL_NOT_FOUND = 5,
    KPACK_ERROR_OUT_OF_MEMORY = 6,
    /* A pointer that must not be null is null. */
    KPACK_ERROR_INVALID_ARGUMENT = 64,
    /* The file exists but cannot be read. */
    KPACK_ERROR_IO_ERROR = 65
  } kpack_error_t;

  /* Opens the file at path and checks its header and table of contents. */
  KPACK_FUNCTION kpack_error_t kpack_open(
      const char *path, kpack_archive_t *archive) KPACK_LINKER_NAME(open);

  /* Closes an archive. Does nothing for null. */
  KPACK_FUNCTION void kpack_close(kpack_archive_t archive)
      KPACK_LINKER_NAME(close);

  /* The architectures of the archive, in file order; arches[count] is null. */
  KPACK_FUNCTION kpack_error_t kpack_get_architectures(
      kpack_archive_t archive, const char ***arches, size_t *count)
      KPACK_LINKER_NAME(get_architectures);

  /* The names of code objects for arch that belong to binary_name, sorted;
   * kernel_names[count] is null. These are binary_name itself, its translation
   * units "binary_name#0", "binary_name#1", ..., and the names under it as a
   * directory, "binary_name/...". Null or "" for binary_name or arch means any.
   * An unknown name is no error: count is 0. */
  KPACK_FUNCTION kpack_error_t kpack_list_kernels(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const char ***kernel_names, size_t *count)
      KPACK_LINKER_NAME(list_kernels);

  /* Returns the code object named binary_name or, without one, "binary_name#0",
   * for exactly this arch. KPACK_ERROR_DECOMPRESSION_FAILED if the bytes do not
   * match the hash in the archive. In an uncompressed archive kernel_data
   * points into the mapped file, without alignment, and is valid until
   * kpack_close. */
  KPACK_FUNCTION kpack_error_t kpack_get_kernel(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const void **kernel_data, size_t *kernel_size)
      KPACK_LINKER_NAME(get_kernel);

  /* Releases kernel_data, once, before kpack_close. Does nothing for null. */
  KPACK_FUNCTION void kpack_free_kernel(kpack_archive_t archive,
                                        const void *kernel_data)
      KPACK_LINKER_NAME(free_kernel);

  /* Describes that code object as the table of contents has it, as one JSON
   * object:
   *   {"binary":"lib/x.so#0","arch":"gfx942","type":"hsaco","ordinal":3,
   *    "original_size":9216,"stored_size":4711,
   *    "compression_scheme":"zstd-per-kernel"}
   * on one line, in this order; later versions may append keys. size excludes
   * the terminating zero. */
  KPACK_FUNCTION kpack_error_t kpack_get_kernel_metadata(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const char **metadata_json, size_t *size)
      KPACK_LINKER_NAME(get_kernel_metadata);

  /* The reason of the last failure on this archive in this thread; with null,
   * of the last kpack_open. Never null; "" if nothing failed. Valid until the
   * next failure in this thread. */
  KPACK_FUNCTION const char *kpack_get_last_error(kpack_archive_t archive)
      KPACK_LINKER_NAME(get_last_error);

#ifdef __cplusplus
} // namespace kpack_rfc1
#include "kpack/detail/RfcApi.h"
#else
#undef KPACK_TEXT_OF
#undef KPACK_TEXT
#endif
#undef KPACK_FUNCTION
#undef KPACK_LINKER_NAME

#endif /* KPACK_KPACK_H */
