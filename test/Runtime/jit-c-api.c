/*===- jit-c-api.c - the JIT cache from C ------------------------------===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* kpack/kpack_jit.h from C99: keys, a compile function, the background, a
|* source that is compiled, loaded and called, statistics, errors.
|*
|* DEFINE: %{flags} = -Wall -Wextra -pedantic-errors -Werror -I %srcroot/include
|* RUN: rm -rf %t && mkdir %t
|* RUN: %host_cc -std=c99 %{flags} %sanitize %s -L%libdir -lkpack_jit -Wl,-rpath,%libdir -o %t/program
|* RUN: echo 'extern "C" int answer() { return VALUE; }' > %t/good.cpp
|* RUN: echo 'int answer( { return 1; }' > %t/bad.cpp
|* RUN: %t/program %t %clang++ %buildroot/bin/kpack-jit-compile > %t/out 2> %t/err
|* RUN: FileCheck %s < %t/out
|*
|* What the library exports is what the header declares.
|* RUN: llvm-nm -D --defined-only --format=just-symbols %libdir/libkpack_jit.so | sed -n 's,@@KPACK_JIT_0$,,p' | sort > %t/have
|* RUN: grep -oE '\bkpack_jit_[a-z_]+\(' %srcroot/include/kpack/kpack_jit.h | tr -d '(' | sort -u > %t/want
|* RUN: diff %t/want %t/have
|*
|* The header serves gcc and C++17, too.
|* RUN: gcc -std=c99 %{flags} -fsyntax-only %s
|* RUN: %host_cxx -std=c++17 -x c++ -include kpack/kpack_jit.h %{flags} -fsyntax-only /dev/null
|*
\*===----------------------------------------------------------------------===*/
#define _XOPEN_SOURCE 500 /* pread */
#include "kpack/kpack_jit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// CHECK: version [[V:[0-9]+\.[0-9]+\.[0-9]+]]

static int compiles;

static int compile(kpack_jit_product *product, void *user) {
  ++compiles;
  if (!user) {
    kpack_jit_product_fail(product, "line 1: expected ';'");
    return 1;
  }
  kpack_jit_product_set(product, user, strlen((const char *)user), "a warning");
  return 0;
}

static int compile_nothing(kpack_jit_product *product, void *user) {
  (void)product;
  (void)user;
  return 0;
}

static kpack_jit_key *key_of(const char *source) {
  kpack_jit_key *key = NULL;
  if (kpack_jit_key_create("test 1", &key) != KPACK_JIT_SUCCESS ||
      kpack_jit_key_add(key, "source", source, strlen(source)) !=
          KPACK_JIT_SUCCESS)
    printf("no key: %s\n", kpack_jit_last_error());
  return key;
}

static void show(const char *what, kpack_jit_status code) {
  printf("%s: %d%s%s\n", what, (int)code, code ? " " : "",
         code && code != KPACK_JIT_PENDING ? kpack_jit_last_error() : "");
}

static kpack_jit_cache *open_cache(const char *folder, const char *helper,
                                   int mode) {
  char directory[4096];
  kpack_jit_cache_options options = {0};
  kpack_jit_cache *cache = NULL;
  snprintf(directory, sizeof(directory), "%s/cache", folder);
  options.size = sizeof(options);
  options.directory = directory;
  options.mode = mode;
  options.prebuild_hint = "run the prebuild command";
  options.compile_helper = helper;
  show("open", kpack_jit_cache_open(&options, &cache));
  return cache;
}

// CHECK-NEXT: open: 0
static void test_get(kpack_jit_cache *cache) {
  kpack_jit_request request = {0};
  kpack_jit_entry *entry = NULL;
  kpack_jit_entry_info info = {0};
  char bytes[5] = "";
  char code[] = "code";
  void *address = NULL;
  kpack_jit_key *key = key_of("a"), *other = key_of("b");
  char hex[65];
  kpack_jit_status status;

  request.size = sizeof(request);
  request.key = key;
  request.name = "kernel a";
  request.target = "gfx90a";
  show("get", kpack_jit_get(cache, &request, compile, code, 0, &entry));
  info.size = sizeof(info);
  kpack_jit_entry_get_info(entry, &info);
  kpack_jit_entry_read(entry, 0, bytes, 4);
  printf("%s %s '%s' %u %s by %s\n", info.name, info.target, bytes,
         (unsigned)info.payload_size, info.log, info.producer);
  memset(bytes, 0, sizeof(bytes));
  printf("%d of %s\n", (int)pread(kpack_jit_entry_fd(entry), bytes, 4, 0),
         bytes);
  show("too long", kpack_jit_entry_read(entry, 1, bytes, 4));
  show("no code", kpack_jit_entry_symbol(entry, "x", &address));
  kpack_jit_entry_destroy(entry);
  kpack_jit_key_hex(key, hex);
  printf("%u digits, the same: %d\n", (unsigned)strlen(hex),
         memcmp(hex, "0", 0) == 0);
  // CHECK-NEXT: get: 0
  // CHECK-NEXT: kernel a gfx90a 'code' 4 a warning by kpack [[V]]
  // CHECK-NEXT: 4 of code
  // CHECK-NEXT: too long: 1 kpack_jit_entry_read:
  // CHECK-NEXT: no code: 3 kernel a: the cached file is no shared object
  // CHECK-NEXT: 64 digits, the same: 1

  show("again", kpack_jit_get(cache, &request, compile, NULL, 0, &entry));
  kpack_jit_entry_destroy(entry);
  /* A structure of an earlier version ends after the name. */
  request.key = other;
  request.size = offsetof(kpack_jit_request, kind);
  show("refused", kpack_jit_get(cache, &request, compile, NULL, 0, &entry));
  request.size = 0;
  show("no size", kpack_jit_get(cache, &request, compile, NULL, 0, &entry));
  request.size = sizeof(request);
  request.name = "kernel c";
  kpack_jit_key_destroy(key);
  request.key = key = key_of("c");
  show("nothing",
       kpack_jit_get(cache, &request, compile_nothing, NULL, 0, &entry));
  printf("compiles %d\n", compiles);
  // CHECK-NEXT: again: 0
  // CHECK-NEXT: refused: 32 line 1: expected ';'
  // CHECK-NEXT: no size: 1 kpack_jit_get:
  // CHECK-NEXT: nothing: 32 kernel c: the compile function has given nothing
  // CHECK-NEXT: compiles 2

  kpack_jit_key_destroy(key);
  request.key = key = key_of("d");
  status = kpack_jit_get(cache, &request, compile, code, KPACK_JIT_NO_WAIT,
                         &entry);
  show("at first", status);
  while (status == KPACK_JIT_PENDING) /* a fallback would run here */
    status = kpack_jit_get(cache, &request, compile, code, KPACK_JIT_NO_WAIT,
                           &entry);
  show("then", status);
  kpack_jit_entry_destroy(entry);
  show("warm", kpack_jit_get(cache, &request, compile, NULL, KPACK_JIT_NO_WAIT,
                             &entry));
  kpack_jit_entry_destroy(entry);
  // CHECK-NEXT: at first: 33
  // CHECK-NEXT: then: 0
  // CHECK-NEXT: warm: 0
  kpack_jit_key_destroy(key);
  kpack_jit_key_destroy(other);
  kpack_jit_key_destroy(NULL);
}

static void test_source(kpack_jit_cache *cache, const char *folder,
                        const char *compiler) {
  static const char *const flags[] = {"-O1", "-DVALUE=42", NULL};
  static const char *const symbols[] = {"answer", NULL};
  char path[4096];
  kpack_jit_source source = {0};
  kpack_jit_entry *entry = NULL;
  void *address = NULL;
  int (*function)(void);

  snprintf(path, sizeof(path), "%s/good.cpp", folder);
  source.size = sizeof(source);
  source.compiler = compiler;
  source.source = path;
  source.flags = flags;
  source.symbols = symbols;
  show("source", kpack_jit_get_source(cache, &source, 0, &entry));
  show("missing", kpack_jit_entry_symbol(entry, "question", &address));
  show("symbol", kpack_jit_entry_symbol(entry, "answer", &address));
  memcpy(&function, &address, sizeof(function));
  if (address)
    printf("the answer is %d\n", function());
  kpack_jit_entry_destroy(entry);
  snprintf(path, sizeof(path), "%s/bad.cpp", folder);
  show("bad", kpack_jit_get_source(cache, &source, 0, &entry));
  source.symbols = NULL;
  show("no symbol", kpack_jit_get_source(cache, &source, 0, &entry));
  // CHECK-NEXT: source: 0
  // CHECK-NEXT: missing: 5 good.cpp:
  // CHECK-NEXT: symbol: 0
  // CHECK-NEXT: the answer is 42
  // CHECK-NEXT: bad: 32 bad.cpp: does not compile
  // CHECK: no symbol: 1 bad.cpp: no symbol to export
}

static int print_row(const kpack_jit_statistics *row, void *user) {
  printf("%s %s %s: %u compiles, %u hits\n", (const char *)user, row->name,
         row->target, (unsigned)row->compiles, (unsigned)row->hits);
  return 0;
}

int main(int argc, char **argv) {
  kpack_jit_cache *cache;
  kpack_jit_cache_options options = {0};
  kpack_jit_statistics sum = {0};
  kpack_jit_request request = {0};
  kpack_jit_entry *entry = NULL;
  kpack_jit_key *key;
  char directory[4096], row[] = "row";

  if (argc != 4)
    return 2;
  printf("version %s%s\n", kpack_jit_version(), kpack_jit_last_error());
  cache = open_cache(argv[1], argv[3], KPACK_JIT_READ_WRITE);
  test_get(cache);
  test_source(cache, argv[1], argv[2]);
  sum.size = sizeof(sum);
  kpack_jit_cache_get_statistics(cache, &sum);
  printf("sum: %u compiles, %u failures\n", (unsigned)sum.compiles,
         (unsigned)sum.failures);
  kpack_jit_cache_close(cache);
  snprintf(directory, sizeof(directory), "%s/cache", argv[1]);
  show("statistics", kpack_jit_read_statistics(directory, print_row, row));
  // CHECK-NEXT: sum: {{[0-9]+}} compiles, {{[0-9]+}} failures
  // CHECK: row good.cpp : 1 compiles, 0 hits
  // CHECK: row kernel a gfx90a: 1 compiles, 1 hits
  // CHECK: statistics: 0

  cache = open_cache(argv[1], NULL, KPACK_JIT_STRICT);
  request.size = sizeof(request);
  request.key = key = key_of("missing");
  request.name = "kernel m";
  show("strict", kpack_jit_get(cache, &request, compile, row, 0, &entry));
  kpack_jit_key_destroy(key);
  kpack_jit_cache_close(cache);
  options.size = sizeof(options);
  options.mode = 17;
  show("no mode", kpack_jit_cache_open(&options, &cache));
  show("no options", kpack_jit_cache_open(NULL, &cache));
  // CHECK-NEXT: open: 0
  // CHECK-NEXT: strict: 5 kernel m: not in the cache, and compiling is off; run the prebuild command
  // CHECK-NEXT: no mode: 1 kpack_jit_cache_open: there is no such mode
  // CHECK-NEXT: no options: 1 kpack_jit_cache_open: options
  return 0;
}
