/*===- rocm_kpack/kpack_export.h - macro of exported functions ----*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* KPACK_API marks the exported functions. ROCM_KPACK_EXPORTS is defined while
|* the shared library is compiled, ROCM_KPACK_STATIC by programs that link the
|* static one; both matter on Windows only.
|*
\*===----------------------------------------------------------------------===*/
#ifndef ROCM_KPACK_EXPORT_H
#define ROCM_KPACK_EXPORT_H

#if defined(_WIN32) || defined(__CYGWIN__)
#if defined(ROCM_KPACK_STATIC)
#define KPACK_API
#elif defined(ROCM_KPACK_EXPORTS)
#define KPACK_API __declspec(dllexport)
#else
#define KPACK_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define KPACK_API __attribute__((visibility("default")))
#else
#define KPACK_API
#endif

#endif /* ROCM_KPACK_EXPORT_H */
