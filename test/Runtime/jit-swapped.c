/*===- jit-swapped.c - what is checked is what is loaded ---------------===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Somebody who may rename in a folder above the cache puts another cache in its
|* place, exactly between the check of an entry and its load: this program has a
|* dlopen() of its own, which the library calls. Then more kernels are loaded
|* than there are descriptors, on each of the ways that an entry is loaded.
|*
|* RUN: rm -rf %t && mkdir %t %t/safe %t/open %t/none && chmod 777 %t/open
|* RUN: %host_cc -std=c99 -Wall -Wextra -Werror %sanitize -rdynamic -I %srcroot/include %s -L%libdir -lkpack_jit \
|* RUN:   -Wl,-rpath,%libdir -ldl -o %t/program
|* RUN: %host_cc -shared -fPIC -O1 -nostdlib -DCODE -Wl,-z,noseparate-code -Wl,--build-id=none %s -o %t/code.so
|*
|* RUN: %t/program swap %t/open %t/code.so | FileCheck --check-prefix=SWAP %s
|* SWAP: read-write: 1
|* SWAP-NEXT: strict: 1
|* SWAP-NEXT: swapped 2 times
|*
|* Where nobody else can rename, debuggers find the code by the entry's name.
|* RUN: %t/program name %t/safe %t/code.so | FileCheck --check-prefix=NAME %s
|* NAME: {{^/.+/safe/cache/objects/../[0-9a-f]+\.entry$}}
|*
|* A helper program that was opened is the one that is run, ELF or script.
|* RUN: mkdir %t/open/tools %t/open/evil-tools
|* RUN: %host_cc -DHELPER='"%t/open/ran-good"' %s -o %t/open/tools/elf && %host_cc -DHELPER='"%t/open/ran-evil"' %s -o %t/open/evil-tools/elf
|* RUN: printf '#!/bin/sh\nexec touch %t/open/ran-script\n' > %t/open/tools/script
|* RUN: printf '#!/bin/sh\nexec touch %t/open/ran-evil\n' > %t/open/evil-tools/script
|* RUN: chmod +x %t/open/tools/script %t/open/evil-tools/script
|* RUN: %t/program helper %t/open %t/code.so %t/open/tools/elf | FileCheck --check-prefix=HELPER %s
|* RUN: %t/program helper %t/open %t/code.so %t/open/tools/script | FileCheck --check-prefix=HELPER %s
|* HELPER: swapped {{[1-9]}} times
|* RUN: ls %t/open | grep ran- | tr '\n' ' ' | FileCheck --check-prefix=RAN %s
|* RAN: {{^}}ran-good ran-script {{$}}
|*
|* One that everybody may write to is not run.
|* RUN: cp %t/open/tools/script %t/safe/helper && chmod 777 %t/safe/helper
|* RUN: %t/program helper %t/safe %t/code.so %t/safe/helper | FileCheck --check-prefix=WRITABLE %s
|* WRITABLE: source: {{.*}}/safe/helper: others may write to it, and so choose what is run; chmod go-w it
|* WRITABLE-NEXT: swapped 0 times
|*
|* RUN: %t/program many %t/safe %t/code.so 1200 | FileCheck --check-prefix=MANY %s
|* RUN: mv %t/safe/many %t/open/many
|* RUN: %t/program many %t/open %t/code.so 1200 | FileCheck --check-prefix=MANY %s
|* RUN: %t/program memory %t/none %t/code.so %kernels | FileCheck --check-prefix=MANY %s
|* MANY: {{[1-9][0-9][0-9][0-9]+}} kernels right, 0 wrong
|*
\*===----------------------------------------------------------------------===*/
#ifdef HELPER
#include <stdio.h>
int main(void) { return fopen(HELPER, "w") ? 0 : 1; }
#elif defined(CODE)

/* The number is replaced in the machine code. */
int answer(void) { return 0x12345678; }

#else
#define _GNU_SOURCE
#include "kpack/kpack_jit.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char code[65536];
static size_t code_size;
/* What dlopen() is to do before it opens; null: nothing. */
static const char *swap_folder, *swap_name = "cache", *swap_with = "evil";
static int swaps;

static void move(const char *folder, const char *from, const char *to) {
  char old_path[4096], new_path[4096];
  snprintf(old_path, sizeof(old_path), "%s/%s", folder, from);
  snprintf(new_path, sizeof(new_path), "%s/%s", folder, to);
  if (rename(old_path, new_path) != 0)
    perror(old_path);
}

static void swap_in(void) {
  if (!swap_folder)
    return;
  ++swaps;
  move(swap_folder, swap_name, "aside");
  move(swap_folder, swap_with, swap_name);
}

static void swap_out(void) {
  if (!swap_folder)
    return;
  move(swap_folder, swap_name, swap_with);
  move(swap_folder, "aside", swap_name);
}

void *dlopen(const char *file, int mode) {
  void *(*real)(const char *, int);
  void *found = dlsym(RTLD_NEXT, "dlopen");
  memcpy(&real, &found, sizeof(real));
  swap_in();
  void *handle = real(file, mode);
  swap_out();
  return handle;
}

int posix_spawn(pid_t *pid, const char *path,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *arguments,
                char *const *environment) {
  int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
              const posix_spawnattr_t *, char *const *, char *const *);
  void *found = dlsym(RTLD_NEXT, "posix_spawn");
  memcpy(&real, &found, sizeof(real));
  swap_in();
  const int code =
      real(pid, path, actions, attributes, arguments, environment);
  swap_out();
  return code;
}

/* Nothing here is about a disk's speed. */
int fsync(int fd) {
  (void)fd;
  return 0;
}

static void ignore(const kpack_jit_event *event, void *user) {
  (void)event;
  (void)user;
}

static int compile(kpack_jit_product *product, void *user) {
  const int number = 0x12345678;
  char *place = memmem(code, code_size, &number, sizeof(number));
  if (!place)
    return 1;
  memcpy(place, user, sizeof(number));
  kpack_jit_product_set(product, code, code_size, NULL);
  memcpy(place, &number, sizeof(number));
  return 0;
}

static kpack_jit_cache *open_cache(const char *folder, const char *name,
                                   int mode) {
  char directory[4096];
  kpack_jit_cache_options options = {0};
  kpack_jit_cache *cache = NULL;
  snprintf(directory, sizeof(directory), "%s/%s", folder, name);
  options.size = sizeof(options);
  options.directory = directory;
  options.mode = mode;
  options.on_event = ignore;
  if (kpack_jit_cache_open(&options, &cache))
    printf("open: %s\n", kpack_jit_last_error());
  return cache;
}

/* The entry of key, whose code answers number where it is compiled now. */
static kpack_jit_entry *get(kpack_jit_cache *cache, int key, int number) {
  kpack_jit_key *k = NULL;
  kpack_jit_request request = {0};
  kpack_jit_entry *entry = NULL;
  kpack_jit_key_create("test 1", &k);
  kpack_jit_key_add(k, "number", &key, sizeof(key));
  request.size = sizeof(request);
  request.key = k;
  request.name = "kernel";
  if (kpack_jit_get(cache, &request, compile, &number, 0, &entry))
    printf("get: %s\n", kpack_jit_last_error());
  kpack_jit_key_destroy(k);
  return entry;
}

/* What it answers; a negative number: nothing. */
static int answer_of(kpack_jit_entry *entry, Dl_info *where) {
  void *address = NULL;
  int (*function)(void);
  if (kpack_jit_entry_symbol(entry, "answer", &address)) {
    printf("load: %s\n", kpack_jit_last_error());
    return -1;
  }
  if (where)
    dladdr(address, where);
  memcpy(&function, &address, sizeof(function));
  kpack_jit_entry_destroy(entry);
  return function();
}

/* Keys are those of both caches; the modes' are different ones, because what is
 * loaded stays. */
static void swap(const char *folder) {
  kpack_jit_cache *evil = open_cache(folder, "evil", KPACK_JIT_READ_WRITE);
  kpack_jit_cache *cache = open_cache(folder, "cache", KPACK_JIT_READ_WRITE);
  for (int key = 1; key <= 2; ++key) {
    kpack_jit_entry_destroy(get(evil, key, 666));
    kpack_jit_entry_destroy(get(cache, key, 1));
  }
  kpack_jit_cache *strict = open_cache(folder, "cache", KPACK_JIT_STRICT);
  kpack_jit_entry *first = get(cache, 1, 1), *second = get(strict, 2, 1);
  swap_folder = folder;
  printf("read-write: %d\n", answer_of(first, NULL));
  printf("strict: %d\n", answer_of(second, NULL));
  printf("swapped %d times\n", swaps);
}

/* No helper of ours answers: which one was started is what counts. */
static void helper(const char *folder, const char *path) {
  const char *symbols[] = {"answer", NULL};
  kpack_jit_cache_options options = {0};
  kpack_jit_cache *cache = NULL;
  kpack_jit_source source = {0};
  kpack_jit_entry *entry = NULL;
  char directory[4096];
  snprintf(directory, sizeof(directory), "%s/helper-cache", folder);
  options.size = sizeof(options);
  options.directory = directory;
  options.compile_helper = path;
  options.on_event = ignore;
  kpack_jit_cache_open(&options, &cache);
  source.size = sizeof(source);
  source.compiler = "/bin/true";
  source.source = path;
  source.symbols = symbols;
  swap_folder = folder;
  swap_name = "tools";
  swap_with = "evil-tools";
  if (kpack_jit_get_source(cache, &source, 0, &entry))
    printf("source: %s\n", kpack_jit_last_error());
  printf("swapped %d times\n", swaps);
}

static void many(const char *folder, int mode, int count) {
  const struct rlimit limit = {1024, 1024};
  kpack_jit_cache *cache = open_cache(folder, "many", mode);
  int right = 0;
  setrlimit(RLIMIT_NOFILE, &limit);
  for (int i = 1; i <= count; ++i) {
    kpack_jit_entry *entry = get(cache, i, i);
    if (!entry)
      break;
    right += answer_of(entry, NULL) == i;
  }
  printf("%d kernels right, %d wrong\n", right, count - right);
}

int main(int argc, char **argv) {
  FILE *file = argc < 4 ? NULL : fopen(argv[3], "rb");
  if (!file)
    return 2;
  code_size = fread(code, 1, sizeof(code), file);
  fclose(file);
  if (strcmp(argv[1], "swap") == 0) {
    swap(argv[2]);
  } else if (strcmp(argv[1], "helper") == 0) {
    helper(argv[2], argv[4]);
  } else if (strcmp(argv[1], "name") == 0) {
    Dl_info where = {0};
    answer_of(get(open_cache(argv[2], "cache", 0), 1, 1), &where);
    printf("%s\n", where.dli_fname);
  } else {
    many(argv[2],
         strcmp(argv[1], "memory") == 0 ? KPACK_JIT_READ_ONLY
                                        : KPACK_JIT_READ_WRITE,
         atoi(argv[4]));
  }
  return 0;
}
#endif
