/*===- rocm_kpack/kpack.h - C API of librocm_kpack.so ------------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Drop-in for the runtime library that ROCm ships: the same 14 functions, the
|* same numbers. The first half reads one archive; the second half is what a
|* HIP runtime calls for a binary whose wrapper has magic HIPK.
|*
|* Unless said otherwise a function returns KPACK_SUCCESS or an error number,
|* writes its outputs only on success, returns KPACK_ERROR_INVALID_ARGUMENT for
|* a null pointer, and lets no C++ exception out. Handles may be shared between
|* threads; only closing and destroying must not overlap with other calls.
|*
|* The RFC's API, which has other signatures, is kpack/kpack.h.
|* Reference: docs/reference/c-api.md, docs/reference/environment.md.
|*
\*===----------------------------------------------------------------------===*/
#ifndef ROCM_KPACK_H
#define ROCM_KPACK_H

#include "rocm_kpack/kpack_export.h"
#include "rocm_kpack/kpack_types.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===-- One archive -------------------------------------------------------===*/

/* Maps the file at path and checks its header and table of contents.
 * KPACK_ERROR_FILE_NOT_FOUND, _IO_ERROR (also: empty file), _INVALID_FORMAT,
 * _UNSUPPORTED_VERSION, _MSGPACK_PARSE_FAILED, _OUT_OF_MEMORY. */
KPACK_API kpack_error_t kpack_open(const char *path, kpack_archive_t *archive);

/* Null is fine. Every string that came from the archive is gone after it;
 * kernels stay until they are freed. */
KPACK_API void kpack_close(kpack_archive_t archive);

/* The architectures the archive says it holds code for, in file order. The
 * string lives until kpack_close. An index that is too large is an
 * KPACK_ERROR_INVALID_ARGUMENT. */
KPACK_API kpack_error_t kpack_get_architecture_count(kpack_archive_t archive,
                                                     size_t *count);
KPACK_API kpack_error_t kpack_get_architecture(kpack_archive_t archive,
                                               size_t index, const char **arch);

/* The keys of the table of contents, sorted; otherwise as above. A key is
 * "<kernel_name>#<index of the wrapper>". */
KPACK_API kpack_error_t kpack_get_binary_count(kpack_archive_t archive,
                                               size_t *count);
KPACK_API kpack_error_t kpack_get_binary(kpack_archive_t archive, size_t index,
                                         const char **binary);

/* A copy of one code object; both names must match exactly. Free it with
 * kpack_free_kernel. KPACK_ERROR_KERNEL_NOT_FOUND, _DECOMPRESSION_FAILED,
 * _INVALID_FORMAT (its bytes are not in the file), _OUT_OF_MEMORY. */
KPACK_API kpack_error_t kpack_get_kernel(kpack_archive_t archive,
                                         const char *binary_name,
                                         const char *arch, void **kernel_data,
                                         size_t *kernel_size);

/* Null is fine. */
KPACK_API void kpack_free_kernel(void *kernel_data);

/*===-- Loading for a binary ----------------------------------------------===*/

/* Returns true to be called for the next architecture. Must not throw. */
typedef bool (*kpack_arch_callback_t)(const char *arch, void *user_data);

/* Reads ROCM_KPACK_PATH, ROCM_KPACK_PATH_PREFIX, ROCM_KPACK_DISABLE and
 * ROCM_KPACK_DEBUG, here and never again. Archives are opened when they are
 * first needed and stay open until the cache is destroyed. */
KPACK_API kpack_error_t kpack_cache_create(kpack_cache_t *cache);

/* Null is fine. Code objects stay until they are freed. */
KPACK_API void kpack_cache_destroy(kpack_cache_t cache);

/* Path of the file that is mapped at address_in_binary (code or data), and, if
 * offset_out is not null, where in the file that address stands.
 * KPACK_ERROR_INVALID_ARGUMENT when the path and its zero byte do not fit,
 * _PATH_DISCOVERY_FAILED when no file is mapped there. */
KPACK_API kpack_error_t
kpack_discover_binary_path(const void *address_in_binary, char *path_out,
                           size_t path_out_size, size_t *offset_out);

/* Finds and copies the code object of one wrapper.
 *   hipk_metadata  the marker, which the wrapper points to
 *   binary_path    the file that holds it: relative search paths start there
 *   co_index       index of the wrapper, its reserved1 field
 *   arch_list      names of the device, best first; a triple in front is
 *                  ignored, null entries are skipped
 * Each name is tried with all its features and with ever fewer, in every
 * archive; after all names, the generic target of each. Free the result with
 * kpack_free_code_object. If nothing serves:
 *   KPACK_ERROR_NOT_IMPLEMENTED     ROCM_KPACK_DISABLE is set
 *   KPACK_ERROR_INVALID_METADATA    malformed marker, or every archive that
 *                                   fits belongs to another build of the binary
 *   KPACK_ERROR_ARCHIVE_NOT_FOUND   there is no file at any search path
 *   KPACK_ERROR_ARCH_NOT_FOUND      no archive is for such a device
 *   KPACK_ERROR_KERNEL_NOT_FOUND    some are, but lack this code object
 * and, if an archive on the way was damaged, what kpack_open or
 * kpack_get_kernel says of it; stderr names that archive. */
KPACK_API kpack_error_t kpack_load_code_object(
    kpack_cache_t cache, const void *hipk_metadata, const char *binary_path,
    uint32_t co_index, const char *const *arch_list, size_t arch_count,
    void **code_object_out, size_t *code_object_size_out);

/* Null is fine. */
KPACK_API void kpack_free_code_object(void *code_object);

/* Opens the archive, calls back for each of its architectures until the
 * callback returns false, closes it. Errors are those of kpack_open. */
KPACK_API kpack_error_t kpack_enumerate_architectures(
    const char *archive_path, kpack_arch_callback_t callback, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* ROCM_KPACK_H */
