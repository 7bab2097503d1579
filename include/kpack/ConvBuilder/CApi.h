/*===- kpack/ConvBuilder/CApi.h - C API of convolution plans ------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Context.h and Plan.h for C and other languages: signatures, problems and
|* algorithms are texts (docs/format/conv-text.md). C89 and C++;
|* libkpack_conv.so.0, which links to libkpack_jit.so.0, so that a process has
|* one cache of kernels.
|*
|* Threads: any number of threads may use a context at once, and may call
|* kpack_conv_run() at once. A plan otherwise belongs to one thread at a time.
|*
|* Structures begin with their size, which the caller sets to sizeof: later
|* versions append members, and accept the shorter structures of earlier ones.
|* Unset members are 0. Every function writes its outputs only on success.
|* Strings are copied; returned strings belong to the object and live as long.
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

/* Numbers are ABI and never change; those below 32 are of kpack_jit_status. */
typedef enum {
  KPACK_CONV_SUCCESS = 0,
  KPACK_CONV_ERROR_INVALID_ARGUMENT = 1, /* or no algorithm computes it */
  KPACK_CONV_ERROR_FILE_NOT_FOUND = 2,
  KPACK_CONV_ERROR_INVALID_FORMAT = 3, /* a text, a tuning file, an archive */
  KPACK_CONV_ERROR_UNSUPPORTED_VERSION = 4,
  KPACK_CONV_ERROR_NOT_FOUND = 5,
  KPACK_CONV_ERROR_OUT_OF_MEMORY = 7,
  KPACK_CONV_ERROR_IO = 9, /* a retry may succeed */
  /* No usable kernel is compiled, and kpack_conv_plan_options forbids to wait
   * for one: take a fallback, and call again. */
  KPACK_CONV_PENDING = 33
} kpack_conv_status;

/* The reason of the last failure in this thread; "" if nothing failed. Valid
 * until the next failure in this thread. Violated requirements have the form
 * "[A3] algorithm.isa: ...", docs/reference/conv-requirements.md. */
KPACK_CONV_API const char *kpack_conv_last_error(void);

/* The version of the library, not of this header: "0.1.0". */
KPACK_CONV_API const char *kpack_conv_version(void);

/* ---- Contexts ------------------------------------------------------------ */

/* A device with its kernels and tuning results. */
typedef struct kpack_conv_context kpack_conv_context;

typedef struct {
  size_t size;
  /* "cpu"; null: the calling thread's current device, of the HIP runtime that
   * the process has loaded, else of the one that the loader finds by name. */
  const char *device;
  /* A kpack_jit_cache, which must outlive the context and its plans; null: the
   * process's cache (docs/reference/environment.md, KPACK_JIT_...). */
  void *cache;
  /* Lists of paths that end with null; may be null. Archives come from
   * conv-builder prebuild. */
  const char *const *archives;
  const char *const *tuning_files;
} kpack_conv_context_options;

/* Null options: the defaults. */
KPACK_CONV_API kpack_conv_status kpack_conv_context_create(
    const kpack_conv_context_options *options, kpack_conv_context **context);
/* Plans stay valid. Does nothing for null, as do the functions below. */
KPACK_CONV_API void kpack_conv_context_destroy(kpack_conv_context *context);
/* The target of its kernels: "cpu", "gfx90a:sramecc+:xnack-". */
KPACK_CONV_API const char *
kpack_conv_context_processor(const kpack_conv_context *context);

/* ---- Plans --------------------------------------------------------------- */

/* The algorithms that can compute a problem, the best estimate first. */
typedef struct kpack_conv_plan_s kpack_conv_plan_t;

/* The action of run if the selected kernel is not compiled. */
typedef enum {
  KPACK_CONV_WAIT = 0,       /* compile it */
  KPACK_CONV_USE_WARM = 1,   /* run the best compiled one */
  KPACK_CONV_BACKGROUND = 2, /* likewise, while another thread compiles the
                                selected one */
  KPACK_CONV_FAIL = 3
} kpack_conv_cold;

typedef struct {
  size_t size;
  /* Bytes that the caller can lend; 0 with has_workspace_limit set: none. */
  size_t workspace_limit;
  int has_workspace_limit;
  int deterministic;     /* not 0: the same bits each time */
  int allow_reference;   /* not 0: include REFERENCE as a candidate */
  int cold;              /* kpack_conv_cold */
  const char *algorithm; /* the only candidate; null: all */
} kpack_conv_plan_options;

/* Makes a plan; compiles nothing. Null options: the defaults. A problem is a
 * text or options of MIOpenDriver: "conv -n 1 -c 64 ...".
 * KPACK_CONV_ERROR_INVALID_ARGUMENT: there is no candidate, with the
 * requirement that the closest one violates. */
KPACK_CONV_API kpack_conv_status kpack_conv_plan(
    kpack_conv_context *context, const char *signature, const char *problem,
    const kpack_conv_plan_options *options, kpack_conv_plan_t **plan);
/* Waits for running compiles. */
KPACK_CONV_API void kpack_conv_release(kpack_conv_plan_t *plan);

/* The number of candidates; 0 for null. */
KPACK_CONV_API size_t kpack_conv_count(const kpack_conv_plan_t *plan);
/* The text of the algorithm of candidate index, for kpack_conv_select() here or
 * in another process; null if the index is too large. */
KPACK_CONV_API const char *kpack_conv_text(kpack_conv_plan_t *plan,
                                           size_t index);

typedef enum {
  KPACK_CONV_AOT = 0,    /* in an archive */
  KPACK_CONV_CACHED = 1, /* in this process, or in the cache's files */
  KPACK_CONV_COLD = 2,   /* nowhere: it must be compiled */
  KPACK_CONV_NONE = -1   /* the index is too large */
} kpack_conv_state_t;
/* Finds a candidate's kernel. Reads files, and loads kernels from them. */
KPACK_CONV_API kpack_conv_state_t
kpack_conv_state(const kpack_conv_plan_t *plan, size_t index);
/* Microseconds of one call: of a tuning file for these kernels, else by a
 * model. Below 0 if the index is too large. */
KPACK_CONV_API double kpack_conv_estimate(const kpack_conv_plan_t *plan,
                                          size_t index);
/* Bytes of kpack_conv_args.workspace. */
KPACK_CONV_API size_t kpack_conv_workspace(const kpack_conv_plan_t *plan,
                                           size_t index);

/* The reasons of refused algorithms, unordered: "[A3] algorithm.isa: ..."; null
 * if the index is too large. */
KPACK_CONV_API size_t kpack_conv_refusal_count(const kpack_conv_plan_t *plan);
KPACK_CONV_API const char *kpack_conv_refusal(kpack_conv_plan_t *plan,
                                              size_t index);

/* The candidate that run should use; (size_t)-1 for null. */
KPACK_CONV_API size_t kpack_conv_selected(const kpack_conv_plan_t *plan);
/* Selects an algorithm by its text; adds a candidate if necessary. */
KPACK_CONV_API kpack_conv_status kpack_conv_select(kpack_conv_plan_t *plan,
                                                   const char *algorithm);
/* Compiles and loads candidate index now. */
KPACK_CONV_API kpack_conv_status kpack_conv_prepare(kpack_conv_plan_t *plan,
                                                    size_t index);
/* Waits for compiles in other threads; the error of the last failed one. */
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
  void *data; /* on the device; only the result is written */
  kpack_conv_numbers numbers;
  kpack_conv_numbers activation;
  int dynamic; /* the operation of DYNAMIC_UNARY_OP, by its number */
  kpack_conv_auxiliary auxiliary[5];
} kpack_conv_tensor;

typedef struct {
  size_t size;
  kpack_conv_tensor input, weight, output;
  void *workspace; /* aligned to 16; null if none is needed */
} kpack_conv_args;

/* Sets null tensors and the default numbers of the signature's operations. The
 * caller sets size before. */
KPACK_CONV_API kpack_conv_status
kpack_conv_args_init(const kpack_conv_plan_t *plan, kpack_conv_args *args);

/* Enqueues the kernels on stream, a hipStream_t; null: the default stream. Once
 * it has a kernel, it neither compiles, allocates, locks nor synchronizes. On
 * "cpu" the call has finished when it returns. */
KPACK_CONV_API kpack_conv_status kpack_conv_run(const kpack_conv_plan_t *plan,
                                                void *stream,
                                                const kpack_conv_args *args);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KPACK_CONVBUILDER_CAPI_H */
