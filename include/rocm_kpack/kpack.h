/*===- rocm_kpack/kpack.h - C API of librocm_kpack.so -------------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* A replacement of the runtime library that ROCm ships: the same 14 functions
|* and numbers. The first half reads one archive; HIP runtimes call the second
|* half for binaries whose wrappers have the magic HIPK.
|*
|* Unless noted, a function returns KPACK_SUCCESS or an error number, writes its
|* outputs only on success, returns KPACK_ERROR_INVALID_ARGUMENT for a null
|* pointer, and throws no C++ exception. Threads may share handles; only closing
|* and destroying must not overlap with other calls.
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
 * KPACK_ERROR_FILE_NOT_FOUND, _IO_ERROR (or an empty file), _INVALID_FORMAT,
 * _UNSUPPORTED_VERSION, _MSGPACK_PARSE_FAILED, _OUT_OF_MEMORY. */
KPACK_API kpack_error_t kpack_open(const char *path, kpack_archive_t *archive);

/* Closes an archive and frees all strings from it; kernels stay until they are
 * freed. Does nothing for null. */
KPACK_API void kpack_close(kpack_archive_t archive);

/* Return the architectures that the archive lists, in file order. The string
 * lives until kpack_close. KPACK_ERROR_INVALID_ARGUMENT if the index is too
 * large. */
KPACK_API kpack_error_t kpack_get_architecture_count(kpack_archive_t archive,
                                                     size_t *count);
KPACK_API kpack_error_t kpack_get_architecture(kpack_archive_t archive,
                                               size_t index, const char **arch);

/* Return the keys of the table of contents, sorted; otherwise as above. A key
 * is "<kernel_name>#<index of the wrapper>". */
KPACK_API kpack_error_t kpack_get_binary_count(kpack_archive_t archive,
                                               size_t *count);
KPACK_API kpack_error_t kpack_get_binary(kpack_archive_t archive, size_t index,
                                         const char **binary);

/* Returns a copy of one code object; both names must match exactly. Free it
 * with kpack_free_kernel. KPACK_ERROR_KERNEL_NOT_FOUND, _DECOMPRESSION_FAILED,
 * _INVALID_FORMAT (its bytes are not in the file), _OUT_OF_MEMORY. */
KPACK_API kpack_error_t kpack_get_kernel(kpack_archive_t archive,
                                         const char *binary_name,
                                         const char *arch, void **kernel_data,
                                         size_t *kernel_size);

/* Does nothing for null. */
KPACK_API void kpack_free_kernel(void *kernel_data);

/*===-- Loading for a binary ----------------------------------------------===*/

/* Returns true to receive the next architecture. Must not throw. */
typedef bool (*kpack_arch_callback_t)(const char *arch, void *user_data);

/* Reads ROCM_KPACK_PATH, ROCM_KPACK_PATH_PREFIX, ROCM_KPACK_DISABLE and
 * ROCM_KPACK_DEBUG; later changes have no effect. Archives are opened on first
 * use and stay open until the cache is destroyed. */
KPACK_API kpack_error_t kpack_cache_create(kpack_cache_t *cache);

/* Destroys a cache; code objects stay until they are freed. Does nothing for
 * null. */
KPACK_API void kpack_cache_destroy(kpack_cache_t cache);

/* Returns the path of the file that is mapped at address_in_binary (code or
 * data), and, unless offset_out is null, the offset of that address in the
 * file. KPACK_ERROR_INVALID_ARGUMENT if the path and its zero byte do not fit,
 * _PATH_DISCOVERY_FAILED if no file is mapped there. */
KPACK_API kpack_error_t
kpack_discover_binary_path(const void *address_in_binary, char *path_out,
                           size_t path_out_size, size_t *offset_out);

/* Finds and copies the code object of one wrapper.
 *   hipk_metadata  the marker, to which the wrapper points
 *   binary_path    the file with the marker, base of relative search paths
 *   co_index       index of the wrapper, its reserved1 field
 *   arch_list      names of the device, best first; a leading triple is
 *                  ignored, null entries are skipped
 * Each name is tried with all its features and then with fewer, in every
 * archive; after all names, the generic target of each. Free the result with
 * kpack_free_code_object. Errors if no code object fits:
 *   KPACK_ERROR_NOT_IMPLEMENTED     ROCM_KPACK_DISABLE is set
 *   KPACK_ERROR_INVALID_METADATA    malformed marker, or every archive that
 *                                   fits belongs to another build of the binary
 *   KPACK_ERROR_ARCHIVE_NOT_FOUND   no search path has a file
 *   KPACK_ERROR_ARCH_NOT_FOUND      no archive is for such a device
 *   KPACK_ERROR_KERNEL_NOT_FOUND    such archives lack this code object
 * and, if an archive on the way was damaged, the error of kpack_open or
 * kpack_get_kernel for it; stderr names that archive. */
KPACK_API kpack_error_t kpack_load_code_object(
    kpack_cache_t cache, const void *hipk_metadata, const char *binary_path,
    uint32_t co_index, const char *const *arch_list, size_t arch_count,
    void **code_object_out, size_t *code_object_size_out);

/* Does nothing for null. */
KPACK_API void kpack_free_code_object(void *code_object);

/* Opens the archive, calls back for each of its architectures until the
 * callback returns false, closes it. Errors are those of kpack_open. */
KPACK_API kpack_error_t kpack_enumerate_architectures(
    const char *archive_path, kpack_arch_callback_t callback, void *user_data);

#ifdef __cplusplus
}
#endif

#endif /* ROCM_KPACK_H */
