/*===- kpack/kpack_jit.h - C API of the JIT cache -----------------*- C -*-===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* The JIT cache for programs and frameworks: takes a key and a function that
|* compiles, or a source, and returns the compiled file. If several threads and
|* processes miss at once, one compiles. C99 and C++; libkpack_jit.so.0.
|*
|* Threads: any number of threads may use a cache at once. Other objects belong
|* to one thread at a time unless noted. kpack_jit_cache_close() must not
|* overlap with another call on that cache.
|*
|* Structures begin with their size, which the caller sets to sizeof: later
|* versions append members, and accept the shorter structures of earlier ones.
|* Unset members are 0. Every function writes its outputs only on success.
|* Strings are copied; returned strings belong to the object and live as long.
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
  KPACK_JIT_ERROR_IO = 9, /* a retry may succeed */
  /* The compiler, or the caller's function, reports an error. */
  KPACK_JIT_ERROR_COMPILE = 32,
  /* KPACK_JIT_NO_WAIT: a compile is running; call again. */
  KPACK_JIT_PENDING = 33
} kpack_jit_status;

/* The reason of the last failure in this thread; "" if nothing failed. Valid
 * until the next failure in this thread. */
KPACK_JIT_API const char *kpack_jit_last_error(void);

/* The kind of that failure, in more detail than its status. Numbers never
 * change; later versions add some. */
typedef enum {
  KPACK_JIT_DETAIL_NONE = 0,           /* no detail is known */
  KPACK_JIT_DETAIL_COMPILE_FAILED = 1, /* errors in the text */
  KPACK_JIT_DETAIL_COMPILER_CRASHED = 2,
  KPACK_JIT_DETAIL_COMPILE_TIMEOUT = 3,
  KPACK_JIT_DETAIL_SIGNATURE_MISMATCH = 4, /* an entry has another type */
  KPACK_JIT_DETAIL_UNKNOWN_ENTRY = 5,      /* the text has no such function */
  KPACK_JIT_DETAIL_BAD_CONSTANT = 6,
  KPACK_JIT_DETAIL_UNSUPPORTED_OPTION = 7,
  KPACK_JIT_DETAIL_UNSUPPORTED_TYPE = 8, /* another layout of a structure */
  KPACK_JIT_DETAIL_MISSING_KERNEL = 9, /* a miss, and compiling is forbidden */
  KPACK_JIT_DETAIL_WRONG_ISA = 10,
  KPACK_JIT_DETAIL_LOAD_FAILED = 11,
  KPACK_JIT_DETAIL_NO_DEVICE = 12,
  KPACK_JIT_DETAIL_LAUNCH_FAILED = 13,
  KPACK_JIT_DETAIL_CACHE_UNUSABLE = 14,
  KPACK_JIT_DETAIL_CANCELLED = 15 /* by should_stop of the source */
} kpack_jit_error_detail;
KPACK_JIT_API kpack_jit_error_detail kpack_jit_last_error_detail(void);

/* The version of the library, not of this header: "0.1.0". */
KPACK_JIT_API const char *kpack_jit_version(void);

/* ---- Keys ---------------------------------------------------------------- */

/* A SHA-256 of named fields in the order in which they are added. The fields
 * are the contents of everything that can change the result. */
typedef struct kpack_jit_key kpack_jit_key;

/* schema names the maker of such keys and the version of their fields, for
 * example "my-dsl 1": keys of different schemas never collide. */
KPACK_JIT_API kpack_jit_status kpack_jit_key_create(const char *schema,
                                                    kpack_jit_key **key);
KPACK_JIT_API kpack_jit_status kpack_jit_key_add(kpack_jit_key *key,
                                                 const char *name,
                                                 const void *value,
                                                 size_t size);
/* Adds the content of the file, not its path. */
KPACK_JIT_API kpack_jit_status kpack_jit_key_add_file(kpack_jit_key *key,
                                                      const char *name,
                                                      const char *path);
/* Adds this machine: its processor with its features. */
KPACK_JIT_API kpack_jit_status kpack_jit_key_add_machine(kpack_jit_key *key);
/* Writes 64 digits and a zero. */
KPACK_JIT_API kpack_jit_status kpack_jit_key_hex(const kpack_jit_key *key,
                                                 char digits[65]);
/* Does nothing for null, as do the other functions of this kind below. */
KPACK_JIT_API void kpack_jit_key_destroy(kpack_jit_key *key);

/* ---- Caches -------------------------------------------------------------- */

typedef struct kpack_jit_cache kpack_jit_cache;

typedef enum {
  KPACK_JIT_READ_WRITE = 0,
  KPACK_JIT_READ_ONLY = 1, /* products stay in memory only */
  KPACK_JIT_OFF = 2,       /* every call compiles */
  KPACK_JIT_STRICT = 3     /* never compiles: a miss is an error */
} kpack_jit_mode;

typedef enum {
  KPACK_JIT_EVENT_COMPILING = 0,
  KPACK_JIT_EVENT_STILL_COMPILING = 1, /* about once a second */
  KPACK_JIT_EVENT_WAITING = 2,         /* likewise, for process pid on host */
  KPACK_JIT_EVENT_LANDED = 3,          /* the awaited entry is there */
  KPACK_JIT_EVENT_COMPILED = 4,
  KPACK_JIT_EVENT_FAILED = 5,
  KPACK_JIT_EVENT_WARNING =
      6,                     /* a damaged entry, a cache that is not written */
  KPACK_JIT_EVENT_REASON = 7 /* the reason of a compile; if explains is set */
} kpack_jit_event_kind;

typedef struct {
  size_t size;
  kpack_jit_event_kind kind;
  const char *name;   /* of the kernel */
  double seconds;     /* since the compile or the wait began */
  long pid;           /* WAITING; 0: unknown */
  const char *host;   /* WAITING; else "" */
  const char *detail; /* FAILED, WARNING and REASON; else "" */
  unsigned number;    /* COMPILING: this is the number-th of known compiles */
  unsigned known;
} kpack_jit_event;

/* Several threads may call it at once; it must not call the cache. */
typedef void (*kpack_jit_event_callback)(const kpack_jit_event *event,
                                         void *user);

typedef enum {
  KPACK_JIT_REMOTE_READ_WRITE = 0, /* uploads in the background */
  KPACK_JIT_REMOTE_READ = 1,
  KPACK_JIT_REMOTE_SYNC = 2 /* waits for uploads */
} kpack_jit_remote_mode;

/* A server that several machines share. The cache queries it after all
 * directories, but not with KPACK_JIT_OFF, and uploads products with
 * KPACK_JIT_READ_WRITE. */
typedef struct {
  size_t size;
  const char *url;        /* http, https, redis, unix; see CK_JIT_REMOTE */
  int mode;               /* kpack_jit_remote_mode */
  double timeout_seconds; /* until an answer begins; 0: 2 */
  double total_seconds;   /* for the whole answer; 0: five times that. An
                             upload has twice as long */
  double pause_seconds;   /* without requests after a failure; 0: 60 */
  const char *key_file;   /* secret of signatures; null: no signatures */
  const char *auth_file;  /* "user:password", or a token; may be null */
  const char *ca_file;    /* certificates for https; null: the system's */
  /* Path of kpack-jit-remote. Null: as compile_helper below. */
  const char *helper;
  /* Not 0: without a key_file, allows a server of another machine in plain text
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
  const char *prebuild_hint;             /* strict mode: the remedy of a miss */
  kpack_jit_event_callback on_event;     /* null: lines on stderr */
  void *user;                            /* of on_event */
  /* Path of kpack-jit-compile, for sources. Null: beside this library, in
   * ../bin or ../libexec/kpack. */
  const char *compile_helper;
  const kpack_jit_remote_options *remote; /* null: none */
  /* Users, by name or number, who may own system directories besides root and
   * this process's user; ends with null; may be null. */
  const char *const *system_owners;
  uint64_t max_programs;  /* loaded programs of the process; evicts the least
                            recently used first; 0: 4096 */
  double compile_seconds; /* of one compile, including the wait for its turn; 0:
                             no limit */
  uint32_t max_compiles;  /* of this user at once; 0: the processors */
  int explains;           /* not 0: KPACK_JIT_EVENT_REASON for each compile */
} kpack_jit_cache_options;

/* Opens a cache. An unusable directory is an error in strict mode only; else
 * the cache works in memory and sends an event. Invalid remote options are an
 * error. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_open(
    const kpack_jit_cache_options *options, kpack_jit_cache **cache);
/* Returns the cache of this process, which the first call creates from the
 * variables KPACK_JIT_... (docs/reference/environment.md) and nothing closes. A
 * variable with an invalid value is an error of every call. */
KPACK_JIT_API kpack_jit_status kpack_jit_process_cache(kpack_jit_cache **cache);
/* A difference between a key and that of the nearest entry. A cache without
 * files has no entries. */
typedef struct {
  const char *field;   /* "source", "flag", "include a.h" */
  const char *before;  /* in the nearest entry; "": absent */
  const char *after;   /* in this key; "": absent */
  const char *meaning; /* "source edited" */
} kpack_jit_difference;
typedef struct {
  const char *name;
  const char *value; /* short and printable */
} kpack_jit_key_field;
typedef struct {
  size_t size;
  const char *key;     /* 64 digits: the key of the source */
  int is_cached;       /* not 0: an entry in files has it */
  const char *nearest; /* the key of the nearest entry of that name, or "" */
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
 * null. Returns the error of the first failure, after trying all others. */
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
/* Forgets all programs, and removes all files except pinned entries. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_clear(kpack_jit_cache *cache);
/* Closes a cache after its compiles in the background have ended. */
KPACK_JIT_API void kpack_jit_cache_close(kpack_jit_cache *cache);

/* ---- Entries ------------------------------------------------------------- */

/* A compiled file. Independent of the cache, which may evict it or be
 * closed. */
typedef struct kpack_jit_entry kpack_jit_entry;

/* Flag of get: never waits. A thread of the library compiles; until then the
 * result is KPACK_JIT_PENDING, and the caller takes a fallback. One call
 * receives the result; callback and user must stay valid until then. */
#define KPACK_JIT_NO_WAIT 1u
/* Flag of get: an entry that is no kernel. Not counted; has no events but those
 * of waiting, of damaged entries and of unused directories. Failures are not
 * remembered, and strict mode allows the compile. */
#define KPACK_JIT_AUXILIARY 16u

typedef struct {
  size_t size;
  const kpack_jit_key *key;
  const char *name;   /* of the kernel, for messages and statistics */
  const char *kind;   /* null: "shared-object" */
  const char *target; /* target id of the device code; null: none */
  const char *symbol; /* to look up in it; may be null */
} kpack_jit_request;

/* Receives the result of a compile; copies the bytes. */
typedef struct kpack_jit_product kpack_jit_product;
KPACK_JIT_API void kpack_jit_product_set(kpack_jit_product *product,
                                         const void *bytes, size_t size,
                                         const char *log);
KPACK_JIT_API void kpack_jit_product_fail(kpack_jit_product *product,
                                          const char *message);

/* Compiles. Calls kpack_jit_product_set() and returns 0, or calls
 * kpack_jit_product_fail() with a reason and returns another value. */
typedef int (*kpack_jit_compile_callback)(kpack_jit_product *product,
                                          void *user);

KPACK_JIT_API kpack_jit_status kpack_jit_get(kpack_jit_cache *cache,
                                             const kpack_jit_request *request,
                                             kpack_jit_compile_callback compile,
                                             void *user, unsigned flags,
                                             kpack_jit_entry **entry);

typedef struct {
  size_t size;
  const char *name;      /* for messages and statistics; null: the source's */
  const char *compiler;  /* absolute path of a clang++ */
  const char *source;    /* absolute path */
  const char *directory; /* start of relative paths in flags; null: the
                            source's directory */
  const char *target;    /* HIP: target id. Null: no device code, C++ */
  /* Lists that end with null, or null. Flags exclude the compiler, inputs and
   * outputs; symbols are the exported functions, at least one. */
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
  const char *log;  /* output of the compiler */
  uint64_t created; /* seconds since 1970 */
  uint64_t compile_milliseconds;
} kpack_jit_entry_info;

/* Fills info up to its size. */
KPACK_JIT_API kpack_jit_status kpack_jit_entry_get_info(
    const kpack_jit_entry *entry, kpack_jit_entry_info *info);
/* Returns a descriptor of the entry, open for reading; the payload is its first
 * payload_size bytes. Belongs to the entry. -1 after the entry was loaded. */
KPACK_JIT_API int kpack_jit_entry_fd(const kpack_jit_entry *entry);
/* Reads exactly size bytes of the payload from offset on. */
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
 * Thread-safe. */
typedef struct kpack_jit_program kpack_jit_program;

typedef enum {
  KPACK_JIT_HOST = 0,  /* functions to call */
  KPACK_JIT_KERNEL = 1 /* __global__ functions, as a code object or PTX */
} kpack_jit_program_kind;

/* A header in memory; quotes and brackets both find it. */
typedef struct {
  const char *name; /* relative, without ".." */
  const char *text;
} kpack_jit_header;

/* Inserts "inline constexpr type name = value;" before the text. */
typedef struct {
  const char *name;
  const char *type;
  const char *value;
} kpack_jit_constant;

/* A function of the text by a C++ expression: "add", "ns::saxpy<4, float>". */
typedef struct {
  const char *expression;
  const char *type; /* "int (int, int)": the compiler checks it, and it chooses
                       among overloads. Null: the type that the function has */
} kpack_jit_entry_point;

/* The program's layout of a structure of arguments, which the compiler compares
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
  const kpack_jit_entry_point *entries; /* at least one */
  size_t entry_count;
  /* HOST: a processor as in -march=; null: this machine's. KERNEL: a target id,
   * "gfx90a:xnack-", or "sm_90" for PTX; null: that of the current device. HOST
   * with a target id: functions that launch kernels of the text. */
  const char *target;
  const char *compiler; /* a clang++; null: KPACK_JIT_COMPILER, or the
                           installed one */
  /* Ends with null, or null. Follow "-O3 -std=c++20"; only flags of code
   * generation. Directories are absolute. */
  const char *const *flags;
  const kpack_jit_type *types;
  size_t type_count;
  /* The calling thread calls it about 20 times a second while it waits for its
   * own compile or another thread's. A value other than 0 ends the wait, with
   * KPACK_JIT_ERROR_IO and the detail CANCELLED, and the thread's own compile;
   * threads that wait for that compile then compile themselves. May be null;
   * must not call the cache. */
  int (*should_stop)(void *stop_user);
  void *stop_user;
} kpack_jit_program_source;

/* Flag of compile: compiles even if there is a program, and replaces it.
 * References to the old one stay valid. */
#define KPACK_JIT_REFRESH 2u
/* Flag of compile: never compiles and never loads; KPACK_JIT_PENDING if this
 * process does not have the program. */
#define KPACK_JIT_ONLY_LOADED 4u

/* Flag of compile: compiles for this caller only, and keeps the program in no
 * cache. */
#define KPACK_JIT_UNCACHED 8u
/* Flag of compile: never compiles; returns the program from this process or the
 * cache's files, or KPACK_JIT_PENDING if neither has it or a compile is
 * running. Does not query servers. */
#define KPACK_JIT_ONLY_CACHED 32u

/* Returns the program: the same object without further checks if this process
 * has it, else loaded from the cache, or compiled. If several threads ask at
 * once, one does the work. KPACK_JIT_ERROR_COMPILE: errors in the text, or an
 * entry has another type. */
KPACK_JIT_API kpack_jit_status kpack_jit_compile(
    kpack_jit_cache *cache, const kpack_jit_program_source *source,
    unsigned flags, kpack_jit_program **program);
/* Makes a program of a copy of a code object or PTX. Its entries are all
 * kernels, with their symbols as expressions and "" as types. name is for
 * messages; null: "image". */
KPACK_JIT_API kpack_jit_status
kpack_jit_program_of_image(const void *image, size_t size, const char *name,
                           kpack_jit_program **program);
/* Passes the program to the callback as the bytes of a cache entry
 * (docs/format/jit-cache.md), for callers with their own storage. The bytes are
 * valid during the callback. KPACK_JIT_ERROR_FILE_NOT_FOUND: the program's
 * cache file was removed. */
typedef void (*kpack_jit_bytes_callback)(const void *bytes, size_t size,
                                         void *user);
KPACK_JIT_API kpack_jit_status
kpack_jit_program_serialize(const kpack_jit_program *program,
                            kpack_jit_bytes_callback callback, void *user);
/* Restores such a program, also in another process or on another machine.
 * Refuses bytes that are damaged, truncated or for another processor. Intact
 * bytes are code that runs with this process's rights: accept them from trusted
 * writers only. KPACK_JIT_ERROR_INVALID_FORMAT: not such bytes, with the detail
 * LOAD_FAILED; not for this machine, with WRONG_ISA. */
KPACK_JIT_API kpack_jit_status kpack_jit_program_deserialize(
    const void *bytes, size_t size, kpack_jit_program **program);
/* Add and drop a reference. Dropping the last one unmaps the code, none of
 * which may be running then. */
KPACK_JIT_API void kpack_jit_program_retain(kpack_jit_program *program);
KPACK_JIT_API void kpack_jit_program_release(kpack_jit_program *program);

/* Returns the address of the index-th entry. KPACK_JIT_ERROR_NOT_FOUND: the
 * entry is a kernel, or the index is too large. */
KPACK_JIT_API kpack_jit_status kpack_jit_program_function(
    const kpack_jit_program *program, size_t index, void **address);

typedef struct {
  size_t size;
  size_t entry_count;
  const char *target; /* of a code object; else "" */
  const char *log;    /* output of the compiler */
  const char *key;    /* 64 digits: the key of the cache entry */
  /* The code object, for hipModuleLoadData(), or PTX; null: functions of this
   * process. Belongs to the program, which must live as long as the module. */
  const void *image;
  uint64_t image_size;
  uint64_t compile_milliseconds;
  /* 1: a compile made it when this process loaded it; 0: the cache had it, or
   * it comes from an image. */
  int was_compiled;
} kpack_jit_program_info;
/* Fills info up to its size. */
KPACK_JIT_API kpack_jit_status kpack_jit_program_get_info(
    const kpack_jit_program *program, kpack_jit_program_info *info);

/* Describes the index-th entry; any of the pointers may be null. symbol: for
 * hipModuleGetFunction(); "" if the product has no name for it. type: in
 * clang's spelling. */
KPACK_JIT_API kpack_jit_status kpack_jit_program_entry(
    const kpack_jit_program *program, size_t index, const char **expression,
    const char **symbol, const char **type);

/* ---- Kernels ------------------------------------------------------------- */

/* Kernels run on the HIP runtime, and PTX on CUDA's driver: the one that the
 * process has loaded, else the one that the loader finds by name. This library
 * links to neither. Streams and device numbers are that runtime's. Its failures
 * have one of the details NO_DEVICE, WRONG_ISA, LOAD_FAILED and LAUNCH_FAILED
 * (kpack_jit_last_error_detail()). */

/* Writes the target id of a device, "gfx90a:sramecc+:xnack-", cut to size with
 * a zero at its end; device below 0: the calling thread's current device. */
KPACK_JIT_API kpack_jit_status kpack_jit_device_target(int device, char *id,
                                                       size_t size);

typedef struct {
  size_t size;
  const char *symbol;      /* for functions of the runtime */
  size_t argument_count;   /* without hidden arguments */
  uint32_t argument_bytes; /* of the argument block */
  uint32_t max_block;      /* maximal work items of a workgroup; 0: unknown */
  uint32_t required_block[3]; /* required size; 0: any */
  uint32_t shared_bytes;      /* of a workgroup, without dynamic ones */
} kpack_jit_kernel_info;
/* Describes the index-th entry; needs no device. KPACK_JIT_ERROR_NOT_FOUND: it
 * is a function of this process. Fills info up to its size. */
KPACK_JIT_API kpack_jit_status
kpack_jit_kernel_get_info(const kpack_jit_program *program, size_t index,
                          kpack_jit_kernel_info *info);

typedef struct {
  size_t size;
  const char *name; /* in the source; "": unknown */
  uint32_t offset;  /* in the argument block */
  uint32_t bytes;
  int is_pointer;
} kpack_jit_kernel_argument;
KPACK_JIT_API kpack_jit_status
kpack_jit_kernel_get_argument(const kpack_jit_program *program, size_t index,
                              size_t argument, kpack_jit_kernel_argument *info);

/* A kernel on a device. Belongs to its program, which must live until the last
 * launch has begun: the destruction of a program waits for running kernels. */
typedef struct kpack_jit_kernel kpack_jit_kernel;

/* Loads the program for a device, once; device below 0: the calling thread's
 * current device. */
KPACK_JIT_API kpack_jit_status
kpack_jit_kernel_load(kpack_jit_program *program, size_t index, int device,
                      const kpack_jit_kernel **kernel);
/* Returns the number of the device, and the hipFunction_t or CUfunction; both
 * pointers may be null. */
KPACK_JIT_API kpack_jit_status kpack_jit_kernel_handle(
    const kpack_jit_kernel *kernel, int *device, void **function);

/* The checks before a launch. */
typedef enum {
  /* The shape, and from memory of the launch: null pointers, alignment. */
  KPACK_JIT_CHECK_CHEAP = 0,
  /* Also queries the runtime for each pointer: the device can reach it, and its
   * allocation is long enough. Memory must not overlap against RESTRICT. */
  KPACK_JIT_CHECK_FULL = 1,
  KPACK_JIT_CHECK_NONE = 2 /* only the number of arguments */
} kpack_jit_checks;

/* The memory that an argument points to, from the caller's types. */
typedef struct {
  size_t argument; /* its index */
  const void *data;
  uint64_t bytes;     /* from data on; 0: unknown, or empty */
  uint32_t alignment; /* required of data; 0: none */
  uint32_t flags;
} kpack_jit_memory;
/* Flag of memory: the kernel may write to it. */
#define KPACK_JIT_MEMORY_WRITTEN 1u
/* Flag of memory: it overlaps no other memory of the launch, unless the kernel
 * only reads both. */
#define KPACK_JIT_MEMORY_RESTRICT 2u

typedef struct {
  size_t size;
  uint32_t grid[3];  /* workgroups; each at least 1 */
  uint32_t block[3]; /* work items of a workgroup; each at least 1 */
  uint32_t dynamic_shared_bytes;
  int refuse_null; /* not 0: a null pointer is an error */
  void *stream;    /* hipStream_t or CUstream; null: the default stream */
  int checks;      /* kpack_jit_checks */
  const kpack_jit_memory *memory; /* known memory of arguments; null: unknown */
  size_t memory_count;
} kpack_jit_launch;
/* Enqueues the kernel on the stream, with the addresses of count arguments of
 * the source's types. The stream reports later failures on the device. */
KPACK_JIT_API kpack_jit_status kpack_jit_kernel_launch(
    const kpack_jit_kernel *kernel, const kpack_jit_launch *launch,
    void *const *arguments, size_t count);

/* ---- Statistics ---------------------------------------------------------- */

typedef struct {
  size_t size;
  const char *name; /* "" in a sum */
  const char *target;
  uint64_t hits;
  uint64_t misses;
  uint64_t compiles; /* including failures */
  uint64_t failures;
  uint64_t waits; /* for a compile of another process */
  uint64_t compile_milliseconds;
  uint64_t bytes;
  uint64_t last_use; /* seconds since 1970 */
  uint64_t fetched;  /* misses that the remote cache served */
} kpack_jit_statistics;

/* Returns the sums of this cache object. bytes and last_use are 0. */
KPACK_JIT_API kpack_jit_status kpack_jit_cache_get_statistics(
    const kpack_jit_cache *cache, kpack_jit_statistics *statistics);

/* Reports the sums of all processes that have used a cache directory, one call
 * for each kernel and target. A callback result other than 0 ends it early. */
typedef int (*kpack_jit_statistics_callback)(const kpack_jit_statistics *row,
                                             void *user);
KPACK_JIT_API kpack_jit_status kpack_jit_read_statistics(
    const char *directory, kpack_jit_statistics_callback callback, void *user);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KPACK_KPACK_JIT_H */
