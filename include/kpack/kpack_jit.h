/*===- kpack/kpack_jit.h - compiled kernels, kept ---------------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The JIT cache for programs and frameworks: give a key and a function that
|* compiles, or a source, and get the compiled file; of all threads and
|* processes that miss at once, one compiles. C99 and C++; libkpack_jit.so.0.
|*
|* Threads: a cache may be used from any number of threads at once. Other
|* objects belong to one thread at a time. kpack_jit_cache_close() must not
|* overlap with another call on that cache.
|*
|* Structures begin with their size, which the caller sets to sizeof: later
|* versions append members, and take shorter structures of earlier ones. What is
|* not set is 0. Every function writes its outputs only on success. Strings are
|* copied; strings that are returned belong to the object and live as long.
|* Reference: docs/reference/jit-c-api.md.
|*
\*===----------------------------------------------------------------------===*/
#ifndef KPACK_KPACK_JIT_H
#define KPACK_KPACK_JIT_H

#include <stddef.h>
#include <stdint.h>

#define KPACK_JIT_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers are ABI and never change. */
typedef enum {
  KPACK_JIT_SUCCESS = 0,
  KPACK_JIT_ERROR_INVALID_ARGUMENT = 1,
  KPACK_JIT_ERROR_FILE_NOT_FOUND = 2,
  KPACK_JIT_ERROR_INVALID_FORMAT = 3,
  KPACK_JIT_ERROR_UNSUPPORTED_VERSION = 4,
  /* Strict mode: not in the cache. Loading: no such symbol. */
  KPACK_JIT_ERROR_NOT_FOUND = 5,
  KPACK_JIT_ERROR_OUT_OF_MEMORY = 7,
  KPACK_JIT_ERROR_IO = 9, /* may be different the next time */
  /* The compiler, or the caller's function, refuses it. */
  KPACK_JIT_ERROR_COMPILE = 32,
  /* KPACK_JIT_NO_WAIT: it is being compiled; ask again. */
  KPACK_JIT_PENDING = 33
} kpack_jit_status;

/* Why the last call of this thread that failed did so; "" if none did. Valid
 * until the next failure in this thread. */
KPACK_JIT_API const char *kpack_jit_last_error(void);

/* What that failure was, more exactly than its status. Numbers never change;
 * later versions know more of them. */
typedef enum {
  KPACK_JIT_DETAIL_NONE = 0,           /* nothing more exact is known */
  KPACK_JIT_DETAIL_COMPILE_FAILED = 1, /* the compiler refuses the text */
  KPACK_JIT_DETAIL_COMPILER_CRASHED = 2,
  KPACK_JIT_DETAIL_COMPILE_TIMEOUT = 3,
  KPACK_JIT_DETAIL_SIGNATURE_MISMATCH = 4, /* an entry has another type */
  KPACK_JIT_DETAIL_UNKNOWN_ENTRY = 5,      /* the text has no such function */
  KPACK_JIT_DETAIL_BAD_CONSTANT = 6,
  KPACK_JIT_DETAIL_UNSUPPORTED_OPTION = 7,
  KPACK_JIT_DETAIL_UNSUPPORTED_TYPE = 8, /* a structure is another one here */
  KPACK_JIT_DETAIL_MISSING_KERNEL = 9,   /* nothing may be compiled */
  KPACK_JIT_DETAIL_WRONG_ISA = 10,
  KPACK_JIT_DETAIL_LOAD_FAILED = 11,
  KPACK_JIT_DETAIL_NO_DEVICE = 12,
  KPACK_JIT_DETAIL_LAUNCH_FAILED = 13,
  KPACK_JIT_DETAIL_CACHE_UNUSABLE = 14,
  KPACK_JIT_DETAIL_CANCELLED = 15 /* by should_stop of the source */
} kpack_jit_error_detail;
KPACK_JIT_API kpack_jit_error_detail kpack_jit_last_error_detail(void);

/* "0.1.0": of the library, not of this header. */
KPACK_JIT_API const char *kpack_jit_version(void);

/* ---- Keys ---------------------------------------------------------------- */

/* A SHA-256 over named fields in the order in which they are added: everything
 * that may change the result, by content. */
typedef struct kpack_jit_key kpack_jit_key;

/* schema names who makes such keys and the version of their fields, for example
 * "my-dsl 1": keys of different schemas never collide. */
KPACK_JIT_API kpack_jit_status kpack_jit_key_create(const char *schema,
                                                    kpack_jit_key **key);
KPACK_JIT_API kpack_jit_status kpack_jit_key_add(kpack_jit_key *key,
                                                 const char *name,
                                                 const void *value,
                                                 size_t size);
/* The content of the file, not its path. */
KPACK_JIT_API kpack_jit_status kpack_jit_key_add_file(kpack_jit_key *key,
                                                      const char *name,
                                                      const char *path);
/* This machine: its processor and what that can do. */
KPACK_JIT_API kpack_jit_status kpack_jit_key_add_machine(kpack_jit_key *key);
/* 64 digits and a zero. */
KPACK_JIT_API kpack_jit_status kpack_jit_key_hex(const kpack_jit_key *key,
                                                 char digits[65]);
/* Null is fine, here and for all that follow. */
KPACK_JIT_API void kpack_jit_key_destroy(kpack_jit_key *key);

/* ---- Caches -------------------------------------------------------------- */

typedef struct kpack_jit_cache kpack_jit_cache;

typedef enum {
  KPACK_JIT_READ_WRITE = 0,
  KPACK_JIT_READ_ONLY = 1, /* what is compiled is kept in memory only */
  KPACK_JIT_OFF = 2,       /* everything is compiled */
  KPACK_JIT_STRICT = 3     /* nothing is compiled: a miss is an error */
} kpack_jit_mode;

typedef enum {
  KPACK_JIT_EVENT_COMPILING = 0,
  KPACK_JIT_EVENT_STILL_COMPILING = 1, /* about once a second */
  KPACK_JIT_EVENT_WAITING = 2,         /* for process pid on host; likewise */
  KPACK_JIT_EVENT_LANDED = 3,          /* what was waited for is there */
  KPACK_JIT_EVENT_COMPILED = 4,
  KPACK_JIT_EVENT_FAILED = 5,
  KPACK_JIT_EVENT_WARNING =
      6,                     /* a damaged entry, a cache that is not written */
  KPACK_JIT_EVENT_REASON = 7 /* why it is compiled; where explains is set */
} kpack_jit_event_kind;

typedef struct {
  size_t size;
  kpack_jit_event_kind kind;
  const char *name;   /* of the kernel */
  double seconds;     /* since the compile or the wait began */
  long pid;           /* WAITING; 0: unknown */
  const char *host;   /* WAITING; else "" */
  const char *detail; /* FAILED, WARNING and REASON; else "" */
  unsigned number;    /* COMPILING: the number-th of known compiles */
  unsigned known;
} kpack_jit_event;

/* May be called from several threads at once; must not call the cache. */
typedef void (*kpack_jit_event_callback)(const kpack_jit_event *event,
                                         void *user);

typedef enum {
  KPACK_JIT_REMOTE_READ_WRITE = 0, /* uploads go on in the background */
  KPACK_JIT_REMOTE_READ = 1,
  KPACK_JIT_REMOTE_SYNC = 2 /* uploads are waited for */
} kpack_jit_remote_mode;

/* A server that several machines share. The cache asks it after all
 * directories, but not with KPACK_JIT_OFF, and uploads products with
 * KPACK_JIT_READ_WRITE. */
typedef struct {
  size_t size;
  const char *url;        /* http, https, redis, unix: as CK_JIT_REMOTE */
  int mode;               /* kpack_jit_remote_mode */
  double timeout_seconds; /* until an answer begins; 0: 2 */
  double total_seconds;   /* for all of it; 0: five times that. An upload
                             has twice as long */
  double pause_seconds;   /* a server that failed is left alone; 0: 60 */
  const char *key_file;   /* secret of signatures; null: none wanted */
  const char *auth_file;  /* "user:password", or a token; may be null */
  const char *ca_file;    /* that https trusts; null: the system's */
  /* Path of kpack-jit-remote. Null: as compile_helper below. */
  const char *helper;
  /* Not 0: without a key_file, also a server of another machine in plain text
   * (http, redis). An attacker on the network can then send code that runs. */
  int insecure;
} kpack_jit_remote_options;

typedef struct {
  size_t size;
  const char *directory;                 /* absolute; created with mode 0700 */
  const char *const *system_directories; /* read-only, asked first; ends with
                                            null; may be null */
  int mode;                              /* kpack_jit_mode */
  uint64_t max_bytes;                    /* 0: 20 GiB */
  uint64_t max_entries;                  /* 0: no limit */
  uint64_t max_age_seconds;              /* since the last use; 0: no limit */
  double max_wait_seconds;               /* for other processes; 0: 600, or
                                            compile_seconds if that is less */
  const char *prebuild_hint;         /* strict mode: what to do about a miss */
  kpack_jit_event_callback on_event; /* null: lines on stderr */
  void *user;                        /* of on_event */
  /* Path of kpack-jit-compile, for sources. Null: beside this library, in
   * ../bin or ../libexec/kpack. */
  const char *compile_helper;
  const kpack_jit_remote_options *remote; /* null: none */
  /* Users, by name or number, who may own system directories besides root and
   * this process's user; ends with null; may be null. */
  const char *const *system_owners;
  uint64_t max_programs;  /* that the process keeps loaded, the least recently
                             used go first; 0: 4096 */
  double compile_seconds; /* that one compile may take, waiting for its turn
                             included; 0: no limit */
  uint32_t max_compiles;  /* of this user at once; 0: processors */
  int explains;           /* not 0: KPACK_JIT_EVENT_REASON for each compile */
} kpack_jit_cache_options;

/* Opens a cache. A directory that cannot be used is an error in strict mode
 * only; else the cache works in memory and sends an event. Invalid remote
 * options are an error. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_open(
    const kpack_jit_cache_options *options, kpack_jit_cache **cache);
/* The cache of this process, made by the first call from the variables
 * KPACK_JIT_... (docs/reference/environment.md) and never closed. A variable
 * with an invalid value is an error of every call. */
KPACK_JIT_API kpack_jit_status kpack_jit_process_cache(kpack_jit_cache **cache);
/* The parts of a key, and their differences from the nearest entry. A cache
 * without files has none. */
typedef struct {
  const char *field;   /* "source", "flag", "include a.h" */
  const char *before;  /* in the nearest entry; "": it has none */
  const char *after;   /* in what was asked for; "": it has none */
  const char *meaning; /* "source edited" */
} kpack_jit_difference;
typedef struct {
  const char *name;
  const char *value; /* short and printable */
} kpack_jit_key_field;
typedef struct {
  size_t size;
  const char *key;     /* 64 digits: of what was asked for */
  int is_cached;       /* an entry of files has it */
  const char *nearest; /* the key of the nearest entry of that name; "": none */
  const kpack_jit_key_field *fields;
  size_t field_count;
  const kpack_jit_difference *differences;
  size_t difference_count;
} kpack_jit_explanation;
/* The explanation is valid during the call. */
typedef void (*kpack_jit_explanation_callback)(
    const kpack_jit_explanation *explanation, void *user);
struct kpack_jit_program_source_s;
/* Explains a key. Compiles nothing, but runs tools to find unknown headers and
 * versions. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_explain(
    kpack_jit_cache *cache, const struct kpack_jit_program_source_s *source,
    kpack_jit_explanation_callback callback, void *user);

/* Loads all programs in the cache's files. *programs receives their number; may
 * be null. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_preload(kpack_jit_cache *cache,
                                                       uint64_t *programs);
/* Compiles and loads the programs of a run with KPACK_JIT_RECORD=path, as many
 * at once as there are processors. *programs receives their number; may be
 * null. Returns the error of the first failure, after all others are made. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_prepare(kpack_jit_cache *cache,
                                                       const char *path,
                                                       uint64_t *programs);
/* Write all products in files to a bundle (a tar file, compressed if the name
 * ends with "zst"), or the products of a bundle to files that are missing.
 * *entries receives their number; may be null. Run kpack-jit-remote.
 * KPACK_JIT_ERROR_INVALID_FORMAT: no bundle, or a damaged one. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_export(kpack_jit_cache *cache,
                                                      const char *path,
                                                      uint64_t *entries);
KPACK_JIT_API kpack_jit_status kpack_jit_cache_import(kpack_jit_cache *cache,
                                                      const char *path,
                                                      uint64_t *entries);
/* Removes files beyond the limits. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_prune(kpack_jit_cache *cache);
/* Forgets all programs, and removes all files except those of pinned entries.
 */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_clear(kpack_jit_cache *cache);
/* Closes a cache after its compiles in the background have ended. */
KPACK_JIT_API void kpack_jit_cache_close(kpack_jit_cache *cache);

/* ---- Entries ------------------------------------------------------------- */

/* A compiled file. Independent of the cache: it may be evicted, and the cache
 * closed. */
typedef struct kpack_jit_entry kpack_jit_entry;

/* Flag of get: never waits for a compile, which a thread of the library does
 * (see KPACK_JIT_PENDING); take a fallback meanwhile. The result is given to
 * one call; callback and user are used until then. */
#define KPACK_JIT_NO_WAIT 1u
/* Flag of get: no kernel. It is not counted and causes no event, a failure is
 * not remembered, and strict mode permits to make it. */
#define KPACK_JIT_AUXILIARY 16u

typedef struct {
  size_t size;
  const kpack_jit_key *key;
  const char *name;   /* of the kernel, for people and statistics */
  const char *kind;   /* null: "shared-object" */
  const char *target; /* target id of the device code; null: none */
  const char *symbol; /* what is looked up in it; may be null */
} kpack_jit_request;

/* Receives the result of a compile; copies the bytes. */
typedef struct kpack_jit_product kpack_jit_product;
KPACK_JIT_API void kpack_jit_product_set(kpack_jit_product *product,
                                         const void *bytes, size_t size,
                                         const char *log);
KPACK_JIT_API void kpack_jit_product_fail(kpack_jit_product *product,
                                          const char *message);

/* Compiles. Calls kpack_jit_product_set() and returns 0; or returns something
 * else, after kpack_jit_product_fail() with a reason. */
typedef int (*kpack_jit_compile_callback)(kpack_jit_product *product,
                                          void *user);

KPACK_JIT_API kpack_jit_status kpack_jit_get(kpack_jit_cache *cache,
                                             const kpack_jit_request *request,
                                             kpack_jit_compile_callback compile,
                                             void *user, unsigned flags,
                                             kpack_jit_entry **entry);

typedef struct {
  size_t size;
  const char *name;      /* for people and statistics; null: the source's */
  const char *compiler;  /* absolute path of a clang++ */
  const char *source;    /* absolute path */
  const char *directory; /* where relative paths in flags start; null: the
                            source's folder */
  const char *target;    /* HIP: target id. Null: no device code, C++ */
  /* Lists that end with null, or null. Flags without compiler, inputs and
   * outputs; symbols are the functions that are exported, at least one. */
  const char *const *flags;
  const char *const *link_flags;
  const char *const *symbols;
} kpack_jit_source;

/* Returns the shared object of a source. Its key covers the content of all
 * files that the compile reads. */
KPACK_JIT_API kpack_jit_status
kpack_jit_get_source(kpack_jit_cache *cache, const kpack_jit_source *source,
                     unsigned flags, kpack_jit_entry **entry);

typedef struct {
  size_t size;
  uint64_t payload_size;
  const char *name;
  const char *kind;
  const char *target;
  const char *symbol;
  const char *producer;
  const char *log;  /* what the compiler printed */
  uint64_t created; /* seconds since 1970 */
  uint64_t compile_milliseconds;
} kpack_jit_entry_info;

/* Fills info up to its size. */
KPACK_JIT_API kpack_jit_status kpack_jit_entry_get_info(
    const kpack_jit_entry *entry, kpack_jit_entry_info *info);
/* A descriptor of the entry, open for reading; the payload is its first
 * payload_size bytes. Belongs to the entry. -1: it was loaded. */
KPACK_JIT_API int kpack_jit_entry_fd(const kpack_jit_entry *entry);
/* Exactly size bytes of the payload from offset on. */
KPACK_JIT_API kpack_jit_status kpack_jit_entry_read(
    const kpack_jit_entry *entry, uint64_t offset, void *bytes, size_t size);
KPACK_JIT_API void kpack_jit_entry_destroy(kpack_jit_entry *entry);

/* Loads the shared object of an entry (once) and finds the symbol in it. The
 * code stays mapped until the process ends. */
KPACK_JIT_API kpack_jit_status kpack_jit_entry_symbol(kpack_jit_entry *entry,
                                                      const char *symbol,
                                                      void **address);

/* ---- Programs ------------------------------------------------------------ */

/* A source text, compiled and loaded: functions of this process, or a code
 * object with kernels. Reference-counted; independent of its cache.
 * Thread-safe.
 */
typedef struct kpack_jit_program kpack_jit_program;

typedef enum {
  KPACK_JIT_HOST = 0,  /* functions that are called */
  KPACK_JIT_KERNEL = 1 /* __global__ functions, as a code object or PTX */
} kpack_jit_program_kind;

/* A header that exists in memory only; found by quotes and by brackets. */
typedef struct {
  const char *name; /* relative, without ".." */
  const char *text;
} kpack_jit_header;

/* "inline constexpr type name = value;" before the text. */
typedef struct {
  const char *name;
  const char *type;
  const char *value;
} kpack_jit_constant;

/* A function of the text by a C++ expression: "add", "ns::saxpy<4, float>". */
typedef struct {
  const char *expression;
  const char *type; /* "int (int, int)": checked by the compiler, also chooses
                       among overloads. Null: the one that it has */
} kpack_jit_entry_point;

/* The program's layout of a structure of arguments; the compiler compares it
 * with the text's. */
typedef struct {
  const char *name;
  size_t offset;
  size_t size;
} kpack_jit_member;
typedef struct {
  const char *name; /* "ns::Point" */
  size_t size;
  size_t alignment;
  const kpack_jit_member *members;
  size_t member_count;
} kpack_jit_type;

typedef struct kpack_jit_program_source_s {
  size_t size;
  int kind;         /* kpack_jit_program_kind */
  const char *name; /* of the text, for messages; null: "source.cpp" or .hip */
  const char *text;
  const kpack_jit_header *headers;
  size_t header_count;
  const kpack_jit_constant *constants;
  size_t constant_count;
  const kpack_jit_entry_point *entries; /* one at least */
  size_t entry_count;
  /* HOST: a processor as -march= has it; null: this machine's. KERNEL: a target
   * id, "gfx90a:xnack-", or "sm_90" for PTX; null: that of the current device.
   * HOST with a target id: functions that launch kernels of the text. */
  const char *target;
  const char *compiler; /* a clang++; null: KPACK_JIT_COMPILER, or the one that
                           is installed */
  /* Ends with null, or null. After "-O3 -std=c++20"; only flags of code
   * generation. Folders are absolute. */
  const char *const *flags;
  const kpack_jit_type *types;
  size_t type_count;
  /* Called about 20 times a second by the calling thread while it waits for a
   * compile, by itself or by another thread: not 0 ends the wait with
   * KPACK_JIT_ERROR_IO and the detail CANCELLED, and the thread's compile.
   * Other threads that wait for it then compile themselves. May be null; must
   * not call the cache. */
  int (*should_stop)(void *stop_user);
  void *stop_user;
} kpack_jit_program_source;

/* Flag of compile: compiles even if there is a program, and replaces it.
 * References to the old one stay valid. */
#define KPACK_JIT_REFRESH 2u
/* Flag of compile: never compiles and never loads; KPACK_JIT_PENDING where this
 * process has no such program yet. */
#define KPACK_JIT_ONLY_LOADED 4u

/* Flag of compile: compiles for this caller only, and keeps the program in no
 * cache. */
#define KPACK_JIT_UNCACHED 8u
/* Flag of compile: never compiles; returns the program of this process or of
 * the cache's files, or KPACK_JIT_PENDING if they have none, or if it is being
 * compiled. Does not ask servers. */
#define KPACK_JIT_ONLY_CACHED 32u

/* Returns the program: the same object without further checks if this process
 * has it, else loaded from the cache, or compiled. If several threads ask at
 * once, one does the work. KPACK_JIT_ERROR_COMPILE: the compiler refuses it, or
 * an entry has another type. */
KPACK_JIT_API kpack_jit_status kpack_jit_compile(
    kpack_jit_cache *cache, const kpack_jit_program_source *source,
    unsigned flags, kpack_jit_program **program);
/* A program of a code object or of PTX that is compiled already; image is
 * copied. Its entries are all kernels of it, expressions and symbols the names
 * that it has for them, types are "". name is for messages; null: "image". */
KPACK_JIT_API kpack_jit_status
kpack_jit_program_of_image(const void *image, size_t size, const char *name,
                           kpack_jit_program **program);
/* The program as bytes, which are those of an entry (docs/format/jit-cache.md):
 * for who keeps programs in a place of their own. They are the callback's while
 * it runs. KPACK_JIT_ERROR_FILE_NOT_FOUND: it was loaded from a file of a cache
 * that is gone. */
typedef void (*kpack_jit_bytes_callback)(const void *bytes, size_t size,
                                         void *user);
KPACK_JIT_API kpack_jit_status
kpack_jit_program_serialize(const kpack_jit_program *program,
                            kpack_jit_bytes_callback callback, void *user);
/* And back, in another process or on another machine: what is damaged, cut off
 * or for another processor is refused; but who has written code that is whole
 * may do what this process may. KPACK_JIT_ERROR_INVALID_FORMAT: no such bytes,
 * with the detail LOAD_FAILED; with WRONG_ISA, none for this machine. */
KPACK_JIT_API kpack_jit_status kpack_jit_program_deserialize(
    const void *bytes, size_t size, kpack_jit_program **program);
/* One more who has it, and one less: with the last one its code is unmapped. No
 * function of it may be running then. */
KPACK_JIT_API void kpack_jit_program_retain(kpack_jit_program *program);
KPACK_JIT_API void kpack_jit_program_release(kpack_jit_program *program);

/* The address of the index-th entry. KPACK_JIT_ERROR_NOT_FOUND: it is a kernel,
 * or there are not so many. */
KPACK_JIT_API kpack_jit_status kpack_jit_program_function(
    const kpack_jit_program *program, size_t index, void **address);

typedef struct {
  size_t size;
  size_t entry_count;
  const char *target; /* of a code object; else "" */
  const char *log;    /* what the compiler printed */
  const char *key;    /* 64 digits: of the cache's entry */
  /* The code object, for hipModuleLoadData(), or PTX; null: functions of this
   * process. Belongs to the program, which must live as long as the module. */
  const void *image;
  uint64_t image_size;
  uint64_t compile_milliseconds;
  /* 1: when this process loaded it, it had to be compiled; 0: it was found in
   * the cache, or is of an image. */
  int was_compiled;
} kpack_jit_program_info;
/* Fills info up to its size. */
KPACK_JIT_API kpack_jit_status kpack_jit_program_get_info(
    const kpack_jit_program *program, kpack_jit_program_info *info);

/* What the index-th entry is: any of the places may be null. symbol: for
 * hipModuleGetFunction(); "" where the product has no name for it. type: as
 * clang spells it. */
KPACK_JIT_API kpack_jit_status kpack_jit_program_entry(
    const kpack_jit_program *program, size_t index, const char **expression,
    const char **symbol, const char **type);

/* ---- Kernels ------------------------------------------------------------- */

/* What runs kernels is the HIP runtime that the process has loaded, of PTX
 * CUDA's driver, else the one that is found by name; this library is linked
 * with none. Streams are that runtime's, and so are numbers of devices. What
 * fails is an KPACK_JIT_ERROR_..., and kpack_jit_last_error_detail() says which
 * of NO_DEVICE, WRONG_ISA, LOAD_FAILED and LAUNCH_FAILED it is. */

/* The target id of a device, "gfx90a:sramecc+:xnack-"; device below 0: of the
 * calling thread's current one. Fills as much of id as size says, with a zero
 * at its end. */
KPACK_JIT_API kpack_jit_status kpack_jit_device_target(int device, char *id,
                                                       size_t size);

typedef struct {
  size_t size;
  const char *symbol;      /* for the runtime's own functions */
  size_t argument_count;   /* without those that the runtime adds */
  uint32_t argument_bytes; /* of their block */
  uint32_t max_block;      /* work items of a workgroup at most; 0: unknown */
  uint32_t required_block[3]; /* the size it must have; 0: any */
  uint32_t shared_bytes;      /* of a workgroup, without those of a launch */
} kpack_jit_kernel_info;
/* Of the index-th entry; needs no device. KPACK_JIT_ERROR_NOT_FOUND: it is a
 * function of this process. Fills as much of info as its size says. */
KPACK_JIT_API kpack_jit_status
kpack_jit_kernel_get_info(const kpack_jit_program *program, size_t index,
                          kpack_jit_kernel_info *info);

typedef struct {
  size_t size;
  const char *name; /* of the source; "": unknown */
  uint32_t offset;  /* in the block */
  uint32_t bytes;
  int is_pointer;
} kpack_jit_kernel_argument;
KPACK_JIT_API kpack_jit_status
kpack_jit_kernel_get_argument(const kpack_jit_program *program, size_t index,
                              size_t argument, kpack_jit_kernel_argument *info);

/* A kernel on a device. Belongs to its program, which must live until what was
 * launched last has begun: the end of a program waits for what runs. */
typedef struct kpack_jit_kernel kpack_jit_kernel;

/* Loads the program for a device, once; below 0: the calling thread's current
 * one. */
KPACK_JIT_API kpack_jit_status
kpack_jit_kernel_load(kpack_jit_program *program, size_t index, int device,
                      const kpack_jit_kernel **kernel);
/* The number of its device, and the hipFunction_t or CUfunction; may be null.
 */
KPACK_JIT_API kpack_jit_status kpack_jit_kernel_handle(
    const kpack_jit_kernel *kernel, int *device, void **function);

/* What a launch is looked at for before it is one. */
typedef enum {
  /* Its shape; of what memory of the launch says: null, alignment. */
  KPACK_JIT_CHECK_CHEAP = 0,
  /* The runtime is asked of each pointer, too: whether the device can reach it,
   * how long the allocation is; and what must not overlap does not. */
  KPACK_JIT_CHECK_FULL = 1,
  KPACK_JIT_CHECK_NONE = 2 /* how many arguments there are */
} kpack_jit_checks;

/* Memory that an argument leads to, as the caller's types have it. */
typedef struct {
  size_t argument; /* its number */
  const void *data;
  uint64_t bytes;     /* from data on; 0: not known, or none */
  uint32_t alignment; /* data is a multiple of it; 0: any address */
  uint32_t flags;
} kpack_jit_memory;
/* Flag of memory: the kernel may write to it. */
#define KPACK_JIT_MEMORY_WRITTEN 1u
/* Flag of memory: what is written of it, or of what overlaps with it, is part
 * of no other memory of the launch. */
#define KPACK_JIT_MEMORY_RESTRICT 2u

typedef struct {
  size_t size;
  uint32_t grid[3];  /* workgroups; 1 at least, each */
  uint32_t block[3]; /* work items of a workgroup; likewise */
  uint32_t dynamic_shared_bytes;
  int refuse_null; /* not 0: a pointer that is null is an error */
  void *stream;    /* hipStream_t; null: the default one */
  int checks;      /* kpack_jit_checks */
  const kpack_jit_memory *memory; /* what is known of it; null: nothing */
  size_t memory_count;
} kpack_jit_launch;
/* Puts the kernel into the stream: count addresses of arguments, whose types
 * are those of the source. What fails on the device the stream says later. */
KPACK_JIT_API kpack_jit_status kpack_jit_kernel_launch(
    const kpack_jit_kernel *kernel, const kpack_jit_launch *launch,
    void *const *arguments, size_t count);

/* ---- Statistics ---------------------------------------------------------- */

typedef struct {
  size_t size;
  const char *name; /* of a sum: "" */
  const char *target;
  uint64_t hits;
  uint64_t misses;
  uint64_t compiles; /* also those that failed */
  uint64_t failures;
  uint64_t waits; /* for a compile of another process */
  uint64_t compile_milliseconds;
  uint64_t bytes;
  uint64_t last_use; /* seconds since 1970 */
  uint64_t fetched;  /* misses that the remote cache had */
} kpack_jit_statistics;

/* Sums of this cache object. bytes and last_use are 0. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_get_statistics(
    const kpack_jit_cache *cache, kpack_jit_statistics *statistics);

/* Sums of all processes that have used a cache directory, one call for each
 * kernel and target; ends early when the callback returns something but 0. */
typedef int (*kpack_jit_statistics_callback)(const kpack_jit_statistics *row,
                                             void *user);
KPACK_JIT_API kpack_jit_status kpack_jit_read_statistics(
    const char *directory, kpack_jit_statistics_callback callback, void *user);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KPACK_KPACK_JIT_H */
