/*===- kpack/kpack_jit_graph.h - C API of prepared graphs ---------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Executes plans of graphs that a C++ program has saved (AnyGraph::save(),
|* kpack/JitGraph/AnyGraph.h). C99 and C++; libkpackJitGraph.a.
|*
|* Threads: a graph belongs to one thread at a time; clone it for others. The
|* rules of structures, outputs and strings are those of kpack/kpack_jit.h. A
|* null graph is valid for every function and has nothing prepared.
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

/* Details of a status: the numbers of kpack_jit_error_detail and these. */
typedef enum {
  KPACK_JIT_GRAPH_NOT_PREPARED = 100,
  KPACK_JIT_GRAPH_INPUT_BUFFER_NOT_FOUND = 101, /* no member has the name */
  KPACK_JIT_GRAPH_DUPLICATE_INPUT_BUFFER = 102, /* overlapping memory */
  KPACK_JIT_GRAPH_DEVICE = 105,
  KPACK_JIT_GRAPH_RUNTIME = 107,
  KPACK_JIT_GRAPH_VAR_OUT_OF_RANGE = 108,
  KPACK_JIT_GRAPH_SHAPE_MISMATCH = 110, /* fewer elements than needed */
  KPACK_JIT_GRAPH_DTYPE_MISMATCH = 111,
  KPACK_JIT_GRAPH_MISALIGNED = 112,
  KPACK_JIT_GRAPH_BUSY = 113,
  KPACK_JIT_GRAPH_OUT_OF_MEMORY = 115
} kpack_jit_graph_error;

/* The reason of the last failure of this header's functions in this thread. */
KPACK_JIT_API const char *kpack_jit_graph_last_error(void);
KPACK_JIT_API int kpack_jit_graph_last_error_detail(void);

/* Loads a plan with the options of the variables KPACK_JIT_GRAPH_... Takes its
 * kernels from the cache, or compiles them into it; null: the process's cache.
 */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_load(const char *path,
                                                    kpack_jit_cache *cache,
                                                    kpack_jit_graph **graph);
KPACK_JIT_API kpack_jit_status
kpack_jit_graph_clone(const kpack_jit_graph *graph, kpack_jit_graph **clone);
KPACK_JIT_API void kpack_jit_graph_destroy(kpack_jit_graph *graph);

/* Sets a variable for the next execute; others keep their values. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_set_variable(
    kpack_jit_graph *graph, const char *name, int64_t value);
/* Reads the input from size bytes at data, in place. Null: the graph's own
 * memory. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_bind_input(
    kpack_jit_graph *graph, const char *name, const void *data, size_t size);
/* Executes the graph and waits. A failure drops the variables and bindings that
 * were set for this call. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_execute(kpack_jit_graph *graph);

/* A call that has begun. Any thread may query it. It may outlive the graph,
 * whose destruction waits for all calls. */
typedef struct kpack_jit_graph_event kpack_jit_graph_event;

/* Like execute, but returns once the call is on stream, a stream of the GPU's
 * runtime, after the earlier work there; null: the graph's own stream. A CPU
 * has no streams and runs the call before this returns. Up to eight calls may
 * be in flight, each after the one before. event may be null. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_execute_async(
    kpack_jit_graph *graph, void *stream, kpack_jit_graph_event **event);
/* Wait for the results; until inputs may be written again. */
KPACK_JIT_API kpack_jit_status
kpack_jit_graph_event_wait(const kpack_jit_graph_event *event);
KPACK_JIT_API kpack_jit_status
kpack_jit_graph_event_wait_for_inputs(const kpack_jit_graph_event *event);
/* 1 if the functions above would return at once. */
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
  void *data; /* memory of the graph; never moves */
  int type;   /* kpack_jit_element_type */
  uint64_t bytes;
  size_t rank;
  int64_t extents[8]; /* of an output: those of the last call */
  int64_t strides[8]; /* in elements */
} kpack_jit_tensor;

/* Fills tensor up to its size. */
KPACK_JIT_API kpack_jit_status kpack_jit_graph_input(
    const kpack_jit_graph *graph, const char *name, kpack_jit_tensor *tensor);
KPACK_JIT_API kpack_jit_status kpack_jit_graph_output(
    const kpack_jit_graph *graph, const char *name, kpack_jit_tensor *tensor);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KPACK_KPACK_JIT_GRAPH_H */
