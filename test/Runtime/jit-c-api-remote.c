/*===- jit-c-api-remote.c - a remote JIT cache from C ------------------===*\
|*
|* Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* What one cache has uploaded, another one does not compile.
|*
|* DEFINE: %{flags} = -Wall -Wextra -pedantic-errors -Werror -I %srcroot/include
|* RUN: rm -rf %t && mkdir %t
|* RUN: %host_cc -std=c99 %{flags} %sanitize %s -L%libdir -lkpack_jit -Wl,-rpath,%libdir -o %t/program
|* RUN: %python %inputs/remote/with-server.py redis --data %t/redis -- %t/program %t %buildroot/bin/kpack-jit-remote > %t/out 2> %t/err
|* RUN: FileCheck %s < %t/out
|*
\*===----------------------------------------------------------------------===*/
#include "kpack/kpack_jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compile(kpack_jit_product *product, void *user) {
  kpack_jit_product_set(product, user, strlen((const char *)user), NULL);
  return 0;
}

static kpack_jit_status open_cache(const char *directory,
                                   const kpack_jit_remote_options *remote,
                                   kpack_jit_cache **cache) {
  kpack_jit_cache_options options = {0};
  options.size = sizeof(options);
  options.directory = directory;
  options.remote = remote;
  return kpack_jit_cache_open(&options, cache);
}

static int print_row(const kpack_jit_statistics *row, void *user) {
  printf("%s: %u compiles, %u fetched\n", (const char *)user,
         (unsigned)row->compiles, (unsigned)row->fetched);
  return 0;
}

static void run(const char *folder, const char *name,
                const kpack_jit_remote_options *remote) {
  char directory[4096], code[] = "code", row[] = "row";
  kpack_jit_cache *cache = NULL;
  kpack_jit_key *key = NULL;
  kpack_jit_request request = {0};
  kpack_jit_entry *entry = NULL;
  kpack_jit_statistics sum = {0};
  snprintf(directory, sizeof(directory), "%s/%s", folder, name);
  if (open_cache(directory, remote, &cache) ||
      kpack_jit_key_create("test 1", &key))
    printf("%s\n", kpack_jit_last_error());
  request.size = sizeof(request);
  request.key = key;
  request.name = "kernel";
  if (kpack_jit_get(cache, &request, compile, code, 0, &entry))
    printf("%s\n", kpack_jit_last_error());
  sum.size = sizeof(sum);
  kpack_jit_cache_get_statistics(cache, &sum);
  printf("%s: %u compiles, %u fetched\n", name, (unsigned)sum.compiles,
         (unsigned)sum.fetched);
  kpack_jit_entry_destroy(entry);
  kpack_jit_key_destroy(key);
  kpack_jit_cache_close(cache);
  kpack_jit_read_statistics(directory, print_row, row);
}

static void refused(const kpack_jit_remote_options *remote) {
  kpack_jit_cache *cache = NULL;
  const int code = (int)open_cache("/nowhere", remote, &cache);
  printf("%d %s\n", code, kpack_jit_last_error());
}

int main(int argc, char **argv) {
  kpack_jit_remote_options remote = {0};
  if (argc != 3)
    return 2;
  remote.size = sizeof(remote);
  remote.url = getenv("CK_JIT_REMOTE");
  remote.mode = KPACK_JIT_REMOTE_SYNC;
  remote.timeout_seconds = 60;
  remote.total_seconds = 120;
  remote.helper = argv[2];
  run(argv[1], "first", &remote);
  run(argv[1], "second", &remote);
  // CHECK: first: 1 compiles, 0 fetched
  // CHECK-NEXT: row: 1 compiles, 0 fetched
  // CHECK-NEXT: second: 0 compiles, 1 fetched
  // CHECK-NEXT: row: 0 compiles, 1 fetched
  remote.total_seconds = -1;
  refused(&remote);
  remote.total_seconds = 0;
  remote.mode = 3;
  refused(&remote);
  remote.mode = KPACK_JIT_REMOTE_READ;
  remote.helper = "/no/such/program";
  refused(&remote);
  remote.url = "gopher://host";
  refused(&remote);
  remote.url = "http://192.0.2.1/cache";
  refused(&remote);
  remote.insecure = 1;
  refused(&remote);
  remote.size = offsetof(kpack_jit_remote_options, insecure);
  refused(&remote);
  remote.size = 0;
  refused(&remote);
  // CHECK-NEXT: 1 {{.*}}: time limit or pause out of range
  // CHECK-NEXT: 1 kpack_jit_cache_open: there is no such mode of a remote cache
  // CHECK-NEXT: 2 /no/such/program: cannot be run
  // CHECK-NEXT: 1 'gopher://host': no address of a remote cache
  // CHECK-NEXT: 1 'http://192.0.2.1/cache': without a key, what a server of another machine sends in plain text
  // CHECK-NEXT: 2 /no/such/program: cannot be run
  // CHECK-NEXT: 1 'http://192.0.2.1/cache': without a key
  // CHECK-NEXT: 1 kpack_jit_cache_open: the remote cache's options need their size
  return 0;
}
