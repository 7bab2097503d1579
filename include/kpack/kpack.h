/*===- kpack/kpack.h - the kpack RFC's own C API -----------------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Reads one archive: what it holds, and the bytes of its code objects.
|*
|* C++17: header-only; needs zstd and the header of xxHash. Every function
|* is in a hidden inline namespace. C11: the same declarations; link libkpack.a.
|*
|* librocm_kpack.so (rocm_kpack/kpack.h) has functions of the same names and
|* other signatures. Both may be in one process, since neither this namespace
|* nor the linker names below meet its names; one translation unit can include
|* only one of the two headers.
|*
|* Threads: archives may be opened at once on any number of threads, and one
|* archive queried and loaded from at once. kpack_close must not overlap with
|* another call on that archive. Arrays and strings that a query returns belong
|* to the archive and live until kpack_close.
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

  /* 0 to 6 are the RFC's. Numbers from 64 on are for what the RFC has none. */
  typedef enum {
    KPACK_SUCCESS = 0,
    KPACK_ERROR_FILE_NOT_FOUND = 1,
    KPACK_ERROR_INVALID_FORMAT = 2,
    KPACK_ERROR_UNSUPPORTED_VERSION = 3,
    KPACK_ERROR_DECOMPRESSION_FAILED = 4,
    KPACK_ERROR_KERNEL_NOT_FOUND = 5,
    KPACK_ERROR_OUT_OF_MEMORY = 6,
    /* A pointer is null that must not be. */
    KPACK_ERROR_INVALID_ARGUMENT = 64,
    /* The file is there but cannot be read. */
    KPACK_ERROR_IO_ERROR = 65
  } kpack_error_t;

  /* Opens the file at path and checks its header and table of contents. */
  KPACK_FUNCTION kpack_error_t kpack_open(
      const char *path, kpack_archive_t *archive) KPACK_LINKER_NAME(open);

  /* Null is fine. */
  KPACK_FUNCTION void kpack_close(kpack_archive_t archive)
      KPACK_LINKER_NAME(close);

  /* The architectures of the archive, in file order; arches[count] is null. */
  KPACK_FUNCTION kpack_error_t kpack_get_architectures(
      kpack_archive_t archive, const char ***arches, size_t *count)
      KPACK_LINKER_NAME(get_architectures);

  /* The names of code objects for arch that belong to binary_name, sorted;
   * kernel_names[count] is null. Those are binary_name itself, its translation
   * units "binary_name#0", "binary_name#1", ..., and what stands below it as if
   * it were a folder, "binary_name/...". Null or "" for binary_name or arch
   * means any. No such name is no error: count is 0. */
  KPACK_FUNCTION kpack_error_t kpack_list_kernels(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const char ***kernel_names, size_t *count)
      KPACK_LINKER_NAME(list_kernels);

  /* The code object named binary_name or, if there is none, "binary_name#0",
   * for exactly this arch. What does not match the hash that the archive keeps
   * of it is a KPACK_ERROR_DECOMPRESSION_FAILED. In an uncompressed archive
   * kernel_data points into the mapped file, without alignment, and dies with
   * kpack_close. */
  KPACK_FUNCTION kpack_error_t kpack_get_kernel(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const void **kernel_data, size_t *kernel_size)
      KPACK_LINKER_NAME(get_kernel);

  /* Gives kernel_data back, once, before kpack_close. Null is fine. */
  KPACK_FUNCTION void kpack_free_kernel(kpack_archive_t archive,
                                        const void *kernel_data)
      KPACK_LINKER_NAME(free_kernel);

  /* What the table of contents says of that code object, as one JSON object:
   *   {"binary":"lib/x.so#0","arch":"gfx942","type":"hsaco","ordinal":3,
   *    "original_size":9216,"stored_size":4711,
   *    "compression_scheme":"zstd-per-kernel"}
   * on one line, in this order; later versions may append keys. size is without
   * the zero byte. */
  KPACK_FUNCTION kpack_error_t kpack_get_kernel_metadata(
      kpack_archive_t archive, const char *binary_name, const char *arch,
      const char **metadata_json, size_t *size)
      KPACK_LINKER_NAME(get_kernel_metadata);

  /* Why the last call on this archive that failed in this thread did so; with
   * null, the last kpack_open. Never null, "" if nothing failed. Valid until
   * the next failure in this thread. */
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
