/*===- kpack/kpack_jit_graph.h - graphs in C --------------------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Executes plans of graphs that a program in C++ has saved (AnyGraph::save(),
|* kpack/JitGraph/AnyGraph.h). C99 and C++; libkpackJitGraph.a.
|*
|* Threads: a graph belongs to one thread at a time; others have clones. Rules
of
|* structures, outputs and strings are those of kpack/kpack_jit.h. Every
function
|* takes a null graph, and then says that nothing is prepared.
|* Reference: docs/reference/jit-graph.md.
|*
\*===----------------------------------------------------------------------===*/
#ifndef KPACK_KPACK_JIT_GRAPH_H
#define KPACK_KPACK_JIT_GRAPH_H

#include "kpack/kpack_jit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kpack_jit_graph kpack_jit_graph;

/* More exactly than a status: numbers of kpack_jit_error_detail, and these. */
typedef enum {
  KPACK_JIT_GRAPH_NOT_PREPARED = 100,
  KPACK_JIT_GRAPH_INPUT_BUFFER_NOT_FOUND = 101, /* no member has the name */
  KPACK_JIT_GRAPH_DUPLICATE_INPUT_BUFFER = 102, /* overlapping memory */
  KPACK_JIT_GRAPH_DEVICE = 105,
  KPACK_JIT_GRAPH_RUNTIME = 107,
  KPACK_JIT_GRAPH_VAR_OUT_OF_RANGE = 108,
  KPACK_JIT_GRAPH_SHAPE_MISMATCH = 110, /* fewer elements than are read */
  KPACK_JIT_GRAPH_DTYPE_MISMATCH = 111,
  KPACK_JIT_GRAPH_MISALIGNED = 112,
  KPACK_JIT_GRAPH_BUSY = 113,
  KPACK_JIT_GRAPH_OUT_OF_MEMORY = 115
} kpack_jit_graph_error;

/* Why the last function of this header that failed on this thread did so. */
KPACK_JIT_API const char *kpack_jit_graph_last_error(void);
KPACK_JIT_API int kpack_jit_graph_last_error_detail(void);

/* Kernels come from the cache, or are compiled into it; null: the process's.
 * The variables KPACK_JIT_GRAPH_... say how. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_load(const char *path,
                                                    kpack_jit_cache *cache,
                                                    kpack_jit_graph **graph);
KPACK_JIT_API kpack_jit_status
kpack_jit_graph_clone(const kpack_jit_graph *graph, kpack_jit_graph **clone);
KPACK_JIT_API void kpack_jit_graph_destroy(kpack_jit_graph *graph);

/* For the next execute; what is not set stays. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_set_variable(
    kpack_jit_graph *graph, const char *name, int64_t value);
/* Elements that are read in place, size bytes of them. Null: the graph's own
 * memory. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_bind_input(
    kpack_jit_graph *graph, const char *name, const void *data, size_t size);
/* Where it fails, what was set and bound for it is forgotten. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_execute(kpack_jit_graph *graph);

/* A call that has begun. Any thread may ask; it may outlive the graph, whose
 * end waits for what has begun. */
typedef struct kpack_jit_graph_event kpack_jit_graph_event;

/* As execute, but returns when the call is on stream, of the GPU's runtime and
 * after what is there; null: the graph's own. A CPU, which has no streams, has
 * run it then. Eight calls may be running, each after the one before. event
 * may be null. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_execute_async(
    kpack_jit_graph *graph, void *stream, kpack_jit_graph_event **event);
/* Until results are there; until inputs may be written again. */
KPACK_JIT_API kpack_jit_status
kpack_jit_graph_event_wait(const kpack_jit_graph_event *event);
KPACK_JIT_API kpack_jit_status
kpack_jit_graph_event_wait_for_inputs(const kpack_jit_graph_event *event);
/* 1: these would return at once. */
KPACK_JIT_API int
kpack_jit_graph_event_done(const kpack_jit_graph_event *event);
KPACK_JIT_API int
kpack_jit_graph_event_inputs_consumed(const kpack_jit_graph_event *event);
KPACK_JIT_API void kpack_jit_graph_event_destroy(kpack_jit_graph_event *event);

typedef enum {
  KPACK_JIT_FLOAT32 = 0,
  KPACK_JIT_FLOAT16 = 1,
  KPACK_JIT_BFLOAT16 = 2,
  KPACK_JIT_INT32 = 3,
  KPACK_JIT_INT64 = 4,
  KPACK_JIT_UINT8 = 5,
  KPACK_JIT_BOOL = 6
} kpack_jit_element_type;

typedef struct {
  size_t size;
  void *data; /* memory of the graph, which stays where it is */
  int type;   /* kpack_jit_element_type */
  uint64_t bytes;
  size_t rank;
  int64_t extents[8]; /* of an output: of the last call */
  int64_t strides[8]; /* in elements */
} kpack_jit_tensor;

/* Fills as much of tensor as its size says. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_input(
    const kpack_jit_graph *graph, const char *name, kpack_jit_tensor *tensor);
KPACK_JIT_API kpack_jit_status kpack_jit_graph_output(
    const kpack_jit_graph *graph, const char *name, kpack_jit_tensor *tensor);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KPACK_KPACK_JIT_GRAPH_H */
