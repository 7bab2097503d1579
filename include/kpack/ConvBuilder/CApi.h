/*===- kpack/ConvBuilder/CApi.h - plans of convolutions in C ----*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Context.h and Plan.h for programs in C and for other languages: signatures,
|* problems and algorithms are texts (docs/format/conv-text.md). C89 and C++;
|* libkpack_conv.so.0, which is linked with libkpack_jit.so.0: a process has one
|* cache of kernels.
|*
|* Threads: a context may be used by any number of threads at once, and so may
|* kpack_conv_run(). A plan otherwise belongs to one thread at a time.
|*
|* Structures begin with their size, which the caller sets to sizeof: later
|* versions append members, and take shorter structures of earlier ones. What is
|* not set is 0. Every function writes its outputs only on success. Strings are
|* copied; strings that are returned belong to the object and live as long.
|* Reference: docs/reference/conv-c-api.md.
|*
\*===----------------------------------------------------------------------===*/
#ifndef KPACK_CONVBUILDER_CAPI_H
#define KPACK_CONVBUILDER_CAPI_H

#include <stddef.h>

#define KPACK_CONV_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers are ABI and never change; those below 32 are kpack_jit_status'. */
typedef enum {
  KPACK_CONV_SUCCESS = 0,
  KPACK_CONV_ERROR_INVALID_ARGUMENT = 1, /* also: nothing computes it */
  KPACK_CONV_ERROR_FILE_NOT_FOUND = 2,
  KPACK_CONV_ERROR_INVALID_FORMAT = 3, /* a text, a tuning file, an archive */
  KPACK_CONV_ERROR_UNSUPPORTED_VERSION = 4,
  KPACK_CONV_ERROR_NOT_FOUND = 5,
  KPACK_CONV_ERROR_OUT_OF_MEMORY = 7,
  KPACK_CONV_ERROR_IO = 9, /* may be different the next time */
  /* Nothing is compiled that may be used, and kpack_conv_plan_options forbids
   * to wait for it: take a fallback, and call again. */
  KPACK_CONV_PENDING = 33
} kpack_conv_status;

/* Why the last call of this thread that failed did so; "" if none did. Valid
 * until the next failure in this thread. Of a requirement that does not hold:
 * "[A3] algorithm.isa: ...", docs/reference/conv-requirements.md. */
KPACK_CONV_API const char *kpack_conv_last_error(void);

/* "0.1.0": of the library, not of this header. */
KPACK_CONV_API const char *kpack_conv_version(void);

/* ---- Contexts ------------------------------------------------------------ */

/* A device, and what is known of kernels for it. */
typedef struct kpack_conv_context kpack_conv_context;

typedef struct {
  size_t size;
  /* "cpu"; null: the calling thread's current device, of the HIP runtime that
   * the process has loaded, else of the one that is found by name. */
  const char *device;
  /* A kpack_jit_cache, open as long as the context and its plans live; null:
   * that of the process (docs/reference/environment.md, KPACK_JIT_...). */
  void *cache;
  /* Lists of paths that end with null; may be null. Archives are those of
   * conv-builder prebuild. */
  const char *const *archives;
  const char *const *tuning_files;
} kpack_conv_context_options;

/* Null options: the defaults. */
KPACK_CONV_API kpack_conv_status kpack_conv_context_create(
    const kpack_conv_context_options *options, kpack_conv_context **context);
/* Plans live on. Null is fine, here and for all that follow. */
KPACK_CONV_API void kpack_conv_context_destroy(kpack_conv_context *context);
/* What its kernels are compiled for: "cpu", "gfx90a:sramecc+:xnack-". */
KPACK_CONV_API const char *
kpack_conv_context_processor(const kpack_conv_context *context);

/* ---- Plans --------------------------------------------------------------- */

/* The algorithms that can compute a problem, the best estimate first. */
typedef struct kpack_conv_plan_s kpack_conv_plan_t;

/* What run does where the selected kernel is not compiled. */
typedef enum {
  KPACK_CONV_WAIT = 0,       /* compiles it */
  KPACK_CONV_USE_WARM = 1,   /* runs the best one that is compiled */
  KPACK_CONV_BACKGROUND = 2, /* the same, until another thread has compiled the
                                selected one */
  KPACK_CONV_FAIL = 3
} kpack_conv_cold;

typedef struct {
  size_t size;
  /* Bytes that the caller can lend; 0 with has_workspace_limit set: none. */
  size_t workspace_limit;
  int has_workspace_limit;
  int deterministic;     /* not 0: the same bits each time */
  int allow_reference;   /* not 0: REFERENCE is a candidate, too */
  int cold;              /* kpack_conv_cold */
  const char *algorithm; /* only this one; null: all */
} kpack_conv_plan_options;

/* Compiles nothing. Null options: the defaults. A problem is a text, or what
 * MIOpenDriver takes: "conv -n 1 -c 64 ...".
 * KPACK_CONV_ERROR_INVALID_ARGUMENT: there is no candidate, with the
 * requirement that the closest one misses. */
KPACK_CONV_API kpack_conv_status kpack_conv_plan(
    kpack_conv_context *context, const char *signature, const char *problem,
    const kpack_conv_plan_options *options, kpack_conv_plan_t **plan);
/* Waits for what is being compiled. */
KPACK_CONV_API void kpack_conv_release(kpack_conv_plan_t *plan);

/* 0 of null. */
KPACK_CONV_API size_t kpack_conv_count(const kpack_conv_plan_t *plan);
/* Of candidate index: the text of its algorithm, for kpack_conv_select() here
 * or in another process; null: there are not so many. */
KPACK_CONV_API const char *kpack_conv_text(kpack_conv_plan_t *plan,
                                           size_t index);

typedef enum {
  KPACK_CONV_AOT = 0,    /* in an archive */
  KPACK_CONV_CACHED = 1, /* in this process, or in the cache's files */
  KPACK_CONV_COLD = 2,   /* nowhere: it would be compiled */
  KPACK_CONV_NONE = -1   /* there are not so many candidates */
} kpack_conv_state_t;
/* Reads files, and loads what it finds there. */
KPACK_CONV_API kpack_conv_state_t
kpack_conv_state(const kpack_conv_plan_t *plan, size_t index);
/* Microseconds of one call, by a model; what a tuning file has, where it was
 * measured with these kernels. Below 0: there are not so many. */
KPACK_CONV_API double kpack_conv_estimate(const kpack_conv_plan_t *plan,
                                          size_t index);
/* Bytes that kpack_conv_args.workspace must have. */
KPACK_CONV_API size_t kpack_conv_workspace(const kpack_conv_plan_t *plan,
                                           size_t index);

/* What was refused, in no order: "[A3] algorithm.isa: ..."; null: there are not
 * so many. */
KPACK_CONV_API size_t kpack_conv_refusal_count(const kpack_conv_plan_t *plan);
KPACK_CONV_API const char *kpack_conv_refusal(kpack_conv_plan_t *plan,
                                              size_t index);

/* The candidate that run is to use; (size_t)-1 of null. */
KPACK_CONV_API size_t kpack_conv_selected(const kpack_conv_plan_t *plan);
/* By the text of an algorithm, which becomes a candidate where it is none. */
KPACK_CONV_API kpack_conv_status kpack_conv_select(kpack_conv_plan_t *plan,
                                                   const char *algorithm);
/* Compiles and loads candidate index now. */
KPACK_CONV_API kpack_conv_status kpack_conv_prepare(kpack_conv_plan_t *plan,
                                                    size_t index);
/* Waits for what other threads compile; the error of the last one that failed.
 */
KPACK_CONV_API kpack_conv_status kpack_conv_wait(kpack_conv_plan_t *plan);

/* ---- Calls --------------------------------------------------------------- */

/* Parameters a, b and c of an operation. */
typedef struct {
  float a, b, c;
} kpack_conv_numbers;

typedef struct {
  const void *data;
  kpack_conv_numbers numbers; /* of the operation on it */
} kpack_conv_auxiliary;

typedef struct {
  void *data; /* on the device; what is no result is only read */
  kpack_conv_numbers numbers;
  kpack_conv_numbers activation;
  int dynamic; /* number of the operation that DYNAMIC_UNARY_OP is */
  kpack_conv_auxiliary auxiliary[5];
} kpack_conv_tensor;

typedef struct {
  size_t size;
  kpack_conv_tensor input, weight, output;
  void *workspace; /* aligned to 16; null where none is wanted */
} kpack_conv_args;

/* No tensors, and the numbers that the signature's operations have where nobody
 * says others. The caller sets size before. */
KPACK_CONV_API kpack_conv_status
kpack_conv_args_init(const kpack_conv_plan_t *plan, kpack_conv_args *args);

/* Puts the kernels into stream, a hipStream_t; null: the default one. Once it
 * has a kernel it neither compiles, allocates, locks nor synchronizes. "cpu"
 * has done when it returns. */
KPACK_CONV_API kpack_conv_status kpack_conv_run(const kpack_conv_plan_t *plan,
                                                void *stream,
                                                const kpack_conv_args *args);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KPACK_CONVBUILDER_CAPI_H */
